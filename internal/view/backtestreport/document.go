package backtestreport

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// most bounds the settings that are listed, and the changes of a list of text and
// Markdown; JSON has all.
const most = 100

// most bounds what follows from the rest more narrowly.
func (l list) most() int {
	switch l.kind {
	case KindSignal:
		return 10
	case KindQueue:
		return 20
	}
	return most
}

//go:embed pictures.gohtml
var pictureFiles embed.FS

var pictures = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(pictureFiles, "pictures.gohtml"))
})

// drawn is a picture of the template of that name.
func drawn(name string, data any) *doc.Picture {
	var out strings.Builder
	if err := pictures().ExecuteTemplate(&out, name, data); err != nil {
		panic(err) // the templates are ours and take any figures
	}
	return &doc.Picture{SVG: template.HTML(out.String())}
}

// Document lays the comparison out: what would change, in a sentence, then for each detector what
// that would have led to; what was compared and counted comes after it.
func Document(m Model) doc.Document {
	d := doc.Document{
		Of: "the comparison", Heading: "SCAFFOLD-WATCH BACKTEST", Name: "What would change", Anchor: "backtest",
		Lead: []doc.Block{&doc.Paragraph{Text: headline(m)}, bare(head(m))},
	}
	if m.Sweep != nil {
		d.Parts = append(d.Parts, picture("What more interrupts bring", drawn("plot", newPlot(*m.Sweep, m.Heard > 0))))
	} else if s := newSpark(m.Series); s != nil {
		d.Parts = append(d.Parts, picture("Interrupts per session", drawn("spark", s)))
	}
	d.Parts = append(d.Parts, doc.Part{Title: "Verdicts", Blocks: []doc.Block{bare(verdicts(m))}})
	d.Parts = append(d.Parts, tables(m)...)
	for _, l := range lists(m) {
		d.Parts = append(d.Parts, l.part())
	}
	d.Parts = append(d.Parts, doc.Part{Title: "Notes", Blocks: []doc.Block{bare(notes(m))}})
	return d
}

// Report is the report in all its forms.
func Report(m Model) doc.Report {
	return doc.Report{
		Of: "the comparison", Model: m, Screen: func() doc.Document { return Document(m) },
		Page: func() doc.Page {
			d := Document(m)
			return doc.Page{Of: "the backtest: " + headline(m), Heading: "Scaffold-watch backtest", Documents: []doc.Document{d}}
		},
	}
}

func bare(lines []string) *doc.List {
	list := doc.Lines(lines)
	list.Bare = true
	return list
}

func picture(title string, p *doc.Picture) doc.Part {
	return doc.Part{Title: title, Not: doc.Text | doc.Markdown, Blocks: []doc.Block{p}}
}

// mostShown bounds the changes of a list on a page; JSON has all.
const mostShown = 500

// part lists the changes, as many as a reader of the form goes through.
func (l list) part() doc.Part {
	p := doc.Part{Title: l.title}
	for i, c := range l.changes[:min(len(l.changes), mostShown)] {
		card := &doc.Card{Title: c.title()}
		for _, line := range c.lines() {
			card.Say(line)
		}
		if i < l.most() {
			p.Add(card)
		} else {
			p.Add(doc.Except(doc.Text|doc.Markdown, card))
		}
	}
	p.Add(l.rest(l.most(), doc.HTML), l.rest(mostShown, doc.Text|doc.Markdown))
	return p
}

// rest says how many changes are not listed, except in some forms.
func (l list) rest(most int, not doc.Form) doc.Block {
	left := &doc.Paragraph{Tone: doc.Faint}
	if n := len(l.changes) - most; n > 0 {
		left.Text = fmt.Sprintf("and %d more (all of them with --output json)", n)
	}
	return doc.Except(not, left)
}

// head says what was compared.
func head(m Model) []string {
	list := []string{m.Source + ", " + span(m), "present: " + m.Present.String()}
	if m.Sweep == nil {
		list = append(list, "given: "+m.Given.String())
	}
	for i, s := range m.Settings {
		if i == most {
			list = append(list, fmt.Sprintf("and %d more settings", len(m.Settings)-i))
			break
		}
		list = append(list, fmt.Sprintf("%s: %s → %s", s.Path, shown(s.Was), shown(s.Is)))
	}
	return list
}

