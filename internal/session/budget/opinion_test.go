package budget

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
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
					if strings.HasPrefix(o.Signal, "advised-") {
						o.Signal = "unknown" // what a model found may be said once it is confirmed
					}
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
		holding{w}.hold(first, sessionevents.ReasonBelowFire)
		holding{w}.hold(next, sessionevents.ReasonCooldown)
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

// AD-3: what a model found by itself waits until it was asked about that again and confirmed it; it comes
// after what a rule shows, so often in a session, and is one thing with a rule's circle at that place.
func TestWhatAModelFoundIsConfirmedFirst(t *testing.T) {
	session := func(change func(*Config)) func(typ events.Type, data any) []events.Event {
		c := defaultConfig(t)
		if change != nil {
			change(c)
		}
		m := NewMachine(c)
		state, n := m.New("s"), 0
		return func(typ events.Type, data any) []events.Event {
			n++
			e := events.Event{ID: fmt.Sprint("e", n), Source: "/test", Type: typ, Subject: "s", PartitionKey: "s"}
			e.Data = data
			out := step.NewEmitter(StageName, step.Identity{}, e)
			var err error
			state, err = m.Step(state, step.Input{Event: e}, out)
			require.NoError(t, err)
			return out.Events()
		}
	}
	ground := func(kind sessionevents.GroundKind) []sessionevents.Ground {
		return []sessionevents.Ground{{Kind: kind, What: "x"}}
	}
	found := func(class sessionevents.Class, subject string, turn int) *sessionevents.Signal {
		limit := urgencyPointer(20)
		return &sessionevents.Signal{
			Session: "s", Turn: turn, ID: "found-" + subject, Layer: sessionevents.LayerSession, Class: class,
			Detector: string(class) + "M", Subject: subject,
			Confidence: 0.7, ReworkCost: 5, SelfCorrect: 0.2, Cap: limit, Message: "It is so.", Reason: "Because.",
			Basis: ground(sessionevents.GroundModel),
		}
	}
	fired := func(list []events.Event) (out []string) {
		for _, e := range list {
			if f, is := e.Data.(*sessionevents.InterruptFired); is {
				out = append(out, f.Signals...)
			}
		}
		return out
	}
	opinion := func(signal, verdict, worth string) *sessionevents.OpinionRecorded {
		return &sessionevents.OpinionRecorded{
			Session: "s", Question: "q-" + signal, Kind: sessionevents.QuestionSignal, Signal: signal, Model: "m",
			Verdict: sessionevents.OpinionVerdict(verdict), WorthSaying: sessionevents.WorthSaying(worth),
		}
	}
	turn := func(n int) *sessionevents.TurnEvaluated {
		pause := sessionevents.Pause{Natural: true, Why: sessionevents.PauseEndOfResponse}
		return &sessionevents.TurnEvaluated{Session: "s", Turn: n, Pause: pause}
	}
	play := func(feed func(events.Type, any) []events.Event, from, to int) (out []string) {
		for n := from; n <= to; n++ {
			out = append(out, fired(feed(sessionevents.TypeTurnEvaluated, turn(n)))...)
		}
		return out
	}
	answers := map[string]bool{
		"confirmed yes": true, "confirmed no": false, "unsure no": false, "refuted no": false, "": false,
	}
	for answer, said := range answers {
		feed := session(nil)
		feed(sessionevents.TypeSignalDetected, found("E", "the suite", 1))
		require.Empty(t, play(feed, 1, 4), answer)
		if verdict, worth, answered := strings.Cut(answer, " "); answered {
			feed(sessionevents.TypeOpinionRecorded, opinion("found-the suite", verdict, worth))
		}
		require.Equal(t, said, len(play(feed, 5, 8)) == 1, answer)
	}

	feed := session(nil)
	for i, class := range []sessionevents.Class{"A", "D", "E", "E"} {
		s := found(class, fmt.Sprint("thing ", i), 1)
		feed(sessionevents.TypeSignalDetected, s)
	}
	play(feed, 1, 2)
	rule := found("E", "a rule's", 2)
	rule.Detector, rule.Cap, rule.Basis = "E1", nil, ground(sessionevents.GroundFact)
	rule.ID, rule.ReworkCost = "rule", 3
	feed(sessionevents.TypeSignalDetected, rule)
	for i := range 4 {
		feed(sessionevents.TypeOpinionRecorded, opinion(fmt.Sprint("found-thing ", i), "confirmed", "yes"))
	}
	heard := play(feed, 3, 20)
	require.Len(t, heard, 3, "a rule's, and two of a model's: %v", heard)
	require.Contains(t, heard, "rule")

	feed = session(func(c *Config) { c.Opinions.ConfirmAdded = false })
	feed(sessionevents.TypeSignalDetected, found("E", "the suite", 1))
	require.Len(t, play(feed, 1, 6), 1, "where the rules say so, it is said as it is")

	feed = session(nil)
	circle := found("C", "the build", 3)
	stuck := found("C", "make", 4)
	stuck.Detector, stuck.ID, stuck.Basis, stuck.Cap = "C4", "stuck", ground(sessionevents.GroundFact), nil
	feed(sessionevents.TypeSignalDetected, stuck)
	play(feed, 1, 4)
	feed(sessionevents.TypeSignalDetected, circle)
	var joined *sessionevents.Disposition
	for _, e := range feed(sessionevents.TypeTurnEvaluated, turn(5)) {
		if d, is := e.Data.(*sessionevents.Disposition); is && d.Signal == circle.ID {
			joined = d
		}
	}
	require.NotNil(t, joined)
	require.Equal(t, "stuck", joined.Into)
}
