package sessionreport

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CO-9: the report of a session includes its subagents, and its health is not called unchanged while
// what one of them wrote stands.
func TestAParentsReportIncludesItsSubagents(t *testing.T) {
	set := NewSet()
	add := func(session string, typ events.Type, data any) {
		set.Apply(events.Event{
			ID: session + string(typ), Type: typ, Subject: session, PartitionKey: "s1", Time: time.Unix(0, 0), Data: data,
		})
	}
	child := "s1-agent-a1"
	add(
		"s1", sessionevents.TypeSessionOpened,
		&sessionevents.SessionOpened{Session: "s1", Agent: &sessionevents.Agent{Kind: "claude-code"}},
	)
	add(
		child, sessionevents.TypeSessionOpened,
		&sessionevents.SessionOpened{Session: child, Agent: &sessionevents.Agent{ID: "a1", ParentSession: "s1"}},
	)
	for _, id := range []string{"s1", child} {
		add(id, sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: id, Turn: 1})
	}
	m, ok := set.Result("s1")
	require.True(t, ok)
	require.Equal(t, VerdictUnchanged, m.Health.Verdict)
	require.Len(t, m.Subagents, 1)

	add(child, sessionevents.TypeSignalDetected, &sessionevents.Signal{
		Session: child, ID: "g1", Turn: 1, Detector: "B1", Class: sessionevents.ClassB, Subject: "pay.go", Message: "Credential in pay.go.", ReworkCost: 5,
	})
	add(child, sessionevents.TypeInterruptFired, &sessionevents.InterruptFired{
		Session: child, ID: "i1", Turn: 1, Layer: sessionevents.LayerSession, Detector: "B1", Message: "Credential in pay.go.", Signals: []string{"g1"},
	})
	for _, m := range []Model{set.Results()[0], func() Model { m, _ := set.Result("s1"); return m }()} {
		require.Equal(t, VerdictDegraded, m.Health.Verdict)
		require.Equal(t, 5, m.Health.OfSubagents)
		require.Zero(t, m.Health.DebtAdded, "its own")
		var text, markdown, html strings.Builder
		require.NoError(t, RenderText(&text, m, 0, nil))
		require.NoError(t, RenderMarkdown(&markdown, m))
		require.NoError(t, RenderHTML(&html, m))
		for _, out := range []string{text.String(), markdown.String(), html.String()} {
			require.Contains(t, out, "Its subagents")
			require.Contains(t, out, "told B1 Credential in pay.go.")
			require.NotContains(t, out, "health is unchanged")
		}
		require.Contains(t, text.String(), "degraded by 5 points. Its subagents left 5 points of debt open.")
	}
}
