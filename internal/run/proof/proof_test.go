package proof_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

type player struct {
	t      *testing.T
	config *proof.Config
	state  *proof.State
}

func newPlayer(t *testing.T, overrides string) *player {
	set, err := rules.Load("test.yaml", []byte(overrides))
	require.NoError(t, err)
	config, err := proof.LoadConfig(set)
	require.NoError(t, err)
	return &player{t, config, &proof.State{}}
}

// play folds an event; asked are the earlier layers' answers to it. The state goes
// through its stored form.
func (p *player) play(typ events.Type, data any, credential events.Role, asked ...*runevents.GateDecided) {
	c := run.NewContext(step.Input{Event: events.Event{ID: "e", Type: typ, Subject: "r", Credential: credential, Data: data}})
	for _, g := range asked {
		c.Gate(*g)
	}
	p.config.Decide(p.state, c)
	for i, one := range c.Conclusions() {
		*asked[i] = *one.Data.(*runevents.GateDecided)
	}
	encoded, err := json.Marshal(p.state)
	require.NoError(p.t, err)
	p.state = &proof.State{}
	require.NoError(p.t, json.Unmarshal(encoded, p.state))
}

func (p *player) turn(change *sessionevents.LedgerChange, pending ...sessionevents.PendingOutcome) {
	p.play(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Turn: 7, Signals: []string{}, Ledger: change, Pending: pending}, "")
}

func (p *player) claim(verdict sessionevents.Verdict, final bool) {
	p.turn(&sessionevents.LedgerChange{Claims: []sessionevents.Claim{{
		Kind: sessionevents.ClaimTests, Turn: 7, Text: "All tests pass.", Verdict: verdict, Final: final, Why: "it failed in turn 6.",
		By: &sessionevents.LedgerRun{Command: "go test ./..."},
	}}})
}

func (p *player) ask(gate runevents.Gate, decision runevents.GateDecision) runevents.GateDecided {
	g := runevents.GateDecided{Gate: gate, Decision: decision, Rule: "WP-1", Why: "All is in order.", WhoDecides: runevents.DecidedByScaffoldwatch}
	p.play(runevents.TypeGateRequested, &runevents.GateRequested{Gate: gate}, "", &g)
	return g
}

func TestGatesTakeTheLedger(t *testing.T) {
	p := newPlayer(t, "proof: {gates: hold}")
	require.Equal(t, runevents.DecisionAllow, p.ask(runevents.GateMerge, runevents.DecisionAllow).Decision)
	p.claim(sessionevents.Contradicted, false)
	require.Equal(t, runevents.DecisionAllow, p.ask(runevents.GateMerge, runevents.DecisionAllow).Decision, "in the middle of the work")
	p.claim(sessionevents.Contradicted, true)
	g := p.ask(runevents.GateMerge, runevents.DecisionAllow)
	require.Equal(t, runevents.DecisionHold, g.Decision)
	require.Equal(t, "PD-11", g.Rule)
	require.Equal(t, "Session s claims \"All tests pass.\", but it failed in turn 6 (turn 7). It opens with a passing run of `go test ./...`; an operator opens it with `scaffoldwatch approve r --why …`.", g.Why)
	require.Equal(t, runevents.DecidedByOperator, g.WhoDecides)
	require.Len(t, g.Evidence, 1)
	require.Equal(t, runevents.DecisionHold, p.ask(runevents.GateNextPhase, runevents.DecisionAllowWithWarning).Decision)
	require.Equal(t, runevents.DecisionAllow, p.ask(runevents.GateLaunch, runevents.DecisionAllow).Decision, "another gate")
	require.Equal(t, "WP-1", p.ask(runevents.GateMerge, runevents.DecisionDeny).Rule, "what is shut stays as it is")
	p.turn(&sessionevents.LedgerChange{Checks: []sessionevents.LedgerRun{{Check: sessionevents.Check{Kind: sessionevents.CheckTest, Result: sessionevents.CheckPassed}}}})
	require.Equal(t, runevents.DecisionAllow, p.ask(runevents.GateMerge, runevents.DecisionAllow).Decision, "it opens by itself")
}

func TestAnOperatorOpensAHeldGate(t *testing.T) {
	p := newPlayer(t, "proof: {gates: hold}")
	p.claim(sessionevents.Contradicted, true)
	p.play(runevents.TypePlanApproved, &runevents.PlanApproved{By: "somebody"}, "")
	require.Equal(t, runevents.DecisionHold, p.ask(runevents.GateMerge, runevents.DecisionAllow).Decision, "without the credential nothing opens")
	p.play(runevents.TypePlanApproved, &runevents.PlanApproved{By: "mara"}, events.RoleOperator)
	require.Equal(t, runevents.DecisionAllow, p.ask(runevents.GateMerge, runevents.DecisionAllow).Decision)
}

func TestWeakenedChecks(t *testing.T) {
	p := newPlayer(t, "")
	signal := &sessionevents.Signal{Session: "s", Turn: 3, ID: "x", Detector: "E2", Urgency: 32, Message: "TestTotal is skipped."}
	p.play(sessionevents.TypeSignalDetected, signal, "")
	g := p.ask(runevents.GateNextPhase, runevents.DecisionAllow)
	require.Equal(t, runevents.DecisionAllowWithWarning, g.Decision, "warn is the default")
	require.Equal(t, "Session s weakened a check: TestTotal is skipped (turn 3).", g.Why)
	g = p.ask(runevents.GateNextPhase, runevents.DecisionAllowWithWarning)
	require.Equal(t, "All is in order. Session s weakened a check: TestTotal is skipped (turn 3).", g.Why, "an earlier warning stays")
	p.turn(nil, sessionevents.PendingOutcome{ID: "x", Outcome: sessionevents.OutcomeCorrected})
	require.Equal(t, runevents.DecisionAllow, p.ask(runevents.GateNextPhase, runevents.DecisionAllow).Decision)
	for name, change := range map[string]func(*sessionevents.Signal){
		"suppressed": func(s *sessionevents.Signal) { s.Suppressed = "user-directed" },
		"only log":   func(s *sessionevents.Signal) { s.Urgency = 19 },
		"another":    func(s *sessionevents.Signal) { s.Detector = "D1" },
	} {
		other := *signal
		change(&other)
		p.play(sessionevents.TypeSignalDetected, &other, "")
		require.Equal(t, runevents.DecisionAllow, p.ask(runevents.GateNextPhase, runevents.DecisionAllow).Decision, name)
	}
}

func TestOffAndBounded(t *testing.T) {
	off := newPlayer(t, "proof: {gates: off}")
	off.claim(sessionevents.Contradicted, true)
	require.Equal(t, runevents.DecisionAllow, off.ask(runevents.GateMerge, runevents.DecisionAllow).Decision)
	p := newPlayer(t, "proof: {kept: 2, named: 1}")
	for _, id := range []string{"a", "b", "c"} {
		p.play(sessionevents.TypeSignalDetected, &sessionevents.Signal{Session: "s", Turn: 3, ID: id, Detector: "E2", Urgency: 32, Message: id + "."}, "")
	}
	require.Len(t, p.state.Open, 2)
	require.Equal(t, "Session s weakened a check: c (turn 3). 1 more are open.", p.ask(runevents.GateMerge, runevents.DecisionAllow).Why)
	p.claim(sessionevents.Contradicted, true)
	p.claim(sessionevents.Proven, true)
	require.Len(t, p.state.Open, 1, "a proven claim of its kind closes it")
}
