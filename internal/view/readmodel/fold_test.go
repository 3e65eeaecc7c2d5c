package readmodel_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func modelOf(t *testing.T, w *writer) *readmodel.Model {
	t.Helper()
	m := open(t, readmodel.Options{})
	fill(t, m, w.records, 3)
	return m
}

func report(t *testing.T, m *readmodel.Model, since, until string) fleetreport.Model {
	t.Helper()
	f, err := m.Fleet(t.Context(), fleetreport.Period{From: since, To: until}, nil)
	require.NoError(t, err)
	return f
}

// DP-15, DP-21: an interrupt has one outcome in the report, a dismissed one
// counts in the dismiss rate alone; in the totals each state counts once.
func TestVerdicts(t *testing.T) {
	w := newWriter()
	w.opened("s", "codex")
	for i, id := range []string{"heeded", "ignored", "wrong", "untold"} {
		w.turn("s", i+1)
		w.signal("s", "g-"+id, "B1", i+1)
		w.fired("s", "i-"+id, "B1", i+1, "g-"+id)
	}
	w.said("s", "i-heeded", sessionevents.DeliveryEmitted, "hook")
	w.said("s", "i-heeded", sessionevents.DeliveryEmitted, "hook") // again: the same fact
	w.said("s", "i-heeded", sessionevents.DeliveryEmitted, "another")
	w.said("s", "i-heeded", sessionevents.DeliveryHeeded, "scaffoldwatch")
	w.said("s", "i-ignored", sessionevents.DeliveryDelivered, "hook")
	w.said("s", "i-ignored", sessionevents.DeliveryIgnored, "scaffoldwatch")
	w.said("s", "i-untold", sessionevents.DeliveryHeeded, "scaffoldwatch")
	w.said("s", "i-wrong", sessionevents.DeliveryHeeded, "scaffoldwatch")
	w.act("s", runevents.OperatorAct{Act: "dismiss", Session: "s", Target: "i-wrong", By: "ann", Why: "a sample"})
	w.act("s", runevents.OperatorAct{Act: "ack", Session: "s", Target: "i-ignored", By: "ann"})
	w.act("s", runevents.OperatorAct{Act: "dismiss", Session: "s", Target: "nobody's", By: "ann"})
	w.add(sessionevents.TypeInterruptDelivery, "s", &sessionevents.InterruptDelivery{Session: "s", Turn: 4, State: sessionevents.DeliveryExpired}) // by its turn
	m := modelOf(t, w)

	tally := report(t, m, "", "").Detectors[0]
	require.Equal(t, []int{4, 4, 2, 1, 1, 1, 1, 1, 2}, []int{
		tally.Interrupts, tally.Fired, tally.Heeded, tally.Ignored, tally.Dismissed, tally.Acked, tally.Emitted, tally.Delivered, tally.Untold,
	})
	require.InDelta(t, 2.0/3, *tally.HeedRate, 1e-9)
	require.InDelta(t, 0.25, *tally.DismissRate, 1e-9)
	totals, err := m.Totals(t.Context())
	require.NoError(t, err)
	require.Equal(t, []readmodel.Total{
		{"B1", "acked", 1},
		{"B1", "delivered", 1},
		{"B1", "dismissed", 1},
		{"B1", "emitted", 1},
		{"B1", "expired", 1},
		{"B1", "fired", 4},
		{"B1", "heeded", 3},
		{"B1", "ignored", 1},
	}, totals)
	s, ok, err := m.Session(t.Context(), "s")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []int{4, 2, 1, 1}, []int{s.Interrupts, s.Heeded, s.Ignored, s.Dismissed})

	open, err := m.UnansweredInterrupts(t.Context(), "", time.Now(), 10)
	require.NoError(t, err)
	require.Len(t, open, 2)
	require.Equal(t, "i-untold", open[0].ID)
	found, err := m.FindInterrupts(t.Context(), "i-w", 2)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.True(t, found[0].Dismissed)
	require.Equal(t, readmodel.Fact{State: "dismissed", By: "ann", Why: "a sample"}, found[0].Facts[1])
}

