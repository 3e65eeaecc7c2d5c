package stuckloop

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const monologueSketch = 64

// monologue counts turns in a row that call nothing and say what the turn before said.
func (w *watch) monologue() {
	m := w.memory
	if w.calls > 0 {
		m.Spoken, m.Monologue = nil, 0
		return
	}
	text, last := w.spoken()
	if last == nil {
		m.Spoken, m.Monologue = nil, 0
		return
	}
	sketch := similarity.Sketch(text, monologueSketch)
	if len(sketch) < w.MonologueWords {
		m.Spoken, m.Monologue = nil, 0
		return
	}
	if m.Monologue > 0 && similarity.Compare(sketch, m.Spoken, monologueSketch).Jaccard >= w.MonologueSimilar {
		m.Monologue++
	} else {
		m.endStreak(kindMonologue, kindMark)
		m.Monologue = 1
	}
	m.Spoken = sketch
	w.grow(loop{
		kind: kindMonologue, id: kindMark, subject: "turns without a call", length: m.Monologue,
		first: w.pass.Turn.Turn - m.Monologue + 1, limits: w.Monologue,
	}, last)
}

// spoken is what the turn says, with its last segment.
func (w *watch) spoken() (string, *sessionevents.Segment) {
	var out strings.Builder
	var last *sessionevents.Segment
	for i := range w.pass.Turn.Segments {
		s := &w.pass.Turn.Segments[i]
		if s.Kind == sessionevents.SegmentPlan && !s.Thinking {
			out.WriteString(s.Text + "\n")
			last = s
		}
	}
	return out.String(), last
}
