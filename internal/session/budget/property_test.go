package budget

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// history is a random sequence of inputs of one group.
type history struct {
	config *Config
	later  *Config // in force from the input changeAt on: a restart with other rules
	inputs []events.Event

	changeAt int
}

func (h *history) add(typ events.Type, session string, data any) {
	n := len(h.inputs) + 1
	h.inputs = append(h.inputs, events.Event{ID: fmt.Sprintf("in-%d", n), Source: "test", Type: typ, Subject: session, Time: testTime(n), Data: data})
}

// drawHistory draws turns of two sessions with signals, outcomes, pauses,
// failures, deliveries, acts and closings.
func drawHistory(t *rapid.T) *history {
	h := &history{config: defaultConfig(t)}
	h.config.Budget = rapid.IntRange(0, 4).Draw(t, "budget")
	h.config.CooldownTurns = rapid.IntRange(1, 4).Draw(t, "cooldown")
	h.config.Queue.MaxAgeTurns = rapid.IntRange(1, 8).Draw(t, "age")
	h.config.Queue.MaxDelivered = rapid.IntRange(0, 3).Draw(t, "delivered")
	h.config.Queue.PatienceTurns = rapid.IntRange(1, 5).Draw(t, "patience")
	h.config.Opinions.ConfirmAdded = rapid.Bool().Draw(t, "confirm added")
	h.config.Opinions.MaxAdded = rapid.IntRange(0, 2).Draw(t, "max added")
	h.config.Watch.Turns = rapid.IntRange(0, 5).Draw(t, "watch")
	h.config.Queue.MaxEntries = rapid.IntRange(1, 10).Draw(t, "entries")
	if rapid.IntRange(0, 4).Draw(t, "observe") == 0 {
		h.config.Mode = rules.ModeObserve
	}
	if mode := rapid.SampledFrom([]rules.Mode{rules.ModeOn, rules.ModeObserve, rules.ModeOff}).Draw(t, "mode"); mode != rules.ModeOn {
		h.config.Detectors[rapid.SampledFrom([]string{"A1", "A2", "B1"}).Draw(t, "detector")] = mode
	}
	later := *h.config
	later.Detectors = maps.Clone(h.config.Detectors)
	later.Detectors[rapid.SampledFrom([]string{"A1", "A2", "C4"}).Draw(t, "later")] = rapid.SampledFrom([]rules.Mode{rules.ModeOn, rules.ModeObserve, rules.ModeOff}).Draw(t, "later mode")
	h.later, h.changeAt = &later, rapid.IntRange(0, 120).Draw(t, "change")
	turns := map[string]int{}
	seen := map[string][]string{}
	opined := rapid.Bool().Draw(t, "opined")
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		session := rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "session")
		if opined {
			for range rapid.SampledFrom([]int{0, 1, 1, 1, 2, 3, 20}).Draw(t, "opinions") { // 20: a flood
				h.drawOpinion(t, session, turns[session], seen)
			}
		}
		switch rapid.IntRange(0, 11).Draw(t, "kind") {
		case 0:
			h.add(sessionevents.TypeSessionClosed, session, &sessionevents.SessionClosed{Session: session})
		case 1:
			state := rapid.SampledFrom([]sessionevents.DeliveryState{"dismissed", "unsupported", "acked", "emitted", "expired"}).Draw(t, "state")
			h.add(sessionevents.TypeInterruptDelivery, session, &sessionevents.InterruptDelivery{Session: session, Turn: rapid.IntRange(1, max(1, turns[session])).Draw(t, "of"), State: state})
		case 2:
			h.drawMute(t, session)
		default:
			turns[session]++
			h.drawTurn(t, session, turns[session], seen)
		}
	}
	return h
}

