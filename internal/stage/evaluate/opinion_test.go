package evaluate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// unsure finds one thing per PLAN segment, which rests on a reading that is not sure enough.
type unsure struct{ echo }

func (u unsure) Run(p *detect.Pass) []detect.Finding {
	all := u.echo.Run(p)
	for i := range all {
		all[i].Floor = 30
		all[i].Basis = []sessionevents.Ground{{Kind: sessionevents.GroundFact, What: "the edit"}, {Kind: sessionevents.GroundReading, What: "excuse"}}
	}
	return all
}

func unsureMachine(t *testing.T) *Machine {
	d := echoDetector()
	d.New = func(*rules.Set) (detect.Instance, error) { return unsure{}, nil }
	m, err := New(Options{Detectors: []*detect.Detector{d}, Rules: rules.Checked(nil)})
	require.NoError(t, err)
	return m
}

func opined(id string, o sessionevents.OpinionRecorded) step.Input {
	o.Session, o.Question, o.Model, o.PromptDigest = "s", "q", "model", "p"
	in := input("s", &o)
	in.Event.ID, in.Event.Type = id, sessionevents.TypeOpinionRecorded
	return in
}

func about(id string) sessionevents.OpinionRecorded {
	return sessionevents.OpinionRecorded{Kind: sessionevents.QuestionSignal, Signal: id, Turn: 1, Verdict: sessionevents.OpinionConfirmed, WorthSaying: sessionevents.WorthYes}
}

// AD-2: what JD-2 kept in the log is emitted again, once, when it is confirmed before its grace turn ends.
func TestAConfirmedReadingIsEmittedAgain(t *testing.T) {
	m := unsureMachine(t)
	state := m.New("s")
	state, out := fold(t, m, state, input("s", segmented("s", 1, plan("one"))))
	first := out[0].Data.(*sessionevents.Signal)
	require.Equal(t, detect.Reading, first.Withheld)

	state, out = fold(t, m, state, opined("o1", about(first.ID)))
	require.Len(t, out, 2)
	again := out[0].Data.(*sessionevents.Signal)
	require.Equal(t, first.ID, again.Confirms)
	require.NotEqual(t, first.ID, again.ID)
	require.Equal(t, "3.0", again.Urgency.String(), "its own urgency")
	require.Equal(t, "3.9", again.Cap.String(), "an accusation needs facts only (JD-2)")
	require.Empty(t, again.Withheld)
	require.Len(t, again.Basis, 3)
	require.Equal(t, sessionevents.GroundModel, again.Basis[2].Kind)
	require.Contains(t, again.Reason, `a second opinion by model confirms it`)
	require.Equal(t, sessionevents.TypeOpinionRecorded, string(out[1].Type))

	_, out = fold(t, m, state, opined("o2", about(first.ID)))
	require.Len(t, out, 1, "once")
}

func TestOpinionsThatConfirmNothing(t *testing.T) { // AD-2, AD-4
	m := unsureMachine(t)
	turn := func(state *State, n int, text string) (*State, *sessionevents.Signal) {
		state, out := fold(t, m, state, input("s", segmented("s", n, plan(text))))
		return state, out[0].Data.(*sessionevents.Signal)
	}
	state, first := turn(m.New("s"), 1, "one")
	for name, change := range map[string]func(*sessionevents.OpinionRecorded){
		"void": func(o *sessionevents.OpinionRecorded) { o.Void = "a quote does not occur in the question" }, "unsure": func(o *sessionevents.OpinionRecorded) { o.Verdict = sessionevents.OpinionUnsure },
		"refuted": func(o *sessionevents.OpinionRecorded) { o.Verdict = sessionevents.OpinionRefuted }, "not worth saying": func(o *sessionevents.OpinionRecorded) { o.WorthSaying = sessionevents.WorthNo },
		"no word on its worth": func(o *sessionevents.OpinionRecorded) { o.WorthSaying = "" }, "another signal": func(o *sessionevents.OpinionRecorded) { o.Signal = "x" },
		"another question": func(o *sessionevents.OpinionRecorded) { o.Kind = sessionevents.QuestionDigest },
	} {
		o := about(first.ID)
		change(&o)
		_, out := fold(t, m, state, opined("o "+name, o))
		require.Len(t, out, 1, name)
	}
	state, _ = turn(state, 2, "two")
	_, out := fold(t, m, state, opined("late", about(first.ID)))
	require.Len(t, out, 1, "late: its grace turn is over (AD-4)")

	_, out = fold(t, m, m.New("s"), opined("unknown", about(first.ID)))
	require.Len(t, out, 1, "a session nobody knows")
}

// AD-3: findings become signals with the basis model; the same finding counts once; a session has so many.
func TestFindingsBecomeSignals(t *testing.T) {
	m := machine(t, "advisor: {findings: {per_session: 4}}\n")
	state, _ := fold(t, m, m.New("s"), input("s", segmented("s", 1, plan("one"))))
	found := func(id string, list ...sessionevents.OpinionFinding) (out []events.Event) {
		state, out = fold(t, m, state, opined(id, sessionevents.OpinionRecorded{Kind: sessionevents.QuestionDigest, Turn: 1, Findings: list}))
		return out[:len(out)-1]
	}
	finding := func(class sessionevents.Class, subject string) sessionevents.OpinionFinding {
		return sessionevents.OpinionFinding{Class: class, Subject: subject, Turn: 1, Quote: "everything is covered by tests", Say: "You say that everything is covered by tests, and nothing ran."}
	}
	out := found("o1", finding("E", "tests"), finding("B", "eval"), finding("A", "layer"))
	require.Len(t, out, 2, "class B is not a model's to report")
	s := out[0].Data.(*sessionevents.Signal)
	require.Equal(t, "EM", s.Detector)
	require.True(t, s.ByModel())
	require.Equal(t, "2.0", s.Urgency.String(), "the bottom of the queue")
	require.Equal(t, "You say that everything is covered by tests, and nothing ran. Show it, or correct what you said.", s.Message)
	require.Empty(t, found("o2", finding("E", "tests")), "known")
	require.Len(t, found("o3", finding("C", "a"), finding("D", "b"), finding("E", "c"), finding("A", "d")), 2, "four a session")
	future := finding("E", "later")
	future.Turn = 9
	require.Empty(t, found("o4", future), "of a turn that was not yet")

	data, err := m.Encode(state)
	require.NoError(t, err)
	state, err = m.Decode(data)
	require.NoError(t, err)
	require.Empty(t, found("o5", finding("E", "more")), "a snapshot keeps the count")
}
