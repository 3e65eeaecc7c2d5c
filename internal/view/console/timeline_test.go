package console_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CO-12: an agent reports a call that a hook denied like one that a person refused; the view tells them apart.
func TestTheGuardsDenialIsNotThePersons(t *testing.T) {
	shown := func(command, call string) string {
		report, said := plain.report(), plain.said()
		report.Prevented.Calls[0].Call = "toolu_1"
		tool := said[3].Segments[0].Tool
		said[3].Segments[0].Rejected = true
		tool.Command, tool.CallID = command, call
		var page bytes.Buffer
		require.NoError(t, console.RenderSession(&page, console.Session{
			Place: console.Place{Now: noon, Zone: time.UTC}, Report: report, Said: said, From: 1,
		}))
		return page.String()
	}
	for name, text := range map[string]string{
		"the same command":           shown(plain.command, ""),
		"a file that it would write": shown("", "toolu_1"),
	} {
		require.NotContains(t, text, "the person refused", name)
		require.Contains(t, text, "denied</", name)
	}
	require.Contains(t, shown("npm publish", "toolu_2"), "the person refused")
	require.Equal(t, sessionevents.GuardDenied, plain.report().Prevented.Calls[0].Outcome)
}
