package console

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func rendered(t *testing.T, m Model) string {
	t.Helper()
	var out strings.Builder
	m.Zone, m.Now = time.UTC, now
	require.NoError(t, Render(&out, m))
	return out.String()
}

var now = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// What waits longest comes first, each with the command that answers it.
func TestWhatWaitsIsNamedWithItsAnswer(t *testing.T) {
	broken := runlist.Run{ID: "nightly", Project: "shop", Goal: "fix the build", Break: &runlist.Break{
		ID: "b1", At: now.Add(-3 * time.Hour), WiggumBreak: runevents.WiggumBreak{
			Trigger: runevents.TriggerIsolationFailure, Reason: "the worktrees share a branch",
		},
	}}
	broken.Escalations = []runlist.Escalation{
		{ID: "e1", At: now, Break: "b1"},
		{ID: "e2", At: now.Add(-time.Minute), EscalationRaised: runevents.EscalationRaised{Text: "look at it"}},
	}
	asks := runlist.Run{
		ID: "docs",
		Questions: []runlist.Question{
			{
				At:                     now.Add(-72 * time.Hour),
				ClarificationRequested: runevents.ClarificationRequested{RequestID: "q1", Question: "Which endpoint?"},
			},
		},
	}
	text := rendered(t, Model{Waiting: []runlist.Run{broken, asks}})
	var at []int
	for _, want := range []string{
		"Which endpoint?", "scaffoldwatch answer docs q1 OPTION", "shop “fix the build”", "the worktrees share a branch", "scaffoldwatch recover nightly", "look at it", "scaffoldwatch ack e2",
	} {
		require.Contains(t, text, want)
		at = append(at, strings.Index(text, want))
	}
	require.IsIncreasing(t, at)
	require.NotContains(t, text, "ack e1", "it reports the break")
	require.Contains(t, text, "3 days")
}

// Sessions have human names, and a subagent its place below the session that started it.
func TestSessionsAreNamed(t *testing.T) {
	const parent = "03a1382e-ecd5-42c4-b3d4-5c659e165904"
	text := rendered(t, Model{Total: 5000, Sessions: []readmodel.Session{
		{Session: parent + "-agent-c7f2d1e0aa", Last: now, Turns: 3},
		{Session: "csv-export", Last: now},
		{
			Session: parent, Workspace: "/home/me/shop", Task: "fix the login form", Agent: "claude-code", Last: now,
			Interrupts: 2,
		},
	}})
	require.Contains(t, text, `<span class="tag name">03a138</span>`)
	require.Contains(
		t, text,
		`<tr class="child"><th scope="row"><a href="/sessions/`+parent+`-agent-c7f2d1e0aa" dir="auto">03a138/c7f2d1</a>`,
	)
	require.Less(t, strings.Index(text, ">03a138<"), strings.Index(text, ">03a138/c7f2d1<"))
	require.Contains(t, text, "shop “fix the login form”")
	require.Contains(t, text, "4997 more")
	require.Contains(t, text, "Nobody waits for you.")
}

// Text of agents is text.
func TestHostileTextStaysText(t *testing.T) {
	const evil = `<script>alert(1)</script>"><img src=x onerror=alert(2)>` + "\x1b[31m\u202e"
	text := rendered(t, Model{
		Waiting: []runlist.Run{
			{
				ID: "r", Goal: evil, Project: evil,
				Questions: []runlist.Question{
					{
						ClarificationRequested: runevents.ClarificationRequested{
							RequestID: evil, Question: evil, Options: []runevents.Option{{ID: evil, Text: evil}},
						},
					},
				},
			},
		},
		Words:     []readmodel.Interrupt{{ID: evil, Session: evil, Detector: evil, Message: evil, Heed: evil}},
		Prevented: []readmodel.Prevented{{Session: evil, Outcome: evil, Command: evil, What: evil, RescueRef: evil}},
		Sessions:  []readmodel.Session{{Session: `a"><script>`, Task: evil, Workspace: evil, Agent: evil}},
		Place:     Place{Key: evil},
	})
	require.Equal(t, 1, strings.Count(text, "<script"), "our own")
	require.Contains(t, text, `<script src="/console.js" defer data-news="/console/events"></script>`)
	require.NotContains(t, text, "<img")
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\u202e")
}

func TestNothingYet(t *testing.T) {
	text := rendered(t, Model{})
	require.Contains(t, text, "No agent has reported yet.")
	require.Contains(t, text, "scaffoldwatch install")
}