// drawOpinion draws whatever an advisor may say, about signals that wait, were said long ago or never
// were, also of a session that is closed, with the signals that the evaluator makes of what it confirms and
// adds; the same once more, as of a second instance; and the contrary of it at once (AD-7).
func (h *history) drawOpinion(t *rapid.T, session string, turn int, seen map[string][]string) {
	if turn == 0 {
		return
	}
	about := rapid.SampledFrom(append([]string{"", "unknown"}, seen[session]...)).Draw(t, "about")
	o := &sessionevents.OpinionRecorded{
		Session: session, Question: "q", Model: "m", PromptDigest: "p", Signal: about, Turn: turn,
		Kind:        rapid.SampledFrom([]sessionevents.QuestionKind{sessionevents.QuestionSignal, sessionevents.QuestionSignal, sessionevents.QuestionDigest, "?"}).Draw(t, "question"),
		Verdict:     rapid.SampledFrom([]sessionevents.OpinionVerdict{"confirmed", "refuted", "refuted", "unsure", ""}).Draw(t, "verdict"),
		WorthSaying: rapid.SampledFrom([]sessionevents.WorthSaying{"yes", "no", ""}).Draw(t, "worth"),
		Void:        rapid.SampledFrom([]string{"", "", "", "a quote does not occur"}).Draw(t, "void"),
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "added") {
		s := drawSignal(t, session, turn, i)
		n := len(h.inputs)
		s.ID = fmt.Sprintf("advised-%d-%d", n, i)
		s.Final, s.Forced, s.Streak, s.Suppressed, s.Floor = false, false, 0, "", nil
		limit := urgencyPointer(39)
		if s.Cap != nil {
			limit = s.Cap
		}
		s.Cap = limit
		if rapid.Bool().Draw(t, "repeats") {
			s.Confirms, s.Basis = about, []sessionevents.Ground{{Kind: sessionevents.GroundFact, What: "f"}, {Kind: sessionevents.GroundModel, What: "m"}}
		} else {
			s.Class = rapid.SampledFrom([]sessionevents.Class{"A", "C", "D", "E"}).Draw(t, "class")
			s.Detector, s.Confidence, s.Basis = string(s.Class)+"M", 0.7, []sessionevents.Ground{{Kind: sessionevents.GroundModel, What: "m"}}
		}
		h.add(sessionevents.TypeSignalDetected, session, s)
		seen[session] = append(seen[session], s.ID)
	}
	h.add(sessionevents.TypeOpinionRecorded, session, o)
	switch rapid.IntRange(0, 5).Draw(t, "again") {
	case 0:
		h.add(sessionevents.TypeOpinionRecorded, session, o)
	case 1:
		contrary := *o
		contrary.Verdict, contrary.WorthSaying = sessionevents.OpinionRefuted, sessionevents.WorthNo
		if o.Verdict == sessionevents.OpinionRefuted {
			contrary.Verdict, contrary.WorthSaying = sessionevents.OpinionConfirmed, sessionevents.WorthYes
		}
		h.add(sessionevents.TypeOpinionRecorded, session, &contrary)
	}
}

func (h *history) drawMute(t *rapid.T, session string) {
	details, err := json.Marshal(runevents.MuteDetails{
		Scope: runevents.MuteDetector, Detector: rapid.SampledFrom([]string{"A1", "B1", "C4"}).Draw(t, "muted"), Turns: rapid.IntRange(0, 3).Draw(t, "turns"),
	})
	require.NoError(t, err)
	if rapid.Bool().Draw(t, "group") {
		session = "" // the whole group
	}
	h.add(runevents.TypeOperatorAct, cmp.Or(session, "s1"), &runevents.OperatorAct{Act: rapid.SampledFrom([]runevents.Act{runevents.ActMute, runevents.ActMute, runevents.ActUnmute}).Draw(t, "act"), Session: session, By: "ann", Details: details})
}

func (h *history) drawTurn(t *rapid.T, session string, turn int, seen map[string][]string) {
	marker := &sessionevents.TurnEvaluated{Session: session, Turn: turn}
	marker.Pause.Natural = rapid.Bool().Draw(t, "pause")
	marker.Pause.Boundary = !marker.Pause.Natural && rapid.Bool().Draw(t, "boundary")
	if rapid.IntRange(0, 9).Draw(t, "failed") == 0 {
		marker.Failed = "drawn"
	}
	for _, id := range seen[session] {
		if outcome := rapid.SampledFrom([]sessionevents.Outcome{"", "", "open", "committed", "corrected"}).Draw(t, "outcome"); outcome != "" {
			marker.Pending = append(marker.Pending, sessionevents.PendingOutcome{ID: id, Outcome: outcome})
		}
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "signals") {
		s := drawSignal(t, session, turn, i)
		h.add(sessionevents.TypeSignalDetected, session, s)
		marker.Signals = append(marker.Signals, s.ID)
		seen[session] = append(seen[session], s.ID)
	}
	h.add(sessionevents.TypeTurnEvaluated, session, marker)
}

func drawSignal(t *rapid.T, session string, turn, i int) *sessionevents.Signal {
	detector := rapid.SampledFrom([]string{"A1", "A2", "B1", "B2", "B3", "C1", "C4", "D1", "D2"}).Draw(t, "detector")
	s := &sessionevents.Signal{
		Session: session, Turn: turn, Layer: sessionevents.LayerSession, Detector: detector, Class: sessionevents.Class(detector[:1]),
		Subject:    rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "subject"),
		Confidence: float64(rapid.IntRange(0, 100).Draw(t, "confidence")) / 100,
		ReworkCost: rapid.IntRange(1, 5).Draw(t, "cost"), SelfCorrect: float64(rapid.IntRange(0, 10).Draw(t, "p")) / 10,
		Final: rapid.Bool().Draw(t, "final"), Forced: detector == "D2" && rapid.Bool().Draw(t, "forced"), Streak: rapid.IntRange(0, 8).Draw(t, "streak"),
		Message: "Do this.", Reason: "Because.",
	}
	s.ID = events.SignalID(session, turn, detector, s.Subject, fmt.Sprint(i))
	switch rapid.IntRange(0, 9).Draw(t, "limit") {
	case 0:
		s.Suppressed = "drawn"
	case 1:
		s.Cap = urgencyPointer(19)
	case 2:
		s.Cap = urgencyPointer(39)
	case 3, 4:
		s.Floor = urgencyPointer(40)
	case 5:
		s.Floor = urgencyPointer(20)
	}
	return s
}

