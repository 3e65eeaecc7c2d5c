package runreport_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// GD-21: a run's report tells what its sessions were denied.
func TestPreventedInARun(t *testing.T) {
	set := runreport.NewSet()
	set.Apply(events.Event{ID: "r", Type: runevents.TypeRunStarted, Subject: "run-1", Data: &runevents.RunStarted{Goal: "Totals"}})
	set.Apply(events.Event{ID: "g", Type: sessionevents.TypeGuardDecided, Subject: "s1", PartitionKey: "run-1", Data: &sessionevents.GuardDecided{
		Session: "s1", Run: "run-1", Command: "git clean -fdx", Verdict: sessionevents.HookDeny, Rule: "E3",
		Acts: []sessionevents.GuardAct{{Act: "delete", Target: "/r/plan.md", Owner: "session:s2"}},
	}})
	m, ok := set.Result("run-1")
	require.True(t, ok)
	require.Equal(t, 1, m.Prevented.Denied)
	var text, markdown, html bytes.Buffer
	require.NoError(t, runreport.RenderText(&text, m, 100, nil))
	require.NoError(t, runreport.RenderMarkdown(&markdown, m))
	require.NoError(t, runreport.RenderHTML(&html, nil, m))
	for _, form := range []string{text.String(), markdown.String(), html.String()} {
		require.Contains(t, form, "Prevented")
		require.Contains(t, form, "session s1, ✗ denied: git clean -fdx")
		require.Contains(t, form, "would delete /r/plan.md of session s2")
	}
}
