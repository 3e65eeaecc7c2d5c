package console

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// A denial can be lifted for ten minutes, once, with the key; a snapshot is offered only where its folder
// is on the machine of the page (GD-11, CO-11a).
func TestWhatWasPreventedHasItsAnswers(t *testing.T) {
	denied := readmodel.Prevented{
		Session: "s",
		Outcome: sessionevents.GuardDenied,
		Command: "rm -rf a",
		Word:    "4f2",
		At:      now.Add(-time.Minute),
	}
	page := func(key string, machine bool, change func(*readmodel.Prevented)) string {
		one := denied
		change(&one)
		var out strings.Builder
		require.NoError(
			t,
			RenderPrevented(
				&out,
				PreventedModel{
					Place:     Place{Now: now, Key: key, Machine: machine, Lifting: 10 * time.Minute},
					Prevented: []readmodel.Prevented{one},
				},
			),
		)
		return out.String()
	}
	same := func(*readmodel.Prevented) {}
	kept := func(p *readmodel.Prevented) { p.RescueRef = "refs/scaffoldwatch/rescue/s-1" }
	require.Contains(t, page("k", true, same), "Allow once…")
	require.Contains(t, page("k", false, same), "Allow once…")
	require.NotContains(t, page("", true, kept), "<form")
	for name, change := range map[string]func(*readmodel.Prevented){
		"ten minutes ago": func(p *readmodel.Prevented) { p.At = now.Add(-11 * time.Minute) },
		"without a word":  func(p *readmodel.Prevented) { p.Word = "" },
		"allowed already": func(p *readmodel.Prevented) { p.AllowedBy = "ann" },
		"only warned of":  func(p *readmodel.Prevented) { p.Outcome = sessionevents.GuardWarned },
	} {
		require.NotContains(t, page("k", true, change), "Allow once…", name)
	}
	require.Contains(
		t,
		page("k", true, func(p *readmodel.Prevented) { p.AllowedBy = "<b>ann" }),
		"Allowed once by &lt;b&gt;ann",
	)
	require.Contains(t, page("k", true, kept), "Restore…")
	require.NotContains(t, page("k", false, kept), "Restore…")
	require.Contains(t, page("k", false, kept), "scaffoldwatch rescue restore s-1")
}

// A merge that the trip wire denied has three ways out and none of them is resuming; a gate that opens by
// itself waits for nobody.
func TestGatesHaveTheirAnswers(t *testing.T) {
	merge := runlist.Gate{ID: "g1", At: now, GateDecided: runevents.GateDecided{
		Gate: runevents.GateMerge, Decision: runevents.DecisionDeny, Rule: "WP-1", Wave: 2, WhoDecides: runevents.DecidedByOperator,
		Options: []runevents.Option{
			{ID: "1", Text: "Re-run"},
			{ID: "2", Text: "Without B"},
			{ID: "3", Text: "By hand"},
		},
	}}
	review := runlist.Gate{ID: "g2", At: now, GateDecided: runevents.GateDecided{
		Gate: runevents.GateLaunch, Decision: runevents.DecisionDeny, Rule: "WP-9", WhoDecides: runevents.DecidedByOperator, Why: "not approved",
	}}
	order := runlist.Gate{ID: "g3", At: now, GateDecided: runevents.GateDecided{
		Gate: runevents.GateLaunch, Decision: runevents.DecisionDeny, Rule: "WP-14", WhoDecides: runevents.DecidedByScaffoldwatch, Why: "wave 1 first",
	}}
	broken := &runlist.Break{
		ID:          "b",
		At:          now,
		WiggumBreak: runevents.WiggumBreak{Trigger: runevents.TriggerIsolationFailure, Reason: "B has no commits"},
	}
	p := Place{Now: now, Key: "k"}
	list := p.needs([]runlist.Run{{ID: "saw", Break: broken, Refused: []runlist.Gate{merge, review, order}}}, "/")
	require.Len(t, list, 2, "the break has the answers of its gate")
	require.Equal(t, "halted", list[0].What)
	var acts []string
	for _, one := range append(list[0].Answers, list[1].Answers...) {
		acts = append(acts, one.Act+one.Target+one.Option)
	}
	require.Equal(t, []string{"recover21", "recover22", "recover23", "approve"}, acts)
	require.Equal(t, "scaffoldwatch approve saw --why '…'", list[1].Command)
	require.Len(
		t,
		p.needs([]runlist.Run{{ID: "saw", Refused: []runlist.Gate{order}}}, "/runs/saw"),
		1,
		"its own view says it",
	)
}

