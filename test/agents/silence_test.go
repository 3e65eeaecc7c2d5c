package agents

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// done is the last text of the model.
const done = "ALL-OF-IT-IS-DONE"

// saysDone runs commands, then says that it is done.
func saysDone(commands ...string) mockmodel.Plan {
	work := mockmodel.Commands(commands...)
	return func(r mockmodel.Request) mockmodel.Step {
		step := work(r)
		if step.Run == "" {
			step.Say = done
		}
		return step
	}
}

// If nothing answers, a terminal shows one helpful line of ours per session and nothing per tool call
// (CO-3).
func TestATerminalStaysQuiet(t *testing.T) {
	inTerminal(t, func(t *testing.T, _ int, a agent) {
		b := prepare(t, a, saysDone("touch one", "touch two", "touch three"))
		b.install("http://" + natstest.FreeAddresses(t, 1)[0])
		screen := b.open("do it").shows(done)
		t.Logf("the terminal:\n%s", screen)
		require.True(t, b.made("three"))
		require.Equal(t, 1, lines(screen, "scaffoldwatch is not running"), "it is said once")
		require.NotContains(t, screen, "hook error")
		require.NotContains(t, screen, "ECONNREFUSED")
		require.NotContains(t, screen, "no answer from")
	})
}

// The person sees the interrupt that the agent gets, once (CO-4).
func TestThePersonSeesTheInterrupt(t *testing.T) {
	inTerminal(t, func(t *testing.T, i int, a agent) {
		commandLines(t)
		planted := plant(uint64(200 + i))
		s := start(t)
		b := prepare(t, a, saysDone("touch one", planted, "sleep 1", "touch three"))
		b.install(s.url)
		screen := b.open("do it").shows(done)
		t.Logf("the terminal:\n%s", screen)
		require.Equal(t, 1, lines(screen, headline))
	})
}

// A halt is shown once: if the agent shows the reason itself, we add nothing.
func TestThePersonSeesTheHalt(t *testing.T) {
	inTerminal(t, func(t *testing.T, _ int, a agent) {
		commandLines(t)
		s := start(t)
		work := saysDone("touch before", "touch after")
		plan, _ := s.halting(work)
		b := prepare(t, a, plan)
		b.install(s.url)
		screen := b.open("do it").shows("SCAFFOLD-WATCH HALT")
		t.Logf("the terminal:\n%s", screen)
		require.False(t, b.made("after"))
		times := 1 // by the agent itself
		if a.name == "claude-code" {
			times = 2 // by the denied call and by the stop, both in its own words
		}
		require.Equal(t, times, lines(screen, "SCAFFOLD-WATCH HALT"))
	})
}

// A denied tool is shown to the person with its reason, once, and the denial is not repeated as an
// interrupt (DP-24).
func TestThePersonSeesTheDenial(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	write(t, rules, "preflight:\n  classes:\n    security: deny\n")
	t.Setenv("SCAFFOLDWATCH_RULES", rules)
	inTerminal(t, func(t *testing.T, i int, a agent) {
		commandLines(t)
		planted := plant(uint64(300 + i))
		s := start(t)
		b := prepare(t, a, saysDone("touch one", planted, "sleep 1", "touch three"))
		b.install(s.url)
		screen := b.open("do it").shows(done)
		t.Logf("the terminal:\n%s", screen)
		require.False(t, b.made("settings.py"))
		require.Equal(t, 1, lines(screen, "Credential in settings.py"))
		last := b.model.Requests()[len(b.model.Requests())-1].Body
		require.NotContains(t, last, headline)
	})
}
