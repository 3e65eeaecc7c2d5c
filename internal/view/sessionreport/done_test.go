package sessionreport_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
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
	lines := m.Done.Lines(false, "")
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

// What is counted is listed, or it is said how many are not and what lists them.
func TestWhatIsNotListedIsCounted(t *testing.T) {
	const id = "0b8b1c7e-55aa-4b1c-9d3e-1f2a3b4c5d6e"
	fold := sessionreport.New(id)
	turn := 0
	apply := func(verdict sessionevents.Verdict, final bool, n int) {
		for range n {
			turn++
			fold.Apply(events.Event{
				ID: "e", Type: sessionevents.TypeTurnEvaluated, Subject: id,
				Data: &sessionevents.TurnEvaluated{Session: id, Turn: turn, Signals: []string{}, Ledger: &sessionevents.LedgerChange{
					Claims:   []sessionevents.Claim{{Kind: sessionevents.ClaimTests, Turn: turn, Text: "It works.", Verdict: verdict, Why: "So it is.", Final: final}},
					Promises: []sessionevents.Promise{{Source: sessionevents.PromiseTask, Text: fmt.Sprint("thing ", turn), Turn: turn, Status: sessionevents.TodoPending}},
				}},
			})
		}
	}
	apply(sessionevents.Proven, true, 3)
	apply(sessionevents.Proven, false, 6)
	apply(sessionevents.NotCheckable, false, 1)
	apply(sessionevents.Unproven, false, 2)
	m := fold.Result()
	require.Equal(t, "12 claims (2 unproven, 1 not checkable, 9 proven), 12 promises open", m.Done.Heading())
	lines := m.Done.Lines(false, "--all lists them")
	require.Len(t, lines, 2+3+1+12)
	require.Equal(t, "7 more claims from the middle of the work (1 not checkable, 6 proven): --all lists them", lines[5])
	require.Len(t, m.Done.Lines(true, ""), 12+12)

	var text strings.Builder
	require.NoError(t, doc.WriteText(&text, sessionreport.Document(m), doc.Screen{}))
	require.Contains(t, text.String(), "2 claims: scaffoldwatch done 0b8b1c --all\n")
	require.Contains(t, text.String(), "Turn 12, asked for: thing 12\n")
	require.NotContains(t, text.String(), "thing 7\n")
	require.Contains(t, text.String(), "7 more things: scaffoldwatch done 0b8b1c --all\n")

	apply(sessionevents.Proven, true, 100)
	lines = fold.Result().Done.Lines(true, "")
	require.Contains(t, lines, "12 earlier claims (2 unproven, 1 not checkable, 9 proven): only the latest 100 are kept")
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
	require.Equal(t, "2 claims (1 unproven, 1 proven)", done.Heading(), "the second segment says it again")
	require.Len(t, done.Claims, 2)
	require.Equal(t, sessionevents.ClaimTests, done.Claims[0].Kind)
}
