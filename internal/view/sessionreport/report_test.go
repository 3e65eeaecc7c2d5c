package sessionreport

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestGolden renders each scenario in each form; `go test -run Golden -update`
// rewrites testdata, and every difference is to be explained in the commit.
func TestGolden(t *testing.T) {
	forms := map[string]func(io.Writer, Model) error{
		"md": RenderMarkdown, "json": RenderJSON,
		"txt":  func(w io.Writer, m Model) error { return RenderText(w, m, 72, nil) },
		"html": func(w io.Writer, m Model) error { return RenderHTML(w, m) },
	}
	for name, make := range map[string]func(testing.TB) *scenario{"busy": busy, "quiet": quiet, "gap": gap} {
		for form, render := range forms {
			t.Run(name+"."+form, func(t *testing.T) {
				var out bytes.Buffer
				require.NoError(t, render(&out, make(t).model()))
				path := filepath.Join("testdata", name+"."+form)
				if *update {
					require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
					return
				}
				want, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, string(want), out.String(), "run with -update and explain every change")
			})
		}
	}
}

// DP-31: the headings of the template, word for word and in order.
func TestTemplateHeadings(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, RenderMarkdown(&out, busy(t).model()))
	lines := strings.Split(out.String(), "\n")
	at := -1
	for _, heading := range []string{
		"## SCAFFOLD-WATCH SESSION REPORT", "**Session turns observed:** 6", "**Interrupts fired:** 2/3, and 1 from the queue",
		"**Interrupts queued (not sent):** 2", "**Signals logged (below threshold):** 2",
		"**Interrupts fired this session:**", "[Turn 1] CLASS-B | URGENCY: B1-ESCALATE — B1 found API\\_KEY; change it.",
		"[Turn 3] CLASS-A | URGENCY: 4.5 — A2 found database/sql; change it.",
		"**Queued signals (not fired):**", "URGENCY 4.0 — D1 found README.md; change it. — session closed (completed) in its grace turn",
		"**Pattern observations:**", "**Recommendations for next session:**", "**Codebase health delta:**",
	} {
		next := slices.Index(lines, heading)
		require.Greater(t, next, at, "%q in its place in\n%s", heading, out.String())
		at = next
	}
}

// DP-31: what expired in the queue is listed as never sent; a heading without content is left out.
func TestExpiredIsQueuedAndNotSent(t *testing.T) {
	f := New("s")
	f.Apply(events.Event{Type: sessionevents.TypeSignalExpired, Data: &sessionevents.Disposition{
		Session: "s", Signal: "x", Detector: "A1", Turn: 30, Urgency: 24, Reason: "25 turns in the queue",
	}})
	m := f.Result()
	require.Len(t, m.NotSent, 1)
	var out bytes.Buffer
	require.NoError(t, RenderMarkdown(&out, m))
	require.Contains(t, out.String(), "**Interrupts queued (not sent):** 1\n")
	require.Contains(t, out.String(), "**Queued signals (not fired):**")
	require.Contains(t, out.String(), "25 turns in the queue")
	require.Contains(t, out.String(), "**Interrupts fired this session:**\n\nNone.\n", "the headings of the source's template stay (DP-31)")
	for _, empty := range []string{"Delivery and heed", "Red flags"} {
		require.NotContains(t, out.String(), empty)
	}
}

// DP-18: the outcomes of the signals add up to their number.
func TestCountsSumUp(t *testing.T) {
	for _, make := range []func(testing.TB) *scenario{busy, quiet, gap} {
		m := make(t).model()
		c := m.Counts
		require.Equal(
			t, c.Detected, c.Fired+c.Logged+c.Suppressed+c.Corrected+c.Expired+c.Coalesced+c.Unsent+c.Queued+c.Pending,
		)
		sum := 0
		for _, d := range m.Detectors {
			sum += d.Detected
		}
		require.Equal(t, c.Detected, sum)
	}
}

// DP-32: a report can be asked for after every event, without changing the next one.
func TestLiveReports(t *testing.T) {
	s := busy(t)
	f := New("busy")
	for _, ev := range s.decisions {
		f.Apply(ev)
		var out bytes.Buffer
		require.NoError(t, RenderJSON(&out, f.Result()))
	}
	require.Equal(t, s.model(), f.Result())
	live := New("busy")
	for _, ev := range s.decisions[:len(s.decisions)-3] {
		live.Apply(ev)
	}
	require.False(t, live.Result().Session.Closed)
	require.Equal(t, 2, live.Result().Counts.Pending)
}

