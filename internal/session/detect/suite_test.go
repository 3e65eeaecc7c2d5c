package detect_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestSignalsComeInClassAndDetectorOrder(t *testing.T) {
	s := suite(t, "", always("D1", finding("d", 0)), always("A2", finding("x", 0)), always("B1", finding("b", 0)), always("A1", finding("a", 0)))
	r := s.Evaluate(turn(9), s.NewMemory())
	require.Equal(t, "A1:a A2:x B1:b D1:d", ids(r.Signals))
}

// DP-2: formula, floor, cap; the cap wins.
func TestPublishedUrgency(t *testing.T) {
	cases := []struct {
		cost       int
		p          float64
		floor, cap sessionevents.Urgency
		want       string
	}{
		{5, 0.5, 0, 0, "2.5"},
		{3, 0.2, 0, 0, "2.4"},
		{1, 0.5, 20, 0, "2.0"},
		{5, 0.1, 0, detect.LogOnly, "1.9"},
		{1, 0.5, 20, detect.LogOnly, "1.9"},
		{5, 0.2, 20, 0, "4.0"},
		{1, 0.5, 0, 0, "0.5"},
	}
	for _, c := range cases {
		f := detect.Finding{ReworkCost: c.cost, SelfCorrect: c.p, Floor: c.floor, Cap: c.cap}
		require.Equal(t, c.want, detect.Published(&f).String(), "%+v", c)
	}
}

func TestFiguresAreBroughtIntoRange(t *testing.T) {
	f := finding("x", 0)
	f.Confidence, f.SelfCorrect, f.ReworkCost = math.NaN(), -3, 9
	f.Message = strings.Repeat("word ", 41)
	s := suite(t, "", always("A1", f))
	r := s.Evaluate(turn(1), s.NewMemory())
	require.Equal(t, []string{"A1"}, r.Shortened, "tests see an over-long message")
	got := r.Signals[0]
	require.Zero(t, got.Confidence)
	require.Zero(t, got.SelfCorrect)
	require.Equal(t, 5, got.ReworkCost)
	require.Len(t, strings.Fields(got.Message), 40)
}

// SW-5 and SW-4.
func TestConfidenceOfThinkingAndProposals(t *testing.T) {
	require.InDelta(t, 0.54, detect.Lexical(0.9, true), 1e-9)
	require.InDelta(t, 0.9, detect.Lexical(0.9, false), 1e-9)
	f := finding("x", 0)
	f.Confidence, f.Escalate = 0.95, true
	f.Evidence[0].Kind = sessionevents.SegmentDiff
	for _, proposed := range []bool{true, false} {
		s := suite(t, "", always("B1", f), always("A1", f))
		r := s.Evaluate(turn(1, sessionevents.Segment{Kind: sessionevents.SegmentDiff, Diff: &sessionevents.Diff{}, Proposed: proposed}), s.NewMemory())
		require.Equal(t, 0.95, r.Signals[0].Confidence, "class A is not capped")
		require.Equal(t, !proposed, r.Signals[1].Escalate)
		require.Equal(t, map[bool]float64{true: 0.80, false: 0.95}[proposed], r.Signals[1].Confidence)
	}
}

// SW-41: classes C and D are silent in turns 1–3, A and B are not.
func TestPriming(t *testing.T) {
	s := suite(t, "", always("A1", finding("a", 0)), always("B1", finding("b", 0)), always("C1", finding("c", 0)), always("D2", finding("d", 0)))
	for n := 1; n <= 5; n++ {
		for _, got := range s.Evaluate(turn(n), s.NewMemory()).Signals {
			late := got.Class == sessionevents.ClassC || got.Class == sessionevents.ClassD
			require.Equal(t, late && n <= 3, got.Suppressed == detect.Priming, "turn %d %s", n, got.Detector)
		}
	}
}

// IN-1: what rests on something that a session did not do is logged where calls of it could
// not be read; what an edit shows is said.
func TestUnreadCalls(t *testing.T) {
	s := suite(t, "", always("A1", finding("a", 0)), always("C1", finding("c", 0)), always("E5", finding("e", 0)))
	for _, unread := range []int{0, 2} {
		p := turn(5)
		p.Ledger = &ledger.Turn{After: &ledger.Ledger{Unread: ledger.Place{Turn: unread}}}
		for _, got := range s.Evaluate(p, s.NewMemory()).Signals {
			require.Equal(t, unread > 0 && got.Detector != "A1", got.Suppressed == detect.Unread, got.Detector)
		}
	}
}

