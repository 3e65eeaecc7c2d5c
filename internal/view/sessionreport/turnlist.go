package sessionreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// timelinePart draws and lists the turns: those with something to report one by one, runs of quiet turns as
// one entry.
func (s placed) timelinePart() doc.Part {
	p := doc.Part{Title: "Timeline", Key: "timeline", Not: doc.Text}
	if strips := s.strips(); len(strips) > 0 {
		p.Add(&doc.Picture{Legend: stripLegend(), SVG: drawn("strips", strips)})
	}
	p.Add(s.timeline())
	if s.TurnsCut > 0 {
		p.Add(&doc.Paragraph{Text: number(s.TurnsCut) + " more turns are left out.", Tone: doc.Bad})
	}
	if s.TimelineCut > 0 {
		p.Add(&doc.Paragraph{Text: number(s.TimelineCut) + " more entries are left out.", Tone: doc.Faint})
	}
	return p
}

// turnGroup is a turn with something to report, or a run of quiet turns.
type turnGroup struct {
	one, gap bool
	turns    []listedTurn
}

type listedTurn struct {
	Turn
	gap    bool
	moment doc.Moment
}

func (s placed) timeline() *doc.Timeline {
	happened := map[int][]Moment{}
	for _, m := range s.Timeline {
		happened[m.Turn] = append(happened[m.Turn], m)
	}
	var groups []turnGroup
	for _, t := range s.TurnByTurn {
		turn := s.turn(t, happened[t.Number])
		one := len(turn.moment.Items)+len(turn.moment.Badges) > 0
		last := len(groups) - 1
		if one || last < 0 || groups[last].one || groups[last].gap != turn.gap {
			groups = append(groups, turnGroup{one: one, gap: turn.gap})
			last++
		}
		groups[last].turns = append(groups[last].turns, turn)
	}
	list := &doc.Timeline{}
	for _, g := range groups {
		list.Groups = append(list.Groups, g.moment())
	}
	return list
}

func (g turnGroup) moment() doc.Moment {
	if g.one {
		return g.turns[0].moment
	}
	m := doc.Moment{Name: quietWords(g), Quiet: true, Lost: g.gap}
	for _, t := range g.turns {
		text := "Turn " + number(t.Number)
		if t.moment.Note != "" {
			text += ": " + t.moment.Note
		}
		m.Items = append(m.Items, doc.Entry{Text: text, Anchor: t.moment.Anchor})
	}
	return m
}

func (s placed) turn(t Turn, happened []Moment) listedTurn {
	l := listedTurn{Turn: t, gap: t.Missing || t.Failed != ""}
	l.moment = doc.Moment{
		Name: "Turn " + number(t.Number), Anchor: s.turnAnchor(t.Number), Note: TurnFacts(t), Lost: l.gap,
		Open: len(t.Interrupts) > 0 || t.Failed != "",
	}
	l.badge("fire", len(t.Interrupts), "interrupt", "interrupts")
	l.badge("", len(t.Signals), "signal", "signals")
	l.badge("", len(t.RedFlags), "red flag", "red flags")
	for _, m := range happened {
		l.add(m)
	}
	if len(t.RedFlags) > 0 {
		l.say("Red flags: "+strings.Join(t.RedFlags, ", "), "")
	}
	for _, id := range t.Signals {
		if told := s.told[id]; told != nil {
			l.say(toldIn(told), s.where[id])
		}
	}
	return l
}

func (l *listedTurn) say(text, link string) {
	l.moment.Items = append(l.moment.Items, doc.Entry{Text: text, Link: link})
}

func (l *listedTurn) badge(class string, n int, one, many string) {
	if n > 0 {
		l.moment.Badges = append(l.moment.Badges, doc.Badge{Class: class, Words: page.Plural(n, one, many)})
	}
}

// add adds what happened, and a short form next to the turn's number if nothing there says it
// yet.
func (l *listedTurn) add(m Moment) {
	text := strings.ToUpper(m.What[:1]) + m.What[1:]
	if m.Text != "" {
		text += ": " + m.Text
	}
	l.say(text, "")
	brief := doc.Badge{Words: m.What}
	if l.Failed != "" && m.Text == l.Failed {
		brief.Class = "lost"
	}
	said := m.What == "interrupt" || m.What == "interrupt from the queue" // its badge is there
	if !said && !slices.Contains(l.moment.Badges, brief) {
		l.moment.Badges = append(l.moment.Badges, brief)
	}
}

// quietWords sums up a run of turns in which nothing was found.
func quietWords(g turnGroup) string {
	first, last := g.turns[0].Number, g.turns[len(g.turns)-1].Number
	text := fmt.Sprintf("Turn %d", first)
	if last > first {
		text = fmt.Sprintf("Turns %d–%d", first, last)
	}
	if g.gap {
		return text + ": not watched"
	}
	text += ": nothing found"
	var did []string
	var reads, edits, errors int
	for _, t := range g.turns {
		reads, edits, errors = reads+t.Reads, edits+t.Edits, errors+t.Errors
	}
	for _, part := range []struct {
		n         int
		one, many string
	}{{reads, "read", "reads"}, {edits, "edit", "edits"}, {errors, "error", "errors"}} {
		if part.n > 0 {
			did = append(did, page.Plural(part.n, part.one, part.many))
		}
	}
	if len(did) == 0 {
		return text
	}
	return text + " (" + strings.Join(did, ", ") + ")"
}

// Acted returns what a turn did, in the report's words; "" if it contained only prose.
func Acted(d *sessionevents.TurnEvaluated) string {
	t := Turn{Number: d.Turn}
	t.evaluated(d)
	return TurnFacts(t)
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
		edited := fmt.Sprintf("%s edited (%s", page.Plural(t.Edits, "file"), strings.Join(shownPaths(t.Edited), ", "))
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

// shownPaths returns paths as they appear in texts.
func shownPaths(list []string) []string {
	out := make([]string, len(list))
	for i, path := range list {
		out[i] = quote.Path(path)
	}
	return out
}