// RW-40: what a run says to its agents takes no budget and is none of a session's
// interrupts, whatever became of it.
func TestWhatARunSaysIsNoInterrupt(t *testing.T) {
	w := newWriter()
	w.opened("s", "codex")
	w.turn("s", 1)
	w.signal("s", "g", "B1", 1)
	w.fired("s", "i", "B1", 1, "g")
	before := modelOf(t, w)
	for _, layer := range []sessionevents.Layer{sessionevents.LayerWave, sessionevents.LayerPipeline} {
		id := "i-" + string(layer)
		w.add(sessionevents.TypeInterruptFired, "s", &sessionevents.InterruptFired{Session: "s", ID: id, Turn: 1, Layer: layer, Detector: "SAW-COMMIT-MAIN", Signals: []string{}})
		w.said("s", id, sessionevents.DeliveryEmitted, "hook")
	}
	w.add(runevents.TypeCorrectionIssued, "s", &runevents.CorrectionIssued{Issue: "maker/rogue", Step: 1, Action: "correct", Target: runevents.Recipient{Kind: "agent", Session: "s"}})
	after := modelOf(t, w)
	want, got := report(t, before, "", ""), report(t, after, "", "")
	require.Equal(t, 1, got.Detectors[0].Interrupts)
	require.Equal(t, want.Detectors, got.Detectors)
	require.Equal(t, want.Agents, got.Agents)
}

// Every signal ends once in the counts, on the day it was detected; the period
// is of whole days (DP-18, DP-31).
func TestDays(t *testing.T) {
	w := newWriter()
	w.turn("s", 1)
	w.signal("s", "one", "C1", 1)
	w.signal("s", "two", "C1", 1)
	w.skipDay()
	w.turn("s", 4) // 2 and 3 never came
	w.ended(sessionevents.TypeSignalLogged, "s", "one", "C1", 4)
	w.ended(sessionevents.TypeSignalUnsent, "s", "two", "C1", 4)
	w.ended(sessionevents.TypeSignalUnsent, "s", "two", "C1", 4)
	w.ended(sessionevents.TypeSignalExpired, "s", "unseen", "D2", 4)
	w.add(sessionevents.TypeTurnEvaluated, "s", &sessionevents.TurnEvaluated{Session: "s", Turn: 5, Failed: "too slow", Observed: &sessionevents.Observations{
		Agent: &sessionevents.Agent{Kind: "gemini"}, Unsupported: []string{"cobol", "cobol"}, NoBaseline: true, Continuity: &sessionevents.Continuity{OutOfOrder: true},
	}})
	w.add(sessionevents.TypeTurnEvaluated, "s", &sessionevents.TurnEvaluated{Session: "s", Turn: 5}) // the same again
	m := modelOf(t, w)

	all := report(t, m, "", "")
	require.Equal(t, fleetreport.Figures{Sessions: 1, Turns: 3, NotWatched: 3, Signals: 3}, all.Figures)
	require.Equal(t, []int{1, 1, 0}, []int{all.Detectors[0].Logged, all.Detectors[0].Unsent, all.Detectors[0].Open})
	require.Equal(t, fleetreport.Coverage{
		Received: 3, Evaluated: 2, Failed: 1, Skipped: 2, NotWatched: 3, OutOfOrder: 1, NoBaseline: 1,
		Unsupported: []fleetreport.Unsupported{{What: "cobol", Turns: 1}}, Gaps: []fleetreport.Gap{{Session: "s", NotWatched: 3, Turns: 2}},
	}, all.Coverage)
	require.Equal(t, "gemini", all.Agents[1].Kind)
	require.Equal(t, []int{1, 0}, []int{all.Agents[1].Sessions, all.Agents[0].Sessions}, "the session is its agent's once that is known")
	require.InDelta(t, 0.5, all.Usage.CostUSD, 1e-9)

	first := report(t, m, "", "2026-01-05")
	require.Equal(t, fleetreport.Figures{Sessions: 1, Turns: 1, Signals: 2}, first.Figures)
	require.Equal(t, 1, report(t, m, "2026-01-06", "").Figures.Signals)
	require.Empty(t, report(t, m, "2026-02-01", "").Days)
}

