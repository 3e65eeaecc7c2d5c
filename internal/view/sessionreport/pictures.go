package sessionreport

import (
	"embed"
	"fmt"
	"html/template"
	"math"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

//go:embed page/pictures.gohtml
var pictureFiles embed.FS

var pictures = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(pictureFiles, "page/pictures.gohtml"))
})

// drawn renders the picture template of that name. The templates are ours; html/template escapes the texts
// that they get.
func drawn(name string, data any) template.HTML {
	var out strings.Builder
	if err := pictures().ExecuteTemplate(&out, name, data); err != nil {
		panic(err)
	}
	return template.HTML(out.String())
}

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

// strips are the turns as a picture, sixty to a line.
func (s placed) strips() []strip {
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
func (m *Model) most() (reads, lines, errors int) {
	for _, t := range m.TurnByTurn {
		reads, lines, errors = max(reads, t.Reads), max(lines, t.LinesAdded+t.LinesGone), max(errors, t.Errors)
	}
	return reads, lines, errors
}

// bar adds a value to its lane; the square root keeps small values visible.
func (c *stripTurn) bar(class string, lane, value, most int) {
	if value <= 0 {
		return
	}
	height := round(max(2, (laneHeight-2)*math.Sqrt(float64(value)/float64(most))))
	c.Marks = append(c.Marks, stripMark{class, round(float64(c.X) + 0.1), round(float64((lane+1)*laneHeight) - height), 0.8, height})
}

// signalMarks stacks a turn's signals in the first lane, as many as fit.
func (s placed) signalMarks(t Turn, x float64) []stripMark {
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

// stripLegend names what the picture shows.
func stripLegend() []doc.Segment {
	return []doc.Segment{
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

func (s placed) turnTitle(t Turn) string {
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
		parts = append(parts, page.Plural(n, "interrupt"))
	}
	return strings.Join(parts, "; ")
}

// balance shows open debt against removed debt.
func (m *Model) balance() *doc.Picture {
	var b doc.Bar
	b.Add("fired", m.Health.DebtAdded, page.Plural(m.Health.DebtAdded, "point")+" of debt open")
	b.Add("corrected", m.Health.DebtRemoved, page.Plural(m.Health.DebtRemoved, "point")+" removed")
	b.Scale = b.Total
	return &doc.Picture{Legend: b.Segments, SVG: b.SVG()}
}

// budgetChart draws the budget over the turns.
func (s placed) budgetChart() *doc.Picture {
	line := s.budgetLine()
	if line == nil {
		return &doc.Picture{}
	}
	return &doc.Picture{SVG: drawn("budget", line)}
}

// budgetLine draws the interrupt budget over the turns, with a step down for each charge.
type budgetLine struct {
	First, Last, High, Low int
	Width, Zero            int
	Box, Path              string // a margin keeps the line whole at the edges
}

// budgetLine draws the budget; nil without turns.
func (s placed) budgetLine() *budgetLine {
	if len(s.TurnByTurn) == 0 {
		return nil
	}
	b := &budgetLine{High: s.Budget, First: s.TurnByTurn[0].Number, Last: s.TurnByTurn[len(s.TurnByTurn)-1].Number, Width: len(s.TurnByTurn)}
	for _, t := range s.TurnByTurn {
		b.High, b.Low = max(b.High, t.Budget), min(b.Low, t.Budget)
	}
	b.Zero = b.High
	b.Box = fmt.Sprintf("0 -0.1 %d %d.2", b.Width, max(b.High-b.Low, 1))
	path, level := fmt.Sprintf("M0 %d", b.High-s.Budget), s.Budget
	for i, t := range s.TurnByTurn {
		if t.Budget != level {
			path += fmt.Sprintf("H%dV%d", i, b.High-t.Budget)
			level = t.Budget
		}
	}
	b.Path = path + fmt.Sprintf("H%d", b.Width)
	return b
}

// budgetText is the same in words.
func (s placed) budgetText() string {
	text, level := fmt.Sprintf("%d at the start", s.Budget), s.Budget
	for _, t := range s.TurnByTurn {
		if t.Budget == level {
			continue
		}
		text += fmt.Sprintf(", %d after turn %d", t.Budget, t.Number)
		if t.Budget > level {
			text += " (given back)"
		}
		level = t.Budget
	}
	return text + "."
}
