package destructiveact

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// asked reports whether the person asked for this very act, in a message or by accepting
// the primary's proposal.
func (j *judgement) asked(a *destruct.Act) bool { return j.reader.Asked(j.messages(), j.Offer, a) }

// messages returns the person's messages of the last turns, the oldest first.
func (j *judgement) messages() []string {
	b := j.Baseline()
	requests := b.Requests
	if len(requests) == 0 && b.Task != "" {
		requests = []registry.Request{{Turn: j.Turn.Turn, Text: b.Task}}
	}
	var out []string
	for i, r := range requests {
		if j.Turn.Turn-r.Turn <= j.config.RequestTurns || i == len(requests)-1 {
			out = append(out, r.Text)
		}
	}
	for i := range j.Turn.Segments {
		if s := &j.Turn.Segments[i]; s.Kind == sessionevents.SegmentUser && !slices.Contains(out, s.Text) {
			out = append(out, s.Text)
		}
	}
	return out
}