// What publishers fill with names and times of their own has a bound.
func TestHostileNamesAndTimes(t *testing.T) {
	w := newWriter()
	for i := range 300 {
		w.opened("s", string(rune('a'+i%26))+time.Duration(i).String())
	}
	for _, year := range []int{-5000, 1, 1969, 2300, 9999, 250_000} {
		w.at = time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)
		w.turn("s", year+6000)
	}
	m := modelOf(t, w)
	all := report(t, m, "", "")
	require.Equal(t, 6, all.Figures.Turns)
	require.Contains(t, all.Agents[0].Kind, "(other)")
	for _, d := range all.Days {
		_, err := time.Parse(time.DateOnly, d.Day)
		require.NoError(t, err)
	}
	for i := range 4000 { // more days than are kept
		w.at = time.Date(2030, 1, 1+i, 0, 0, 0, 0, time.UTC)
		w.turn("s", 300_000+i)
	}
	m = open(t, readmodel.Options{})
	fill(t, m, w.records, 500)
	require.Len(t, report(t, m, "", "").Days, 3700)
}

func TestMutesKept(t *testing.T) {
	w := newWriter()
	w.turn("s", 5)
	until := begin.Add(time.Hour)
	for _, details := range []map[string]any{
		{"scope": "detector", "detector": "C1", "turns": 3}, {"scope": "subject", "subject": "a.go", "until": until}, {"scope": "nonsense"},
	} {
		data, err := json.Marshal(details)
		require.NoError(t, err)
		w.act("s", runevents.OperatorAct{Act: "mute", Session: "s", By: "ann", Why: "noise", Details: data})
	}
	m := modelOf(t, w)
	mutes, err := m.Mutes(t.Context())
	require.NoError(t, err)
	require.Len(t, mutes, 2, "what the dispatcher cannot read mutes nothing")
	require.Equal(t, []int{5, 3, 5}, []int{mutes[0].FromTurn, mutes[0].Turns, mutes[0].LastTurn})
	require.False(t, mutes[0].Over(begin))
	mutes[0].LastTurn = 8
	require.True(t, mutes[0].Over(begin))
	require.False(t, mutes[1].Over(until.Add(-time.Second)))
	require.True(t, mutes[1].Over(until))

	data, err := json.Marshal(map[string]any{"scope": "subject", "subject": "a.go"})
	require.NoError(t, err)
	w.act("s", runevents.OperatorAct{Act: "unmute", Session: "other", By: "bob", Why: "enough", Details: data})
	before, err := modelOf(t, w).Mutes(t.Context())
	require.NoError(t, err)
	require.Equal(t, until.UTC(), before[1].Until.UTC(), "of another session")
	w.act("s", runevents.OperatorAct{Act: "unmute", Session: "s", By: "bob", Why: "enough", Details: data})
	after, err := modelOf(t, w).Mutes(t.Context())
	require.NoError(t, err)
	require.True(t, after[1].Until.Before(until))
	require.True(t, after[1].Over(until.Add(-time.Second)))
	require.Equal(t, before[0], after[0], "another object")
}

// A request that is given up leaves a model in memory as it is.
func TestCancelledReading(t *testing.T) {
	m := open(t, readmodel.Options{})
	fill(t, m, random(1, 5, 200), 50)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := m.Sessions(ctx, 0)
	require.Error(t, err)
	list, err := m.Sessions(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, list, 5)
}