func urgencyPointer(u sessionevents.Urgency) *sessionevents.Urgency { return &u }

// play folds a history; restartAt is the input before which the state goes
// through a snapshot, −1 for never, −2 before every one.
func play(t require.TestingT, h *history, restartAt int) (*State, []events.Event) {
	m := NewMachine(h.config)
	state := m.New("g")
	var all []events.Event
	for i, ev := range h.inputs {
		if i == h.changeAt {
			m = NewMachine(h.later)
		}
		if i == restartAt || restartAt == -2 {
			data, err := m.Encode(state)
			require.NoError(t, err)
			state, err = m.Decode(data)
			require.NoError(t, err)
		}
		out := step.NewEmitter(StageName, step.Identity{}, ev)
		var err error
		state, err = m.Step(state, step.Input{Event: ev}, out)
		require.NoError(t, err)
		all = append(all, out.Events()...)
	}
	return state, all
}

// A replay gives the same bytes, from any snapshot (EV-2).
func TestSameHistorySameDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		state, want := play(t, h, -1)
		again, got := play(t, h, -2)
		require.Equal(t, asJSON(t, want), asJSON(t, got))
		require.Equal(t, asJSON(t, state), asJSON(t, again))
		_, got = play(t, h, rapid.IntRange(0, len(h.inputs)-1).Draw(t, "restart"))
		require.Equal(t, asJSON(t, want), asJSON(t, got))
	})
}

func asJSON(t require.TestingT, v any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// Decide leaves the session as it is, and its decisions say all that changed.
func TestDecideIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		session := &Session{ID: "s1", Budget: h.config.Budget}
		for _, ev := range h.inputs {
			if ev.Subject != "s1" {
				continue
			}
			before := asJSON(t, session)
			decisions := Decide(h.config, session, ev)
			require.Equal(t, before, asJSON(t, session))
			require.Equal(t, len(decisions), len(Decide(h.config, session, ev)))
			for _, d := range decisions {
				session = Evolve(session, d)
			}
		}
	})
}

// At every moment the audit's account balances (DP-18).
func TestAccountBalancesAtEveryMoment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		m := NewMachine(h.config)
		state := m.New("g")
		checks := audit.NewDispositions()
		for i, ev := range h.inputs {
			if i == h.changeAt {
				m = NewMachine(h.later)
			}
			out := step.NewEmitter(StageName, step.Identity{}, ev)
			var err error
			state, err = m.Step(state, step.Input{Event: ev}, out)
			require.NoError(t, err)
			for _, decided := range out.Events() {
				checks.Apply(decided)
			}
			account := checks.Result()
			require.Nil(t, account.First)
			waiting := 0
			for _, s := range state.Sessions {
				waiting += len(s.Collected) + len(s.Pending) + len(s.Watched) + len(s.Queue)
			}
			require.Equal(t, waiting, account.Waiting)
		}
	})
}

// After the sessions are closed every signal has exactly one end (DP-18).
func TestEverySignalEndsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		for _, s := range []string{"s1", "s2"} {
			h.add(sessionevents.TypeSessionClosed, s, &sessionevents.SessionClosed{Session: s})
		}
		state, decided := play(t, h, -1)
		checks := audit.NewDispositions()
		for _, ev := range decided {
			checks.Apply(ev)
		}
		account := checks.Result()
		require.Nil(t, account.First)
		require.True(t, account.Balanced(), account)
		require.Zero(t, account.Waiting+account.Unknown)
		ends := map[string]int{}
		detected := map[string]bool{}
		for _, ev := range decided {
			switch d := ev.Data.(type) {
			case *sessionevents.Signal:
				detected[d.ID] = true
			case *sessionevents.Disposition:
				require.NotEmpty(t, d.Code, "every no has a reason that can be counted")
				require.NotEmpty(t, d.Reason)
				ends[d.Signal]++
			case *sessionevents.InterruptFired:
				for _, id := range d.Signals {
					ends[id]++
				}
			}
		}
		for id := range detected {
			require.Equal(t, 1, ends[id], "signal %s", id)
		}
		require.Len(t, ends, len(detected))
		for _, s := range state.Sessions {
			require.Empty(t, s.Collected)
			require.Empty(t, s.Pending)
			require.Empty(t, s.Watched)
			require.Empty(t, s.Queue)
		}
	})
}
