package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/attach"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// careless is an agent that writes a credential and continues until it is interrupted.
type careless struct {
	secret string
	told   chan drive.Message
}

func (c *careless) Run(ctx context.Context, sink drive.Sink) error {
	turn := func(n int, blocks ...sessionevents.Block) error {
		return sink.Event(ctx, events.Event{
			Type: sessionevents.TypeTurnRaw, Subject: "careless-1",
			Data: &sessionevents.Turn{Session: "careless-1", TurnID: fmt.Sprint(n), Agent: sessionevents.Agent{Kind: "codex"}, Format: "blocks", Blocks: blocks},
		})
	}
	write := fmt.Sprintf(`{"file_path":"settings.py","content":"GITHUB_TOKEN = \"%s\"\n"}`, c.secret)
	if err := turn(1, sessionevents.Block{Type: sessionevents.BlockUser, Text: "read the settings"},
		sessionevents.Block{Type: sessionevents.BlockToolCall, ID: "c1", Name: "Write", Input: []byte(write)},
		sessionevents.Block{Type: sessionevents.BlockToolResult, ID: "c1", Output: "written"}); err != nil {
		return err
	}
	select {
	case m := <-c.told:
		sink.Delivered(ctx, m.ID)
		c.told <- m
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return turn(2, sessionevents.Block{Type: sessionevents.BlockText, Text: "I moved it to the environment."})
}

func (c *careless) Say(_ context.Context, m drive.Message) error {
	c.told <- m
	return nil
}

func (c *careless) Halt(context.Context, string, string) error { return nil }

func (c *careless) Channel() string { return "drive:careless" }

// TestDrivenAgentIsTold drives an agent through the whole system: the turn with a credential comes back as an
// interrupt, whose delivery is recorded (DP-3, DP-21).
func TestDrivenAgentIsTold(t *testing.T) {
	s := start(t, nil)
	agent := &careless{secret: secretstest.New(7).Provider("github"), told: make(chan drive.Message, 1)}
	opener, err := workspace.NewOpener("", false)
	require.NoError(t, err)
	var notes []string
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, attach.Run(ctx, s.nc, agent, attach.Options{
		Spool: t.TempDir(), Opener: opener, Note: func(text string) { notes = append(notes, text) },
	}))
	m := <-agent.told
	require.True(t, strings.HasPrefix(m.Text, "⚡ SCAFFOLD-WATCH INTERRUPT [CLASS-B | URGENCY: B1-ESCALATE]\n"), m.Text)
	require.Equal(t, drive.Now, m.Priority)
	require.NotContains(t, m.Text, agent.secret)
	for _, note := range notes {
		require.Contains(t, note, "control state")
	}
	var states []sessionevents.DeliveryState
	require.Eventually(t, func() bool {
		states = nil
		err := read.All(t.Context(), s.broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions}, func(a read.Accepted) error {
			if d, ok := a.Input.Event.Data.(*sessionevents.InterruptDelivery); ok && d.Interrupt == m.ID && d.Channel == "drive:careless" {
				states = append(states, d.State)
			}
			return nil
		})
		return err == nil && len(states) == 3
	}, patience, 50*time.Millisecond)
	require.Equal(t, []sessionevents.DeliveryState{sessionevents.DeliveryEmitted, sessionevents.DeliveryDelivered, sessionevents.DeliveryAcked}, states)
}