func BenchmarkApply(b *testing.B) {
	records := random(1, 50, 5000)
	for b.Loop() {
		m := open(b, readmodel.Options{Path: b.TempDir() + "/m.db"})
		at, err := m.Position(b.Context())
		require.NoError(b, err)
		for rest := records; len(rest) > 0; rest = rest[500:] {
			at, err = m.Apply(b.Context(), at, rest[:500])
			require.NoError(b, err)
		}
	}
	b.ReportMetric(float64(len(records)*b.N)/b.Elapsed().Seconds(), "events/s")
}

// DP-33: a turn that was refused is one that nobody evaluated; what else was refused
// counts no turn.
func TestRefusedTurnsAreAGap(t *testing.T) {
	w := newWriter()
	w.turn("s", 1)
	for _, typ := range []string{sessionevents.TypeTurnRaw, sessionevents.TypeSessionOpened} {
		w.add(sessionevents.TypeInputRefused, "s", &sessionevents.InputRefused{Session: "s", EventType: typ, Code: "missing_field", Reason: "no id"})
	}
	c := report(t, modelOf(t, w), "", "").Coverage
	require.Equal(t, []int{2, 1, 1, 1}, []int{c.Received, c.Evaluated, c.Failed, c.NotWatched})
}

// A refused turn that is sent again, whenever, is the same one.
func TestARefusedTurnSentAgainCountsOnce(t *testing.T) {
	w := newWriter()
	w.turn("s", 1)
	refuse := func(session, id string) {
		w.add(sessionevents.TypeInputRefused, session, &sessionevents.InputRefused{Session: session, Event: id, EventType: sessionevents.TypeTurnRaw, Code: "missing_field", Reason: "no id"})
		w.records[len(w.records)-1].Event.ID = "refused-" + id
	}
	for range 3 {
		refuse("s", "a")
		refuse("s", "b")
		refuse("other", "a")
		w.turn("s", 2)
	}
	m := modelOf(t, w)
	c := report(t, m, "", "").Coverage
	require.Equal(t, 3, c.Failed)
	s, ok, err := m.Session(t.Context(), "other")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, 1, s.Turns)
}

// AD-5: what models were asked is counted by day and model, each answer once.
func TestOpinionsAreCounted(t *testing.T) {
	w := newWriter()
	w.turn("s", 1)
	say := func(o sessionevents.OpinionRecorded) {
		o.Session, o.Turn, o.Model, o.Question = "s", 1, "claude-x", "q"
		o.Tokens, o.Cost = sessionevents.OpinionTokens{In: 900, Out: 100}, sessionevents.MoneyOf(0.004)
		w.add(sessionevents.TypeOpinionRecorded, "s", &o)
	}
	signal := func(v sessionevents.OpinionVerdict, worth sessionevents.WorthSaying, void string) {
		say(sessionevents.OpinionRecorded{
			Kind: sessionevents.QuestionSignal, Signal: "x", Verdict: v, WorthSaying: worth, Void: void,
		})
	}
	signal(sessionevents.OpinionConfirmed, sessionevents.WorthYes, "")
	signal(sessionevents.OpinionConfirmed, sessionevents.WorthNo, "")
	signal(sessionevents.OpinionRefuted, sessionevents.WorthNo, "")
	signal(sessionevents.OpinionUnsure, "", "")
	signal(sessionevents.OpinionRefuted, "", "nothing is quoted")
	w.skipDay()
	say(sessionevents.OpinionRecorded{
		Kind: sessionevents.QuestionDigest, From: 1, Findings: make([]sessionevents.OpinionFinding, 2),
	})
	m := modelOf(t, w)
	require.Equal(t, []fleetreport.Opinions{{
		Model: "claude-x", Questions: 6, Confirmed: 1, Refuted: 1, NotWorth: 1, Unsure: 1, Void: 1, Findings: 2,
		Tokens: 6000, CostUSD: 0.024,
	}}, report(t, m, "", "").Opinions)
	require.Equal(t, 1, report(t, m, "2026-01-06", "").Opinions[0].Questions)
}