// DP-25: off does not run, observe is recorded as suppressed.
func TestModes(t *testing.T) {
	s := suite(t, "detectors: {A1: {mode: off}, A2: {mode: observe}}", always("A1", finding("a", 0)), always("A2", finding("b", 0)))
	r := s.Evaluate(turn(5), s.NewMemory())
	require.Equal(t, "A2:b", ids(r.Signals))
	require.Equal(t, detect.ObserveMode, r.Signals[0].Suppressed)
}

func TestTheSameSubjectTwiceIsOneSignal(t *testing.T) {
	weak, strong, other := finding("key", 1), finding("key", 2), finding("token", 3)
	strong.ReworkCost = 5
	mock := finding("key", 4)
	mock.Suppressed = "test file"
	s := suite(t, "", always("A2", weak, strong, other, mock))
	r := s.Evaluate(turn(5), s.NewMemory())
	require.Equal(t, "A2:key A2:token A2:key", ids(r.Signals))
	require.Equal(t, 5, r.Signals[0].ReworkCost, "the stronger one's figures")
	require.Len(t, r.Signals[0].Evidence, 2)
	require.Equal(t, 1, r.Signals[0].Evidence[0].Offset, "the first one's place, which the id is made of")
	require.Equal(t, "test file", r.Signals[2].Suppressed)
}

// SW-41a.
func TestOneThingIsOneSignal(t *testing.T) {
	list := []*detect.Detector{always("C2", finding("Login", 3)), always("A3", finding("login", 2)), always("A1", finding("login", 1)), always("A2", finding("login", 1))}
	s := suite(t, "", list...)
	r := s.Evaluate(turn(5), s.NewMemory())
	require.Equal(t, "A1:login A2:login", ids(r.Signals))
	require.Len(t, r.Signals[0].Evidence, 3)
	s = suite(t, "detectors: {A1: {mode: observe}}", list...)
	r = s.Evaluate(turn(5), s.NewMemory())
	require.Equal(t, "A1:login A2:login A3:login", ids(r.Signals), "an observed detector silences none")
}

// SW-41a: the first keeps its name, the whole its urgency; what a person asked
// for stays suppressed.
func TestOneThingKeepsItsUrgency(t *testing.T) {
	logged, queued := finding("login", 1), finding("Login", 2)
	logged.Cap, logged.Confidence = detect.LogOnly, 0.4
	queued.Floor = 27
	for _, other := range []string{"A3", "C2"} {
		s := suite(t, "", always("A1", logged), always(other, queued))
		r := s.Evaluate(turn(5), s.NewMemory())
		require.Equal(t, "A1:login", ids(r.Signals))
		one := r.Signals[0]
		require.Equal(t, sessionevents.Urgency(27), one.Urgency)
		require.Equal(t, sessionevents.Urgency(27), *one.Cap, "no more than the other was worth")
		require.Equal(t, 0.9, one.Confidence)
		require.Contains(t, one.Reason, other+" sees it as well, at 2.7")
	}
	late := suite(t, "", always("A1", logged), always("C2", queued))
	require.Equal(t, sessionevents.Urgency(15), late.Evaluate(turn(2), late.NewMemory()).Signals[0].Urgency, "a primed C2 lends nothing")
	asked := logged
	asked.Suppressed = detect.UserDirected
	s := suite(t, "", always("A1", asked), always("C2", queued))
	r := s.Evaluate(turn(5), s.NewMemory())
	require.Equal(t, "A1:login", ids(r.Signals))
	require.Equal(t, detect.UserDirected, r.Signals[0].Suppressed)
}

// SW-44: judged from the turn after detection until corrected or too old.
func TestOpenSignalsAreJudged(t *testing.T) {
	d := detector("A1", fake{
		run: func(p *detect.Pass) []detect.Finding {
			if p.Turn.Turn > 2 {
				return nil
			}
			return []detect.Finding{finding(fmt.Sprint("thing", p.Turn.Turn), 0)}
		},
		judge: func(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
			switch {
			case s.Subject == "thing1" && p.Turn.Turn == 4:
				return sessionevents.OutcomeCorrected, "reused"
			case p.Turn.Turn == 3:
				return sessionevents.OutcomeCommitted, "built on"
			}
			return "", ""
		},
	})
	s := suite(t, "", d)
	m := s.NewMemory()
	var got []string
	for n := 1; n <= 40; n++ {
		for _, p := range s.Evaluate(turn(n), m).Pending {
			got = append(got, fmt.Sprintf("%d %s %s", n, p.Outcome, p.Why))
		}
	}
	require.Equal(t, []string{"2 open ", "3 committed built on", "3 committed built on", "4 corrected reused", "4 open "}, got[:5])
	require.Equal(t, "27 open ", got[len(got)-1], "a signal of turn 2 leaves after 25 turns")
	require.Empty(t, m.Open())
}

