package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// owned lists the agents that `scaffoldwatch drive` runs itself, with the command after the two dashes.
var owned = map[string][]string{
	"claude-code": {"claude", "--permission-mode", "bypassPermissions"},
	"codex":       {"codex", "-c", `approval_policy="never"`, "-c", `sandbox_mode="danger-full-access"`},
}

// drive runs the agent under `scaffoldwatch drive`, without hooks.
func (b *bench) drive(s *system) outcome {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.t.Context(), patience)
	defer stop()
	words := owned[b.name]
	args := []string{"drive", "--agent", b.name, "--server", s.js.Conn().ConnectedUrl(), "--spool", b.t.TempDir(), "--prompt", "do it", "--", filepath.Join(b.tools, words[0])}
	command := exec.CommandContext(ctx, filepath.Join(b.path, "scaffoldwatch"), append(args, words[1:]...)...)
	command.Env, command.Dir = append(b.environment(), "SCAFFOLDWATCH_NATS_CREDENTIALS="+filepath.Join(s.keys, "publisher.nk")), b.project
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 15 * time.Second
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	began := time.Now()
	err := command.Run()
	o := outcome{out: out.String(), errors: problems.String(), elapsed: time.Since(began)}
	require.NoError(b.t, ctx.Err(), "the run did not end\n%s\n%s", tail(o.out, 2000), tail(o.errors, 2000))
	if err != nil {
		require.IsType(b.t, &exec.ExitError{}, err)
		o.code = command.ProcessState.ExitCode()
	}
	require.Empty(b.t, b.model.Problems())
	b.t.Logf("%s: exit %d after %d ms, %d requests", b.name, o.code, o.elapsed.Milliseconds(), len(b.model.Requests()))
	return o
}

// slow makes the model think, so that a decision on one turn can arrive before the request after the next.
func slow(plan mockmodel.Plan) mockmodel.Plan {
	return func(r mockmodel.Request) mockmodel.Step {
		time.Sleep(thinking)
		return plan(r)
	}
}

// driven runs a test for each agent that drive owns.
func driven(t *testing.T, test func(t *testing.T, a agent)) {
	for _, a := range allAgents {
		if owned[a.name] != nil {
			t.Run(a.name, func(t *testing.T) {
				commandLines(t)
				test(t, a)
			})
		}
	}
}

// A driven agent that writes a credential into code is interrupted with one of its next requests, once, and
// its turns have token counts.
func TestADrivenAgentIsTold(t *testing.T) {
	driven(t, func(t *testing.T, a agent) {
		planted := plant(300)
		s := start(t)
		b := prepare(t, a, slow(mockmodel.Commands("touch one", planted, "sleep 1; touch three", "touch four")))
		o := b.drive(s)
		require.Zero(t, o.code, "%s\n%s", tail(o.out, 2000), tail(o.errors, 2000))
		require.True(t, b.made("one") && b.made("settings.py") && b.made("four"))

		told := tellings(b.model.Requests())
		t.Logf("interrupts in the conversation of each request: %v", told)
		require.Equal(t, 0, told[1], "before the secret was written")
		require.Equal(t, 1, told[3], "behind the tool that ran when it was said")
		require.Equal(t, 1, slices.Max(told), "an interrupt is said once (DP-21)")
		requireDelivered(t, s)

		var turns []sessionevents.Turn
		for _, data := range s.input(sessionevents.TypeTurnRaw) {
			var turn sessionevents.Turn
			require.NoError(t, json.Unmarshal(data, &turn))
			require.NotNil(t, turn.Usage, "tokens of every response")
			turns = append(turns, turn)
		}
		require.Len(t, turns, 5)
		require.Len(t, s.input(sessionevents.TypeSessionClosed), 1)
	})
}

// drivenSession returns the session whose first turn has arrived.
func drivenSession(s *system) string {
	var turn sessionevents.Turn
	require.Eventually(s.t, func() bool {
		list := s.input(sessionevents.TypeTurnRaw)
		return len(list) > 0 && json.Unmarshal(list[0], &turn) == nil
	}, time.Minute, 20*time.Millisecond)
	return turn.Session
}

// A halt ends a driven agent in the middle of a tool and is reported as a halt.
func TestADrivenAgentIsHalted(t *testing.T) {
	driven(t, func(t *testing.T, a agent) {
		s := start(t)
		work := mockmodel.Commands("touch before", "touch reached", "sleep 60; touch after-1", "touch after-2")
		b := prepare(t, a, func(r mockmodel.Request) mockmodel.Step {
			if r.Results == 1 {
				s.halt(drivenSession(s))
			}
			return work(r)
		})
		o := b.drive(s)
		var results []int // the number of results before each request
		for _, r := range b.model.Requests() {
			results = append(results, r.Results)
		}
		t.Logf("results in the conversation of each request: %v", results)
		require.Equal(t, 1, o.code, "%s", tail(o.errors, 2000))
		require.Contains(t, o.errors, "halted by scaffoldwatch: "+failures)
		require.True(t, b.made("before"))
		require.False(t, b.made("after-1") || b.made("after-2"), "a tool ran after the halt")
		// Under load Claude Code may stop only the tool and begin one more request, which is then aborted.
		require.LessOrEqual(t, slices.Max(results), 3, "the model went on after the halt")
		require.Less(t, o.elapsed, 40*time.Second)
	})
}