// DP-33: a gap replaces "no findings", which is said only without gaps.
func TestSilenceMeansSomething(t *testing.T) {
	for name, test := range map[string]struct {
		model     Model
		says, not string
	}{
		"watched": {quiet(t).model(), "No findings.", "not watched"},
		"gap":     {gap(t).model(), "not watched: 3 turns", "No findings."},
		"nothing": {New("s").Result(), "not watched: no turn was received", "No findings."},
	} {
		t.Run(name, func(t *testing.T) {
			var out, text bytes.Buffer
			require.NoError(t, RenderMarkdown(&out, test.model))
			require.Contains(t, out.String(), test.says)
			require.NotContains(t, out.String(), test.not)
			require.NoError(t, RenderText(&text, test.model, 0, nil))
			var shown bytes.Buffer
			require.NoError(t, RenderHTML(&shown, test.model))
			require.Contains(t, strings.ToLower(shown.String()), strings.ToLower(test.says))
			require.NotContains(t, strings.ToLower(shown.String()), "<p>"+strings.ToLower(test.not))
			if strings.HasPrefix(test.says, "not watched") {
				require.Contains(t, text.String(), test.says)
				require.Contains(t, Summary(test.model), test.says)
			}
		})
	}
}

func TestHealth(t *testing.T) {
	h := busy(t).model().Health
	// Open: A2 (ignored), A1 parseDate (unsent), D1 (unsent): 5 + 3 + 5. Removed: A1 formatDate: 3.
	// B1 was dismissed, D2 suppressed.
	require.Equal(t, 13, h.DebtAdded)
	require.Equal(t, -13, h.Delta)
	require.Equal(t, 3, h.DebtRemoved)
	require.Equal(t, 1, h.Duplication)
	require.Equal(t, VerdictDegraded, h.Verdict)
	require.Equal(t, 2, h.TestsAdded)
	require.Equal(t, []Debt{
		{Detector: "A2", Subject: "database/sql", Path: "src/A2.go", Signal: h.Open[0].Signal, Points: 5},
		{Detector: "D1", Subject: "README.md", Path: "src/D1.go", Signal: h.Open[1].Signal, Points: 5},
		{Detector: "A1", Subject: "parseDate", Path: "src/A1.go", Signal: h.Open[2].Signal, Points: 3, Duplicate: true},
	}, h.Open, "the dearest first")
	require.Equal(t, "formatDate", h.Removed[0].Subject)
	require.Contains(
		t, h.Explanation[0], "weighted by rework cost: A2 database/sql (5), D1 README.md (5), A1 parseDate (3).",
	)
	require.Equal(t, VerdictImproved, quiet(t).model().Health.Verdict)
	require.Equal(t, VerdictUnchanged, gap(t).model().Health.Verdict)
	require.Equal(t, VerdictUnknown, New("s").Result().Health.Verdict)
}

// A finding limited to LOG by a validator is no debt; a heeded one counts as removed.
func TestHealthOfHeededAndCapped(t *testing.T) {
	s := newScenario(t, "s")
	logOnly := sessionevents.Urgency(19)
	s.signal("A1", "capped", 3, 0.2, func(g *sessionevents.Signal) { g.Cap = &logOnly })
	key := s.signal("B1", "KEY", 2, 0.1, func(g *sessionevents.Signal) { g.Confidence = 0.95 })
	s.close(false, nil, nil)
	s.feed(
		sessionevents.TypeInterruptDelivery,
		&sessionevents.InterruptDelivery{
			Interrupt: s.fired()[0], State: sessionevents.DeliveryDelivered, Channel: "hook", By: "harness",
		},
	)
	s.close(false, nil, map[string]sessionevents.Outcome{key: sessionevents.OutcomeCorrected}, key)
	m := s.model()
	require.Zero(t, m.Health.DebtAdded)
	require.Equal(t, 2, m.Health.DebtRemoved)
	require.Equal(t, "heeded", m.Interrupts[0].Heed)
	rate, ok := m.Detectors[1].HeedRate()
	require.True(t, ok)
	require.InDelta(t, 1, rate, 0)
}

// DP-31: work on tests is an improvement unless more test cases were removed than added.
func TestHealthOfTests(t *testing.T) {
	for want, observed := range map[string]*sessionevents.Observations{
		VerdictImproved:  {TestsAdded: 1, TestsEdited: 1},
		VerdictUnchanged: {TestsAdded: -1, TestsEdited: 1},
	} {
		s := newScenario(t, "s")
		s.close(false, observed, nil)
		require.Equal(t, want, s.model().Health.Verdict)
	}
	s := newScenario(t, "s")
	s.close(false, &sessionevents.Observations{TestsAdded: -2, TestsEdited: 1}, nil)
	require.Contains(t, s.model().Health.Explanation[2], "2 test cases removed")
}

// DP-31, DP-33: the turns one by one, including those that never arrived, each with the remaining budget.
func TestTurnByTurn(t *testing.T) {
	m := busy(t).model()
	budgets, signals := []int{}, 0
	for i, turn := range m.TurnByTurn {
		require.Equal(t, i+1, turn.Number)
		budgets = append(budgets, turn.Budget)
		signals += len(turn.Signals)
	}
	require.Equal(t, []int{2, 2, 1, 1, 2, 2}, budgets, "B1, A2, then B1 dismissed")
	require.Equal(t, m.Counts.Detected, signals)
	require.Equal(t, "the turn exceeded its time", m.TurnByTurn[3].Failed)
	require.Equal(t, []string{"RF14"}, m.TurnByTurn[0].RedFlags)
	missing := gap(t).model().TurnByTurn
	require.Len(t, missing, 5)
	require.True(t, missing[2].Missing && missing[3].Missing && !missing[4].Missing)
}