func TestOpenSignalsAreBounded(t *testing.T) {
	s := suite(t, "", detector("A1", fake{run: func(p *detect.Pass) []detect.Finding {
		return []detect.Finding{finding("a"+fmt.Sprint(p.Turn.Turn), 0), finding("b", 0), finding("c", 0), finding("d", 0)}
	}}))
	m := s.NewMemory()
	for n := 1; n <= 20; n++ {
		s.Evaluate(turn(n), m)
	}
	require.Len(t, m.Open(), 64)
	require.Equal(t, 16, m.Dropped)
	require.Equal(t, 5, m.Open()[0].Turn, "the oldest left")
}

func TestNewSuiteRefuses(t *testing.T) {
	set := suiteRules(t)
	_, err := detect.NewSuite([]*detect.Detector{always("A1"), always("A1")}, set)
	require.ErrorContains(t, err, "listed twice")
	_, err = detect.NewSuite([]*detect.Detector{{ID: "A1"}}, set)
	require.Error(t, err)
}

// Two evaluations of one conversation, one of them through snapshots at every
// turn, give the same bytes; ids are unique in a turn; priming holds (EV-2, SW-41).
func TestProperties(t *testing.T) {
	set := rules.Default()
	rapid.Check(t, func(r *rapid.T) {
		plan := map[int][]detect.Finding{}
		turns := rapid.IntRange(1, 8).Draw(r, "turns")
		for n := 1; n <= turns; n++ {
			for range rapid.IntRange(0, 4).Draw(r, "findings") {
				f := finding(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "subject"), rapid.IntRange(0, 2).Draw(r, "offset"))
				f.Suppressed = rapid.SampledFrom([]string{"", "", "test file"}).Draw(r, "suppressed")
				f.ReworkCost = rapid.IntRange(-1, 7).Draw(r, "cost")
				if rapid.Bool().Draw(r, "nowhere") {
					f.Evidence = nil
				}
				plan[n] = append(plan[n], f)
			}
		}
		run := func(p *detect.Pass) []detect.Finding { return plan[p.Turn.Turn] }
		s, err := detect.NewSuite([]*detect.Detector{detector("A1", fake{run: run}), detector("C2", fake{run: run}), detector("D1", fake{run: run})}, set)
		require.NoError(r, err)
		direct, stored := s.NewMemory(), s.NewMemory()
		for n := 1; n <= turns; n++ {
			one := s.Evaluate(turn(n), direct)
			two := s.Evaluate(turn(n), stored)
			require.Equal(r, asJSON(r, one), asJSON(r, two))
			data, err := s.EncodeMemory(stored)
			require.NoError(r, err)
			stored, err = s.DecodeMemory(data)
			require.NoError(r, err)
			seen := map[string]bool{}
			for _, signal := range one.Signals {
				require.False(r, seen[signal.ID], "id twice in turn %d", n)
				seen[signal.ID] = true
				require.True(r, signal.ReworkCost >= 1 && signal.ReworkCost <= 5)
				require.False(r, n <= 3 && signal.Class != sessionevents.ClassA && signal.Suppressed == "")
			}
		}
	})
}

func asJSON(t require.TestingT, v any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// Only shares the detectors it keeps; the whole suite stays.
func TestOnly(t *testing.T) {
	s := suite(t, "", always("A1", finding("a", 0)), always("B1", finding("b", 0)), always("C1", finding("c", 0)))
	some := s.Only("C1", "B1", "Z9")
	require.Equal(t, "B1:b C1:c", ids(some.Evaluate(turn(5), some.NewMemory()).Signals))
	require.Equal(t, "A1:a B1:b C1:c", ids(s.Evaluate(turn(5), s.NewMemory()).Signals))
	require.Empty(t, s.Only().Evaluate(turn(5), s.NewMemory()).Signals)
}
