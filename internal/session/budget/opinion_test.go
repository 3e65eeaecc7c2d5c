package budget

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// AD-1: opinions that hold nothing back decide nothing: a history with them gives the decisions of
// the history without, byte for byte.
func TestOpinionsThatDoNotCountChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		plain := *h
		plain.inputs = nil
		for i, in := range h.inputs {
			if in.Type == sessionevents.TypeOpinionRecorded {
				if i < h.changeAt {
					plain.changeAt--
				}
				o := *in.Data.(*sessionevents.OpinionRecorded)
				switch rapid.IntRange(0, 3).Draw(t, "how") {
				case 0:
					o.Void = "cut"
				case 1:
					o.Verdict = sessionevents.OpinionUnsure
				case 2:
					o.Signal = "unknown"
				default:
					o.Verdict, o.WorthSaying = sessionevents.OpinionConfirmed, sessionevents.WorthYes
				}
				h.inputs[i].Data = &o
				continue
			}
			plain.inputs = append(plain.inputs, in)
		}
		_, want := play(t, &plain, -1)
		_, got := play(t, h, -1)
		var decided []events.Event
		for _, e := range got {
			if e.Type != sessionevents.TypeOpinionRecorded {
				decided = append(decided, e)
			}
		}
		require.Equal(t, asJSON(t, want), asJSON(t, decided))
	})
}

// AD-7: whatever a model answers, what bypasses the budget and what destroys is never held back by it.
func TestWhatIsNeverRefuted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		_, decided := play(t, h, -1)
		detectors := map[string]string{}
		for _, e := range decided {
			switch d := e.Data.(type) {
			case *sessionevents.Signal:
				detectors[d.ID] = d.Detector
			case *sessionevents.Disposition:
				if d.Code == sessionevents.CodeRefuted || d.Code == sessionevents.CodeNotWorthSaying {
					require.NotContains(t, []string{"B1", "B2", "E3", "E4"}, detectors[d.Signal])
				}
			case *sessionevents.InterruptFired:
				if d.FromQueue {
					continue
				}
				for _, id := range d.Signals {
					require.NotContains(t, []string{"AM", "CM", "DM", "EM"}, detectors[id], "a finding of a model is never an immediate interrupt (AD-3)")
				}
			}
		}
	})
}

// AD-7: a rule file cannot let a model silence security findings.
func TestRulesCannotLetModelsRefuteEverything(t *testing.T) {
	c := defaultConfig(t)
	c.Opinions.NeverRefuted = []string{"B1", "B2"}
	require.ErrorContains(t, c.Validate(), "E3 is missing")
}

// AD-3: a rule's signal about what a model found leads the entry that waits, with the higher urgency, up
// to its own cap; a model's never leads a rule's.
func TestARuleLeadsAModelsEntry(t *testing.T) {
	model := &sessionevents.Signal{
		ID: "m", Detector: "EM", Class: "E", Subject: "the suite", Turn: 3,
		Basis: []sessionevents.Ground{{Kind: sessionevents.GroundModel, What: "m"}},
	}
	limit := sessionevents.Urgency(35)
	rule := &sessionevents.Signal{ID: "r", Detector: "E1", Class: "E", Subject: "the suite", Turn: 4}
	capped := *rule
	capped.Cap = &limit
	queue := func(first, next candidate) Entry {
		w := &work{config: defaultConfig(t), session: &Session{ID: "s"}, marker: &sessionevents.TurnEvaluated{Turn: 5}}
		w.hold(first, sessionevents.ReasonBelowFire)
		w.hold(next, sessionevents.ReasonCooldown)
		require.Len(t, w.session.Queue, 1, "one thing")
		return w.session.Queue[0]
	}
	for _, next := range []candidate{{signal: rule, urgency: 24}, {signal: &capped, urgency: 24}} {
		e := queue(candidate{signal: model, urgency: 39}, next)
		require.Equal(t, "r", e.Signal.ID)
		require.Equal(t, 2, e.Count)
		require.True(t, e.Cooled)
		if next.signal.Cap == nil {
			require.EqualValues(t, 39, e.Urgency)
		} else {
			require.EqualValues(t, 35, e.Urgency)
		}
	}
	require.Equal(t, "r", queue(candidate{signal: rule, urgency: 24}, candidate{signal: model, urgency: 39}).Signal.ID)
}
