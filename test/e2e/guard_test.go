package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// personsWork returns a repository with a file that a person changed and did not commit.
func personsWork(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "a"},
		{"config", "user.email", "a@example.org"},
		{"commit", "-q", "--allow-empty", "-m", "first"},
	} {
		command := exec.Command("git", args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.md"), []byte("chapter one\n"), 0o600))
	return dir
}

// guardEvents returns the guard's answers in DECISIONS.
func (s *running) guardEvents() (list []events.Event) {
	s.decisions(func(e events.Event) {
		if e.Type == sessionevents.TypeGuardDecided {
			list = append(list, e)
		}
	})
	return list
}

// What is denied through a hook appears in DECISIONS, feed and report, and none of them claims that nothing
// happened; the denied call is part of its turn as a rejected one, and a replay decides the same (GD-21).
func TestADenialIsSeen(t *testing.T) {
	s := hooked(t, time.Minute)
	dir := personsWork(t)
	a := &hookedAgent{running: s, name: "claude-code", session: "guard-1"}
	where := func(more fields) fields { more["cwd"] = dir; return more }
	a.hook("SessionStart", where(fields{"source": "startup"}))
	a.hook("UserPromptSubmit", where(fields{"prompt": "Fix the totals."}))
	input := fields{"command": "rm -rf thesis.md"}
	call := where(fields{"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": input})
	require.Contains(t, a.hook("PreToolUse", call), `"permissionDecision":"deny"`)
	a.hook("PreToolUse", call) // an agent that asks twice
	a.hook("Stop", where(fields{"last_assistant_message": "I leave the file alone.", "stop_hook_active": false}))
	a.hook("SessionEnd", where(fields{"reason": "other"}))
	s.decided(1)
	require.Eventually(t, func() bool { return len(s.guardEvents()) == 1 }, patience, 20*time.Millisecond)

	event := s.guardEvents()[0]
	decided := event.Data.(*sessionevents.GuardDecided)
	require.Equal(t, sessionevents.GuardDenied, decided.Happened())
	require.Equal(t, filepath.Join(dir, "thesis.md"), decided.Acts[0].Target)
	theme := terminal.New(&bytes.Buffer{}, func(string) string { return "" })
	require.Contains(t, theme.Feed(event), "✗ denied: rm -rf thesis.md")

	model, err := decisions.ReadReport(t.Context(), s.broker, "guard-1")
	require.NoError(t, err)
	require.Equal(t, 1, model.Prevented.Denied)
	require.NotContains(t, sessionreport.Summary(model), "interrupts")
	for _, turn := range model.TurnByTurn {
		require.Empty(t, turn.Edited, "a denied call edits nothing")
	}
	s.replays()
}

// What hooks decided while nothing answered is taken in once, even if it is sent twice (GD-20).
func TestTheSpoolIsTakenIn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "hook")
	spool := alone.SpoolOf(folder)
	event := wire.GuardEvent(&sessionevents.GuardDecided{
		Session: "alone-1", Call: "c1", Verdict: sessionevents.HookDeny, Command: "git checkout .", Alone: true, Acts: []sessionevents.GuardAct{{Act: "discard", Target: "/r/a.txt"}},
	}, "alone-1", "")
	event.Time = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	require.NoError(t, spool.Put(event))
	s := start(t, func(c *config.Config) { c.Hooks.Spool = spool.Folder })
	require.Eventually(t, func() bool { return len(s.guardEvents()) == 1 }, patience, 20*time.Millisecond)
	require.Equal(t, event.Time, s.guardEvents()[0].Time)
	require.NoError(t, spool.Put(event)) // as after a crash between the broker's answer and the removal
	other := *event.Data.(*sessionevents.GuardDecided)
	other.Call = "c2"
	later := wire.GuardEvent(&other, "alone-1", "")
	later.Time = event.Time.Add(time.Minute)
	require.NoError(t, spool.Put(later))
	require.Eventually(t, func() bool { return len(s.guardEvents()) >= 2 }, patience, 20*time.Millisecond)
	require.Len(t, s.guardEvents(), 2)
	model, err := decisions.ReadReport(t.Context(), s.broker, "alone-1")
	require.NoError(t, err)
	require.Equal(t, 2, model.Prevented.Denied)
	require.Contains(t, model.Prevented.Calls[0].What(), "`scaffoldwatch up` was not running")
}

// asks sends a hook through a command as an agent runs it, and returns what the agent reads.
func (i *installed) asks(command *exec.Cmd, dir, event string, more fields) string {
	i.t.Helper()
	body := fields{"session_id": "s1", "hook_event_name": event, "cwd": dir}
	for k, v := range more {
		body[k] = v
	}
	raw, err := json.Marshal(body)
	require.NoError(i.t, err)
	command.Stdin = bytes.NewReader(raw)
	out, err := command.Output()
	require.NoError(i.t, err)
	return string(out)
}