func TestTurnsAreBounded(t *testing.T) {
	settings := defaultSettings()
	settings.Limits.Turns = 3
	f := New("s", settings)
	s := newScenario(t, "s")
	for range 5 {
		s.close(false, nil, nil)
	}
	s.turn = 1_000_000
	s.close(false, nil, nil)
	for _, ev := range s.decisions {
		f.Apply(ev)
	}
	require.Len(t, f.Result().TurnByTurn, 3)
	require.Equal(t, 3, f.Result().TurnsCut)
	f = New("s", settings)
	f.Apply(s.decisions[len(s.decisions)-1])
	require.LessOrEqual(t, len(f.Result().TurnByTurn), 4, "a gap fills no more rows than are kept")
}

// DP-18: every finding is in exactly one list of the report.
func TestEveryFindingIsListedOnce(t *testing.T) {
	s, settings := busy(t), defaultSettings()
	for cut := range s.decisions {
		f := New("busy", settings)
		for _, ev := range s.decisions[:cut+1] {
			f.Apply(ev)
		}
		m := f.Result()
		all := 0
		for _, list := range [][]Finding{
			m.NotSent, m.Logged, m.Suppressed, m.Corrected, m.Expired, m.Pending, m.Said, m.Coalesced,
		} {
			all += len(list)
		}
		require.Equal(t, m.Counts.Detected, all)
	}
}

// DP-15, DP-22: the remaining budget follows charges and refunds.
func TestBudgetLeft(t *testing.T) {
	m := busy(t).model()
	require.Equal(t, 3, m.Budget)
	require.Equal(t, 2, m.BudgetLeft, "two fires, one of them dismissed, and one delivery from the queue")
	require.True(t, m.Interrupts[0].Dismissed)
	require.Equal(t, "ignored", m.Interrupts[1].Heed)
}

func TestSetKeepsSessionsApart(t *testing.T) {
	set := NewSet()
	a, b := busy(t), quiet(t)
	for i := range max(len(a.decisions), len(b.decisions)) {
		if i < len(a.decisions) {
			set.Apply(a.decisions[i])
		}
		if i < len(b.decisions) {
			set.Apply(b.decisions[i])
		}
	}
	require.Equal(t, []Model{a.model(), b.model()}, set.Results())
	_, ok := set.Result("nobody")
	require.False(t, ok)
	set.Apply(events.Event{
		Type: sessionevents.TypeInterruptDelivery, Data: &sessionevents.InterruptDelivery{Session: "nobody", Turn: 1},
	})
	set.Apply(events.Event{
		Type: sessionevents.TypeSignalDetected, Subject: "run-1",
		Data: &sessionevents.Signal{ID: "x", Run: "run-1", Layer: sessionevents.LayerPolicy},
	})
	require.Len(t, set.Results(), 2, "answers and other layers begin no session report")
}

// Schema version 1: these names are public.
func TestJSONNames(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, RenderJSON(&out, busy(t).model()))
	var top map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(out.Bytes(), &top))
	require.JSONEq(t, "1", string(top["schema_version"]))
	for _, name := range []string{
		"session", "turns_observed", "budget", "budget_left", "interrupts", "queued_not_sent", "logged", "suppressed", "self_corrected",
		"expired", "pending", "fired_findings", "coalesced", "signals", "observations", "recommendations", "health", "timeline", "timeline_left_out", "turn_by_turn", "turns_left_out", "red_flags", "detectors", "usage", "coverage",
	} {
		require.Contains(t, top, name)
		require.NotEqual(t, "null", string(top[name]), "%s is a list or an object, never null", name)
	}
	var back Model
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	require.Equal(t, busy(t).model(), back)
}

func TestTimelineIsBounded(t *testing.T) {
	s := newScenario(t, "long")
	for range 250 {
		s.fail("no time")
	}
	m := s.model()
	require.Len(t, m.Timeline, 200)
	require.Equal(t, 50, m.TimelineCut)
	var out bytes.Buffer
	require.NoError(t, RenderMarkdown(&out, m))
	require.Contains(t, out.String(), "50 more entries are left out.")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrorsAreNamed(t *testing.T) {
	m := quiet(t).model()
	for _, err := range []error{
		RenderMarkdown(failing{}, m), RenderJSON(failing{}, m), RenderText(failing{}, m, 0, nil), RenderHTML(failing{}, m),
	} {
		require.ErrorIs(t, err, os.ErrClosed)
		require.ErrorContains(t, err, "session quiet")
	}
}
