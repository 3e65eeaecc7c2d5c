package sessionreport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// finishTurn is a turn in a few words.
type finishTurn struct {
	worked  bool                    // it changed a file
	checked bool                    // it ran a check
	claim   sessionevents.ClaimKind // "" for none
	middle  bool                    // the claim does not end the response
	ends    bool                    // the turn has words and no call
	stop    string
	todo    sessionevents.TodoStatus // of the only entry of its list
	failed  string
}

func (f finishTurn) marker(n int) *sessionevents.TurnEvaluated {
	d := &sessionevents.TurnEvaluated{
		Session: "s", Turn: n, Failed: f.failed, Ledger: &sessionevents.LedgerChange{},
		Observed: &sessionevents.Observations{StopReason: f.stop},
	}
	if f.worked {
		d.Ledger.Mutations = map[sessionevents.MutationKind]int{sessionevents.MutationCode: 1}
	}
	if f.checked {
		d.Ledger.Checks = []sessionevents.LedgerRun{{Turn: n, Command: "make test"}}
	}
	if f.claim != "" {
		d.Ledger.Claims = []sessionevents.Claim{{
			Kind: f.claim, Turn: n, Text: "It is in.", Final: !f.middle, Why: "So it is.",
		}}
	}
	if f.ends {
		d.Pause = sessionevents.Pause{Natural: true, Why: sessionevents.PauseEndOfResponse}
	}
	if f.todo != "" {
		d.Ledger.Promises = []sessionevents.Promise{{
			Source: sessionevents.PromiseTodo, Text: "The parser", Turn: 1, Status: f.todo,
		}}
	}
	return d
}

// The primary signals that it is done by facts and at most one reading: work, a complete response, and a claim
// about it or a completed list (DP-30).
func TestDoneIsSignalled(t *testing.T) {
	work, says := finishTurn{worked: true}, finishTurn{claim: sessionevents.ClaimDone, ends: true}
	completed, pending := sessionevents.TodoCompleted, sessionevents.TodoPending
	then := func(change func(*finishTurn)) []finishTurn {
		turn := says
		change(&turn)
		return []finishTurn{work, turn}
	}
	for name, c := range map[string]struct {
		turns []finishTurn
		want  int
	}{
		"work, then a claim":              {[]finishTurn{work, says}, 2},
		"a check is work, too":            {[]finishTurn{{checked: true}, says}, 2},
		"in one turn, with a finish call": {[]finishTurn{{worked: true, claim: sessionevents.ClaimWorks}}, 1},
		"its list is completed":           {[]finishTurn{{worked: true, todo: pending}, {todo: completed}, {ends: true}}, 3},
		"kept through an answer":          {[]finishTurn{work, says, {ends: true}}, 2},
		"again after more work":           {[]finishTurn{work, says, work, says}, 4},
		"gone on since":                   {[]finishTurn{work, says, work}, 0},
		"no work":                         {[]finishTurn{says}, 0},
		"said again without work":         {[]finishTurn{work, says, says}, 2},
		"in the middle":                   {then(func(f *finishTurn) { f.middle, f.ends = true, false }), 0},
		"of tests only":                   {then(func(f *finishTurn) { f.claim = sessionevents.ClaimTests }), 0},
		"an excuse":                       {then(func(f *finishTurn) { f.claim = sessionevents.ClaimExcuse }), 0},
		"an entry is open":                {[]finishTurn{{worked: true, todo: pending}, {ends: true}}, 0},
		"nothing said of the work":        {[]finishTurn{work, {ends: true}}, 0},
		"cut off":                         {then(func(f *finishTurn) { f.stop = "Max-Tokens" }), 0},
		"a turn that was not evaluated":   {then(func(f *finishTurn) { f.failed = "too long" }), 0},
		"an ordinary stop reason":         {then(func(f *finishTurn) { f.stop = "end_turn" }), 2},
	} {
		t.Run(name, func(t *testing.T) {
			fold := New("s")
			for i, turn := range c.turns {
				fold.Apply(events.Event{Type: sessionevents.TypeTurnEvaluated, Subject: "s", Data: turn.marker(i + 1)})
			}
			require.Equal(t, c.want, fold.Result().Session.DoneTurn)
			fold.Apply(events.Event{
				Type: sessionevents.TypeSessionClosed, Subject: "s", Data: &sessionevents.SessionClosed{Session: "s"},
			})
			require.Zero(t, fold.Result().Session.DoneTurn, "a closed session is said to be closed")
		})
	}
}

// A report of an open session says that its primary is done.
func TestDoneIsShown(t *testing.T) {
	fold := New("s")
	for i, turn := range []finishTurn{{worked: true}, {claim: sessionevents.ClaimDone, ends: true}} {
		fold.Apply(events.Event{Type: sessionevents.TypeTurnEvaluated, Subject: "s", Data: turn.marker(i + 1)})
	}
	m := fold.Result()
	require.Contains(t, identity(m), "live (done, as it signalled in turn 2)")
	require.Contains(t, called(m), "still open (it signalled in turn 2 that it is done)")
}
