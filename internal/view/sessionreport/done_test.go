package sessionreport_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// The ledger is folded from turn.evaluated alone and shown worst first (PD-3, EV-5).
func TestDone(t *testing.T) {
	fold := sessionreport.New("s")
	apply := func(turn int, change *sessionevents.LedgerChange) {
		fold.Apply(events.Event{
			ID: "e", Type: sessionevents.TypeTurnEvaluated, Subject: "s",
			Data: &sessionevents.TurnEvaluated{Session: "s", Turn: turn, Signals: []string{}, Ledger: change},
		})
	}
	apply(1, nil)
	require.Nil(t, fold.Result().Done, "nothing claimed, checked or changed")
	claim := func(turn int, text string, verdict sessionevents.Verdict) sessionevents.Claim {
		return sessionevents.Claim{Kind: sessionevents.ClaimTests, Turn: turn, Text: text, Verdict: verdict, Why: "So it is.", Final: true, Show: "go test ./..."}
	}
	promise := func(text string, status sessionevents.TodoStatus) sessionevents.Promise {
		return sessionevents.Promise{Source: sessionevents.PromiseTodo, Text: text, Turn: 2, Status: status}
	}
	apply(2, &sessionevents.LedgerChange{
		Claims:    []sessionevents.Claim{claim(2, "The build is clean <b>.", sessionevents.Proven)},
		Mutations: map[sessionevents.MutationKind]int{sessionevents.MutationCode: 2},
		Promises:  []sessionevents.Promise{promise("Write a test", sessionevents.TodoPending), promise("Fix it", sessionevents.TodoPending)},
	})
	apply(3, &sessionevents.LedgerChange{
		Claims:   []sessionevents.Claim{claim(3, "It works.", sessionevents.Unproven), claim(3, "All tests pass.", sessionevents.Contradicted)},
		Checks:   []sessionevents.LedgerRun{{Turn: 3, Command: "go test ./..."}},
		Promises: []sessionevents.Promise{promise("Fix it", sessionevents.TodoCompleted)},
	})
	apply(3, &sessionevents.LedgerChange{Claims: []sessionevents.Claim{claim(3, "Again.", sessionevents.Proven)}})
	m := fold.Result()
	require.Equal(t, sessionevents.Contradicted, m.Done.Worst())
	require.Equal(t, "3 claims (1 contradicted, 1 unproven, 1 proven), 1 check, 2 changes, 1 promise open", m.Done.Heading(), "a turn counts once")
	lines := m.Done.Lines()
	require.Equal(t, []string{
		"CONTRADICTED [Turn 3] \"All tests pass.\" So it is. To show it: `go test ./...`",
		"UNPROVEN [Turn 3] \"It works.\" So it is. To show it: `go test ./...`",
	}, lines[:2])
	require.Equal(t, "open (since turn 2): Write a test", lines[3])

	var text, md, html strings.Builder
	require.NoError(t, sessionreport.RenderDone(&text, false, m))
	require.Contains(t, text.String(), "\n  CONTRADICTED [Turn 3]")
	require.NoError(t, sessionreport.RenderMarkdown(&md, m))
	require.Contains(t, md.String(), "### Proof of done: 3 claims")
	require.NoError(t, sessionreport.RenderHTML(&html, m))
	require.Contains(t, html.String(), "Proof of done")
	require.Contains(t, html.String(), "CONTRADICTED [Turn 3]")
	require.NotContains(t, html.String(), "clean <b>", "text of agents is text")
}

// A sentence that is read in two ways is a line of the ledger, with the worst verdict (PD-3).
func TestDoneListsASentenceOnce(t *testing.T) {
	fold := sessionreport.New("s")
	claim := func(kind sessionevents.ClaimKind, segment int, verdict sessionevents.Verdict) sessionevents.Claim {
		return sessionevents.Claim{Kind: kind, Turn: 1, Segment: segment, Offset: 4, Text: "Lint is clean, tests pass.", Verdict: verdict, Why: string(kind), Final: true}
	}
	fold.Apply(events.Event{
		ID: "e", Type: sessionevents.TypeTurnEvaluated, Subject: "s",
		Data: &sessionevents.TurnEvaluated{Session: "s", Turn: 1, Signals: []string{}, Ledger: &sessionevents.LedgerChange{Claims: []sessionevents.Claim{
			claim(sessionevents.ClaimLint, 0, sessionevents.Proven), claim(sessionevents.ClaimTests, 0, sessionevents.Unproven),
			claim(sessionevents.ClaimWorks, 0, sessionevents.NotCheckable), claim(sessionevents.ClaimLint, 1, sessionevents.Proven),
		}}},
	})
	done := fold.Result().Done
	require.Equal(t, "2 claims (1 unproven, 1 proven), 0 checks, 0 changes", done.Heading(), "the second segment says it again")
	require.Len(t, done.Claims, 2)
	require.Equal(t, sessionevents.ClaimTests, done.Claims[0].Kind)
}