// What is left of the budget is drawn, and said to who cannot see it (CO-11).
func TestBudgetAsPips(t *testing.T) {
	row := func(budget int, s readmodel.Session) *pips {
		p := Place{Budget: budget, Now: now}
		return p.rows([]readmodel.Session{s})[0].Pips
	}
	require.Equal(t, &pips{"●●", "○", "2 of 3 left"}, row(3, readmodel.Session{Session: "s", Spent: 1}))
	require.Equal(t, &pips{"", "○○○", "0 of 3 left"}, row(3, readmodel.Session{Session: "s", Spent: 7}))
	require.Equal(t, &pips{"", "", "19 of 20 left"}, row(20, readmodel.Session{Session: "s", Spent: 1}))
	require.Nil(t, row(3, readmodel.Session{Session: "s", Closed: true}))
	require.Nil(t, row(0, readmodel.Session{Session: "s"}))
}

// The rules in force, each threshold with where it is from, and beside a changed one what it did in the
// reader's own history, where that was tried with these very rules (CO-14, AU-20).
func TestTheViewOfTheRules(t *testing.T) {
	own, err := rules.Load("/etc/own.yaml", []byte("dispatch: {thresholds: {queue: 3.3}}\n"))
	require.NoError(t, err)
	view := func(set *rules.Set, tried *backtestreport.Model) string {
		m := RulesModel{
			Place:    Place{Now: now},
			Rules:    Rules{File: set.File(), Version: "2026.11", Config: "abc"},
			Backtest: tried,
			Command:  "scaffoldwatch backtest --rules /etc/own.yaml",
		}
		m.Rules.Changed, err = rules.Differences(rules.Default(), set)
		require.NoError(t, err)
		m.Rules.Settings, err = set.Values("dispatch")
		require.NoError(t, err)
		m.Rules.Shipped, err = rules.Default().Values("dispatch")
		require.NoError(t, err)
		m.Rules.Detectors = []Watcher{{"B1", "credential", "on"}}
		var out strings.Builder
		require.NoError(t, RenderRules(&out, m))
		return out.String()
	}
	shipped := view(rules.Default(), nil)
	require.Contains(t, shipped, "The shipped rules are in force.")
	require.Contains(t, shipped, "dispatch.thresholds.fire")
	require.NotContains(t, shipped, "backtest --rules /etc")
	require.NotContains(t, shipped, "as shipped)")

	untried := view(own, nil)
	for _, want := range []string{"1 setting differs from the shipped rules.", "3.3", "changed (2.0 as shipped)", "not tried", "scaffoldwatch backtest --rules /etc/own.yaml"} {
		require.Contains(t, untried, want)
	}
	changed, err := rules.Differences(rules.Default(), own)
	require.NoError(t, err)
	tried := &backtestreport.Model{
		Given: backtestreport.Rules{Hash: "abc"}, Settings: changed, Sessions: 9, Turns: 62, Changed: 4,
		Interrupts: backtestreport.Pair{Present: 8, Given: 5},
		Detectors: []backtestreport.Detector{
			{
				ID:         "D2",
				Interrupts: backtestreport.Pair{Present: 3, Given: 1},
				Verdict:    "D2 queue 2.0→3.3: −2 interrupts in 9 sessions",
			},
		},
	}
	text := view(own, tried)
	for _, want := range []string{"8 words to agents with the shipped rules, 5 with these, in 9 sessions; 4 sessions differ.", "D2 queue 2.0→3.3"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "not tried")
	tried.Given.Hash = "other"
	require.Contains(t, view(own, tried), "not tried", "a comparison of other rules says nothing")
}