// maxValue bounds a value that is shown, in characters.
const maxValue = 80

func shown(value string) string {
	return cmp.Or(text.Short(value, maxValue), "(none)")
}

func verdicts(m Model) (list []string) {
	for _, d := range m.Detectors {
		if d.Interrupts.Present+d.Interrupts.Given > 0 {
			list = append(list, d.Verdict)
		}
	}
	return list
}

// list is the changes of one way and kind.
type list struct {
	title   string
	way     Way
	kind    Kind
	changes []Change
}

func lists(m Model) (all []list) {
	for _, kind := range Kinds() {
		for _, way := range []Way{Gained, Lost, Moved} {
			l := list{title: strings.ToUpper(string(way[:1])) + string(way[1:]) + " " + kind.plural(), way: way, kind: kind}
			for _, c := range m.Changes {
				if c.Kind == kind && c.Way == way {
					l.changes = append(l.changes, c)
				}
			}
			if len(l.changes) > 0 {
				all = append(all, l)
			}
		}
	}
	return all
}

// title names a change on one line.
func (c Change) title() string {
	var parts []string
	if c.Was != "" {
		parts = append(parts, c.Was)
	}
	if c.Is != "" {
		parts = append(parts, c.Is)
	}
	mark := ""
	if c.Depends {
		mark = " †"
	}
	name := c.Detector
	if c.About != "" {
		name += " (" + c.About + ")"
	}
	return fmt.Sprintf("%s: %s, %s%s", c.Group, name, strings.Join(parts, " → "), mark)
}

// lines are what there is to say about a change.
func (c Change) lines() (lines []string) {
	if c.Kind != KindQueue && c.Message != "" {
		lines = append(lines, c.Message)
	}
	if c.Evidence != "" {
		lines = append(lines, "evidence: "+c.Evidence)
	}
	if then := c.outcome(); then != "" {
		lines = append(lines, "then: "+then)
	}
	return lines
}

// spark is the interrupts of each session under both rules, in the order of the
// sessions: the present ones above a line, the given ones below it.
type spark struct {
	Width, Height, Middle int
	Bars                  []sparkBar
	Text                  string
}

type sparkBar struct {
	X, Wide              float64
	UpY, Up, DownY, Down float64
	Changed              bool
	Title                string
}

const (
	sparkWidth  = 1000
	sparkHeight = 120
	mostBars    = 250
)

// newSpark returns nil for no sessions. Many sessions share bars.
func newSpark(series []Point) *spark {
	if len(series) == 0 {
		return nil
	}
	columns := bars(series)
	most := 1
	for _, b := range columns {
		most = max(most, b.Present, b.Given)
	}
	s := &spark{Width: sparkWidth, Height: sparkHeight, Middle: sparkHeight / 2}
	each := float64(sparkWidth) / float64(len(columns))
	unit := float64(sparkHeight/2-4) / float64(most)
	for i, b := range columns {
		up, down := float64(b.Present)*unit, float64(b.Given)*unit
		s.Bars = append(s.Bars, sparkBar{
			X: float64(i) * each, Wide: max(each*0.8, 0.5), UpY: sparkHeight/2 - up, Up: up, DownY: sparkHeight / 2, Down: down,
			Changed: b.changed, Title: fmt.Sprintf("%s: %d present, %d given", page.Plain(b.Session), b.Present, b.Given),
		})
	}
	s.Text = fmt.Sprintf("%s in order; at most %s in a bar", page.Plural(len(series), "session"), page.Plural(most, "interrupt"))
	return s
}

type barOf struct {
	Point
	changed bool
}

// bars joins neighbouring sessions where there are too many.
func bars(series []Point) []barOf {
	each := (len(series) + mostBars - 1) / mostBars
	var out []barOf
	for i, p := range series {
		if i%each == 0 {
			out = append(out, barOf{Point: Point{Session: p.Session}})
		}
		last := &out[len(out)-1]
		last.Present += p.Present
		last.Given += p.Given
		last.changed = last.changed || p.Present != p.Given
		if each > 1 && i%each == 1 {
			last.Session += " and the next"
		}
	}
	return out
}
