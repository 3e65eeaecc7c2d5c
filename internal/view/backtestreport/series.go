package backtestreport

import (
	"fmt"
	"math"
	"slices"
)

// plotLine is one series: a share over the values of the last setting.
type plotLine struct {
	Class, Name, Value string // Value is that of the first setting
	Dash               string
	Path               string
	Points             []plotPoint
}

type plotPoint struct {
	X, Y, TextX, TextY float64
	Anchor, Label      string
	Title              string
	Present            bool
}

// dashes tell the series of a second setting apart without colour.
var dashes = []string{"", "6 4", "2 3", "10 3 2 3", "1 5"}

// lines are a heeded and a dismissed series for each value of the first of two settings.
func (p *plot) lines(s Sweep, heard bool, x, y func(float64) float64) {
	groups := map[string]int{}
	words, kinds := "heeded", []string{"heeded", "dismissed"}
	if !heard { // nobody could dismiss any
		words, kinds = "put right unprompted", kinds[:1]
	}
	for _, kind := range kinds {
		for _, r := range s.Rows {
			heeded, dismissed, ok := r.Share()
			if !ok {
				continue
			}
			share := heeded
			word := words
			if kind == "dismissed" {
				share, word = dismissed, kind
			}
			name := word
			if len(r.Values) == 2 {
				name += fmt.Sprintf(", %s %s", shortName(s.Settings[0]), number(r.Values[0]))
			}
			i, known := groups[name]
			if !known {
				i = len(p.Lines)
				groups[name] = i
				p.Lines = append(p.Lines, plotLine{Class: kind, Name: name, Value: number(r.Values[0])})
			}
			p.Lines[i].add(r, x(r.PerSession), y(share), word, share)
		}
	}
	p.merge()
	for i := range p.Lines {
		p.Lines[i].spread(p.Right)
		for _, earlier := range p.Lines[:i] {
			p.Lines[i].yield(earlier)
		}
	}
}

// yield drops labels that an earlier line has at nearly the same place.
func (l *plotLine) yield(earlier plotLine) {
	for i := range l.Points {
		p := &l.Points[i]
		for _, o := range earlier.Points {
			if o.Label == p.Label && math.Abs(o.X-p.X) < 12 && math.Abs(o.Y-p.Y) < 12 {
				p.Label = ""
			}
		}
	}
}

// merge makes one line of those that a setting without effect draws over each other.
func (p *plot) merge() {
	kept := p.Lines[:0]
	for _, l := range p.Lines {
		at := slices.IndexFunc(kept, func(k plotLine) bool { return k.Class == l.Class && k.Path == l.Path })
		if at < 0 {
			l.Dash = dashes[len(kept)%len(dashes)]
			kept = append(kept, l)
			continue
		}
		kept[at].Name += ", " + l.Value
		for i, point := range l.Points {
			kept[at].Points[i].Present = kept[at].Points[i].Present || point.Present
		}
	}
	p.Lines = kept
}

func (l *plotLine) add(r Row, x, y float64, word string, share float64) {
	move := "L"
	if len(l.Points) == 0 {
		move = "M"
	}
	l.Path += fmt.Sprintf("%s%.1f %.1f ", move, x, y)
	l.Points = append(l.Points, plotPoint{
		X: x, Y: y, TextX: x, TextY: y - 9, Anchor: "middle", Label: number(r.Values[len(r.Values)-1]), Present: r.Present,
		Title: fmt.Sprintf("%s: %.2f interrupts a session, %s %s", label(r.Values), r.PerSession, percent(share), word),
	})
}

// spread joins the labels of points at nearly the same place, so that each can be read.
func (l *plotLine) spread(right float64) {
	for i := range l.Points {
		p := &l.Points[i]
		if p.Label == "" {
			continue
		}
		for j := i + 1; j < len(l.Points); j++ {
			o := &l.Points[j]
			if o.Label != "" && math.Abs(o.X-p.X) < float64(7*len(p.Label)+14) && math.Abs(o.Y-p.Y) < 12 {
				p.Label += ", " + o.Label
				o.Label = ""
			}
		}
		if half := float64(len(p.Label)) * 3.6; p.X+half > right {
			p.Anchor = "end"
		}
	}
	slices.SortStableFunc(l.Points, func(a, b plotPoint) int { // what is drawn last is seen
		return order(a) - order(b)
	})
}

func order(p plotPoint) int {
	if p.Present {
		return 1
	}
	return 0
}
