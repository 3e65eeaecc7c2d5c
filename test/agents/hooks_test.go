package agents

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// headline begins what an agent is told.
const headline = "SCAFFOLD-WATCH INTERRUPT"

// patient makes a reply wait for the decision about its turn almost as long as a hook waits for the reply:
// on a loaded machine a decision takes longer than the default, 25 ms, and the interrupt would come with
// the next hook.
const patient = "SCAFFOLDWATCH_HOOKS_WAIT=800ms"

// A turn that writes a credential into code is answered at once: the very next request of the agent
// contains the interrupt, and no later one contains a second.
func TestAnInterruptReachesTheModel(t *testing.T) {
	for i, a := range allAgents {
		t.Run(a.name, func(t *testing.T) {
			commandLines(t)
			planted := plant(uint64(100 + i))
			s := start(t, patient)
			b := prepare(t, a, mockmodel.Commands("touch one", planted, "touch three", "touch four"))
			b.install(s.url)
			o := b.run()
			require.Zero(t, o.code, "%s\n%s", tail(o.out, 2000), tail(o.errors, 2000))
			require.True(t, b.made("one") && b.made("settings.py") && b.made("four"))

			told := tellings(b.model.Requests())
			t.Logf("interrupts in the conversation of each request: %v", told)
			require.Equal(t, 0, told[1], "before the secret was written")
			require.Equal(t, 1, told[2], "in the request after it")
			require.Equal(t, 1, slices.Max(told), "an interrupt is said once (DP-21)")
			requireDelivered(t, s)
		})
	}
}

// tellings counts the interrupts in each request, which contains the conversation.
func tellings(requests []mockmodel.Request) []int {
	counts := make([]int, len(requests))
	for i, r := range requests {
		counts[i] = strings.Count(r.Body, headline)
	}
	return counts
}

// requireDelivered requires the delivery to be recorded: emitted, then acknowledged when the session
// continued.
func requireDelivered(t *testing.T, s *system) {
	t.Helper()
	require.Eventually(t, func() bool {
		var states []sessionevents.DeliveryState
		for _, data := range s.input(sessionevents.TypeInterruptDelivery) {
			var d sessionevents.InterruptDelivery
			require.NoError(t, json.Unmarshal(data, &d))
			states = append(states, d.State)
		}
		return slices.Contains(states, sessionevents.DeliveryEmitted) && slices.Contains(states, sessionevents.DeliveryAcked)
	}, time.Minute, 50*time.Millisecond)
}

// A halt stops the work: no tool runs after it, and if the agent can be stopped hard, no request is made
// either.
func TestAHaltStopsTheRun(t *testing.T) {
	for _, a := range allAgents {
		t.Run(a.name, func(t *testing.T) {
			commandLines(t)
			s := start(t)
			work := mockmodel.Commands("touch before", "touch after-1", "touch after-2", "touch after-3", "touch after-4")
			plan, halted := s.halting(work)
			b := prepare(t, a, plan)
			b.install(s.url)
			o := b.run()
			require.True(t, halted() && b.made("before"))
			for n := 1; n <= 4; n++ {
				require.False(t, b.made(fmt.Sprintf("after-%d", n)), "a tool ran after the halt")
			}
			last := b.model.Requests()[len(b.model.Requests())-1]
			if a.hard {
				require.Equal(t, 1, last.Results, "a request was made after the halt\n%s", tail(o.out, 3000))
				return
			}
			require.Contains(t, last.Body, failures, "the model is told why no tool runs")
		})
	}
}

// If nothing answers, a run does the same work, prints at most one line, and takes as long as without
// hooks.
func TestAnUnreachableSystemCostsNothing(t *testing.T) {
	for _, a := range allAgents {
		t.Run(a.name, func(t *testing.T) {
			commandLines(t)
			work := mockmodel.Commands("touch one", "touch two", "touch three")
			plain, hooked := time.Hour, time.Hour
			for range 3 { // the fastest of three, alternating
				b := prepare(t, a, work)
				o := b.run()
				require.Zero(t, o.code)
				plain = min(plain, o.elapsed)

				h := prepare(t, a, work)
				h.install("http://" + natstest.FreeAddresses(t, 1)[0])
				o = h.run()
				require.Zero(t, o.code, "%s\n%s", tail(o.out, 2000), tail(o.errors, 2000))
				hooked = min(hooked, o.elapsed)
				require.True(t, h.made("three"))
				require.Len(t, h.model.Requests(), len(b.model.Requests()))
				require.NotContains(t, o.errors, "scaffoldwatch hook", "nothing is printed per call (CO-3)")
				require.LessOrEqual(t, lines(o.errors, "scaffoldwatch"), 1, "%s", o.errors)
			}
			t.Logf("%s: %d ms without hooks, %d ms with hooks that nobody answers", a.name, plain.Milliseconds(), hooked.Milliseconds())
		})
	}
}

// With --fail-closed no tool runs while nothing answers, and the run still ends.
func TestFailClosedRunsNoTool(t *testing.T) {
	for _, a := range allAgents {
		t.Run(a.name, func(t *testing.T) {
			b := prepare(t, a, mockmodel.Commands("touch one", "touch two"))
			b.install("http://"+natstest.FreeAddresses(t, 1)[0], "--fail-closed")
			b.run()
			require.False(t, b.made("one") || b.made("two"), "a tool ran")
			requests := b.model.Requests()
			require.Contains(t, requests[len(requests)-1].Body, "does not answer", "the model is told why")
		})
	}
}

// After uninstall an agent's settings are as they were before.
func TestUninstallGivesTheSettingsBack(t *testing.T) {
	for _, a := range allAgents {
		t.Run(a.name, func(t *testing.T) {
			t.Setenv(hooktoken.Variable, t.TempDir())
			b := prepare(t, a, mockmodel.Commands())
			before := tree(t, b.home)
			b.install("http://" + natstest.FreeAddresses(t, 1)[0])
			require.NotEqual(t, before, tree(t, b.home))
			b.scaffoldwatch("uninstall", "--agent", b.name)
			require.Equal(t, before, tree(t, b.home))
		})
	}
}

// tree returns every file below a folder with its content.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	}))
	return files
}

// Claude Code accepts the plugin.
func TestPluginIsValid(t *testing.T) {
	b := prepare(t, allAgents[0], mockmodel.Commands())
	folder, err := filepath.Abs(filepath.Join("..", "..", "deploy", "claude-code-plugin"))
	require.NoError(t, err)
	command := exec.Command(filepath.Join(b.tools, "claude"), "plugin", "validate", folder)
	command.Env, command.Dir = b.environment(), b.project
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "hooks: SessionStart command")
	require.Contains(t, string(out), "hooks: PostToolBatch command")
}
