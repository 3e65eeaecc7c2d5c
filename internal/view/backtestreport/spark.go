package backtestreport

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

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
