package sessionreport

import (
	"fmt"
	"math"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

const (
	stripTurns   = 60 // turns in one strip
	stripColumns = 24 // least columns, so that a short session has no broad ones
	laneHeight   = 25 // of 100
	markHeight   = 5  // of a signal
)

// strip is a run of turns drawn side by side.
type strip struct {
	Columns    int
	From, Till string // below its ends
	Turns      []stripTurn
}

type stripTurn struct {
	Anchor, Title  string
	X              int
	Gap, Interrupt bool
	Marks          []stripMark
}

// stripMark is a rectangle; lanes are from the top: signals, reads, edits, errors.
type stripMark struct {
	Class               string
	X, Y, Width, Height float64
}

// Strips are the turns as a picture, sixty to a line.
func (s htmlSession) Strips() []strip {
	reads, lines, errors := s.most()
	var strips []strip
	for at := 0; at < len(s.TurnByTurn); at += stripTurns {
		turns := s.TurnByTurn[at:min(at+stripTurns, len(s.TurnByTurn))]
		line := strip{Columns: max(len(turns), stripColumns), From: "turn " + number(turns[0].Number)}
		if at > 0 {
			line.Columns = stripTurns // the same scale on each line
		}
		last := number(turns[len(turns)-1].Number)
		if line.Columns == len(turns) {
			line.Till = "turn " + last
		} else if len(turns) > 1 {
			line.From = "turns " + number(turns[0].Number) + "–" + last
		}
		for x, t := range turns {
			column := stripTurn{
				Anchor: s.turnAnchor(t.Number), Title: s.turnTitle(t), X: x, Gap: t.Missing || t.Failed != "", Interrupt: len(t.Interrupts) > 0,
			}
			column.Marks = s.signalMarks(t, float64(x))
			column.bar("read", 1, t.Reads, reads)
			column.bar("edit", 2, t.LinesAdded+t.LinesGone, lines)
			column.bar("error", 3, t.Errors, errors)
			line.Turns = append(line.Turns, column)
		}
		strips = append(strips, line)
	}
	return strips
}

// most are the largest values, which fill their lane.
func (s htmlSession) most() (reads, lines, errors int) {
	for _, t := range s.TurnByTurn {
		reads, lines, errors = max(reads, t.Reads), max(lines, t.LinesAdded+t.LinesGone), max(errors, t.Errors)
	}
	return reads, lines, errors
}

// bar adds a value to its lane; the root keeps small ones visible.
func (c *stripTurn) bar(class string, lane, value, most int) {
	if value <= 0 {
		return
	}
	height := round(max(2, (laneHeight-2)*math.Sqrt(float64(value)/float64(most))))
	c.Marks = append(c.Marks, stripMark{class, round(float64(c.X) + 0.1), round(float64((lane+1)*laneHeight) - height), 0.8, height})
}

// signalMarks stacks a turn's signals in the first lane, at most as many as fit.
func (s htmlSession) signalMarks(t Turn, x float64) []stripMark {
	var marks []stripMark
	for i, id := range t.Signals {
		if i*markHeight >= laneHeight {
			break
		}
		letter := "other"
		if told := s.told[id]; told != nil {
			letter = classLetter(told.Class)
		}
		marks = append(marks, stripMark{"kind-" + letter, round(x + 0.1), float64(laneHeight - (i+1)*markHeight), 0.8, markHeight - 1})
	}
	return marks
}

func round(v float64) float64 { return math.Round(v*100) / 100 }

// Legend names what the picture shows.
func (htmlSession) Legend() []barSegment {
	return []barSegment{
		{Class: "kind-A", Words: "A architecture"},
		{Class: "kind-B", Words: "B security"},
		{Class: "kind-C", Words: "C redundancy"},
		{Class: "kind-D", Words: "D scope"},
		{Class: "interrupt", Words: "interrupt"},
		{Class: "read", Words: "files read"},
		{Class: "edit", Words: "lines edited"},
		{Class: "error", Words: "errors"},
		{Class: "lost", Words: "not watched"},
	}
}

func (s htmlSession) turnTitle(t Turn) string {
	parts := []string{"Turn " + number(t.Number)}
	if facts := TurnFacts(t); facts != "" {
		parts = append(parts, facts)
	}
	for _, id := range t.Signals {
		if told := s.told[id]; told != nil {
			parts = append(parts, told.Detector+" "+endWord(told.End))
		}
	}
	if n := len(t.Interrupts); n > 0 {
		parts = append(parts, page.Plural(n, "interrupt", "interrupts"))
	}
	return strings.Join(parts, "; ")
}

// TurnFacts returns what a turn did, in words; "" for nothing.
func TurnFacts(t Turn) string {
	if t.Missing {
		return "it never came"
	}
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, page.Plural(n, one, many))
		}
	}
	add(t.Calls, "tool call", "tool calls")
	add(t.Reads, "file read", "files read")
	if t.Edits > 0 {
		edited := fmt.Sprintf("%s edited (%s", page.Plural(t.Edits, "file", "files"), strings.Join(shownPaths(t.Edited), ", "))
		if more := t.Edits - len(t.Edited); more > 0 {
			edited += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, edited+")")
	}
	if t.LinesAdded+t.LinesGone > 0 {
		parts = append(parts, fmt.Sprintf("+%d −%d lines", t.LinesAdded, t.LinesGone))
	}
	if t.TestsAdded != 0 {
		parts = append(parts, testsText(t.TestsAdded))
	}
	add(t.Errors, "error", "errors")
	return strings.Join(parts, ", ")
}

// shownPaths are paths as a text names them.
func shownPaths(list []string) []string {
	out := make([]string, len(list))
	for i, path := range list {
		out[i] = quote.Path(path)
	}
	return out
}