// GD-11: `scaffoldwatch allow` reaches the hooks of a running system through its broker: it allows this
// call once, and the record names who allowed it.
func TestAllowThroughTheBroker(t *testing.T) {
	if testing.Short() {
		t.Skip("starts services")
	}
	i := install(t)
	address := natstest.FreeAddresses(t, 1)[0]
	broker := i.startAnswering(i.file("data"), address)
	dir := personsWork(t)
	hook := func(event string, more fields) string {
		return i.asks(i.command("hook", "--agent", "claude-code", "--url", "http://"+address), dir, event, more)
	}
	call := fields{"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": fields{"command": "rm -rf thesis.md"}}
	ready := func() bool {
		r, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			return false
		}
		defer r.Body.Close()
		return r.StatusCode == http.StatusOK
	}
	require.Eventually(t, ready, patience, 50*time.Millisecond)
	hook("SessionStart", fields{"source": "startup"})
	hook("UserPromptSubmit", fields{"prompt": "Fix the totals."})
	denied := hook("PreToolUse", call)
	require.Contains(t, denied, `"permissionDecision":"deny"`)
	word := regexp.MustCompile(`allow ([0-9a-f]+)`).FindStringSubmatch(denied)
	require.Len(t, word, 2, denied)
	decided := func(is func(*sessionevents.GuardDecided) bool) bool {
		found := false
		o := read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Filters: []string{"decisions." + sessionevents.TypeGuardDecided + ".>"}}
		require.NoError(t, read.All(t.Context(), broker, o, func(a read.Accepted) error {
			d, guarded := a.Input.Event.Data.(*sessionevents.GuardDecided)
			found = found || guarded && is(d)
			return nil
		}))
		return found
	}
	require.Eventually(t, func() bool { return decided(func(d *sessionevents.GuardDecided) bool { return d.Word == word[1] }) }, patience, 50*time.Millisecond)

	i.fails("allow", "zzz", "--by", "ann", "--operator", i.key("operator"))
	require.Contains(t, i.must("allow", word[1], "--by", "ann", "--operator", i.key("operator")), "allowed once")
	let := ""
	require.Eventually(t, func() bool {
		let = hook("PreToolUse", call)
		return !strings.Contains(let, `"deny"`)
	}, patience, 50*time.Millisecond)
	require.Contains(t, let, "Uncommitted work is kept")
	require.Contains(t, hook("PreToolUse", call), `"permissionDecision":"deny"`, "once")
	require.Eventually(t, func() bool {
		return decided(func(d *sessionevents.GuardDecided) bool { return d.Permission != nil && d.Permission.By == "ann" })
	}, patience, 50*time.Millisecond)
}

// GD-22: the command that install writes into an agent's settings works no matter where the agent is
// started, also with another PATH, and while no system runs; the doctor reports a program that was moved.
func TestTheInstalledHookWithAnotherPath(t *testing.T) {
	i := install(t)
	dir := personsWork(t)
	folder := i.file(".claude")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	tools := i.file("tools")
	require.NoError(t, os.MkdirAll(tools, 0o700))
	for _, name := range []string{"scaffoldwatch", "scaffoldwatch-hook"} {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(i.program), name))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(tools, name), data, 0o700)) //nolint:gosec // a program
	}
	i.program = filepath.Join(tools, "scaffoldwatch")
	environment := func(c *exec.Cmd, path string) *exec.Cmd {
		c.Env = append(c.Env, "CLAUDE_CONFIG_DIR="+folder, "XDG_CACHE_HOME="+i.file("cache"), "PATH="+path)
		return c
	}
	out, err := environment(i.command("install", "--agent", "claude-code"), tools+":/usr/bin:/bin").CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(filepath.Join(folder, "settings.json"))
	require.NoError(t, err)
	command := regexp.MustCompile(`"command": *"((?:[^"\\]|\\.)+)"`).FindStringSubmatch(string(text))
	require.Len(t, command, 2, "%s", text)
	require.True(t, strings.HasPrefix(strings.Trim(command[1], `\'"`), tools), "an absolute path: %s", command[1])

	run := func() *exec.Cmd {
		c := i.command()
		c.Path, c.Args = "/bin/sh", []string{"sh", "-c", command[1]}
		return environment(c, "/usr/bin:/bin")
	}
	i.asks(run(), dir, "SessionStart", fields{"source": "startup"})
	denied := i.asks(run(), dir, "PreToolUse", fields{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": fields{"command": "rm -rf thesis.md"}})
	require.Contains(t, denied, `"permissionDecision":"deny"`)
	require.Contains(t, denied, "thesis.md of the person")

	out, err = environment(i.command("doctor", "--test", "claude-code"), "/usr/bin:/bin").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "was denied by")

	program := strings.Fields(strings.Trim(command[1], `\'"`))[0]
	require.NoError(t, os.Rename(program, program+"-moved"))
	if program == i.program {
		i.program += "-moved"
	}
	out, _ = environment(i.command("doctor"), "/usr/bin:/bin").CombinedOutput()
	require.Contains(t, string(out), program+", which does not exist", "the doctor names it")
}
