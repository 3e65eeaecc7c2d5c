package alone

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// station calls hooks to which no system answers.
type station struct {
	t     testing.TB
	dir   string
	guard Guard
	now   time.Time
}

func newStation(t testing.TB) *station {
	t.Helper()
	s := &station{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)}
	s.guard = Guard{Folder: filepath.Join(t.TempDir(), "hook"), Patience: time.Minute, Now: func() time.Time { return s.now }}
	s.git("init", "-q", "-b", "main")
	s.write("a.txt", "one\n")
	s.git("add", ".")
	s.git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first")
	return s
}

func (s *station) git(args ...string) {
	s.t.Helper()
	command := exec.Command("git", args...)
	command.Dir = s.dir
	out, err := command.CombinedOutput()
	require.NoError(s.t, err, "%s", out)
}

func (s *station) write(name, text string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600))
}

func (s *station) hook(session, name string, begins bool, fields map[string]any) hook.Reply {
	s.t.Helper()
	body := map[string]any{"session_id": session, "cwd": s.dir, "hook_event_name": name}
	for k, v := range fields {
		body[k] = v
	}
	raw, err := json.Marshal(body)
	require.NoError(s.t, err)
	agent, err := agents.Hooks().Named("claude-code")
	require.NoError(s.t, err)
	event, err := agent.Parse(raw)
	require.NoError(s.t, err)
	reply, err := s.guard.Hook(&event, begins)
	require.NoError(s.t, err)
	return reply
}

func (s *station) begin(session string) { s.hook(session, "SessionStart", true, nil) }

func (s *station) shell(session, id, command string) hook.Reply {
	return s.hook(session, "PreToolUse", false, map[string]any{"tool_name": "Bash", "tool_use_id": id, "tool_input": map[string]any{"command": command}})
}

func (s *station) edit(session, name string) {
	s.t.Helper()
	r := s.hook(session, "PreToolUse", false, map[string]any{"tool_name": "Write", "tool_use_id": "w", "tool_input": map[string]any{"file_path": filepath.Join(s.dir, name), "content": "x"}})
	require.Empty(s.t, r.Deny)
	s.write(name, "x")
}

func (s *station) spooled() (list []*sessionevents.GuardDecided) {
	s.t.Helper()
	_, err := SpoolOf(s.guard.Folder).Take(context.Background(), func(_ context.Context, e events.Event) error {
		list = append(list, e.Data.(*sessionevents.GuardDecided))
		return nil
	})
	require.NoError(s.t, err)
	return list
}

// GD-20: without a system the person's work is guarded, a session's own is not in its way, and another
// session's is known.
func TestTheGuardHoldsWithoutASystem(t *testing.T) {
	s := newStation(t)
	s.write("thesis.md", "chapter one\n")
	s.begin("s1")
	require.Contains(t, s.shell("s1", "c1", "rm -rf thesis.md").Deny, "thesis.md of the person")
	s.edit("s1", "probe.txt")
	require.Equal(t, hook.Reply{}, s.shell("s1", "c2", "rm probe.txt"))
	s.begin("s2")
	s.edit("s2", "plan.md")
	require.Contains(t, s.shell("s1", "c3", "git clean -fd").Deny, `plan.md of session "s2"`)
	require.Equal(t, hook.Reply{}, s.shell("s1", "c4", "go test ./..."))

	list := s.spooled()
	require.Len(t, list, 2, "one for each denial")
	require.True(t, list[0].Alone)
	require.Equal(t, "person", list[0].Acts[0].Owner)
	require.Equal(t, s.dir, list[0].Workspace, "it names a session that nothing else names (CO-5)")
	require.Empty(t, s.spooled(), "taken in once")
}

// A session that was at work before the first hook without a system is not denied its own work: nobody
// knows whose it is, so it is kept first.
func TestASessionThatIsUnderWay(t *testing.T) {
	s := newStation(t)
	s.write("a.txt", "two\n")
	s.hook("s1", "UserPromptSubmit", false, map[string]any{"prompt": "Go on."})
	reply := s.shell("s1", "c1", "git checkout .")
	require.Empty(t, reply.Deny)
	require.Contains(t, reply.Context, "scaffoldwatch rescue restore")
	require.Equal(t, reply.Context, reply.Person, "the person sees it")
	list := s.spooled()
	require.Equal(t, sessionevents.GuardKept, list[0].Happened())
}

// RW-34 holds without a system as well.
func TestAnAgentDoesNotReleaseItself(t *testing.T) {
	s := newStation(t)
	s.begin("s1")
	for _, command := range []string{"scaffoldwatch resume s1 --why x", "scaffoldwatch allow 4f2", "scaffoldwatch uninstall", "sh -c 'scaffoldwatch allow 4f2'"} {
		require.Contains(t, s.shell("s1", "c-"+command, command).Deny, "Only a person may do this", "%s", command)
	}
}

// SW-7: what lies on disk holds no secret, and only its owner reads it.
func TestWhatIsKeptIsPrivate(t *testing.T) {
	s := newStation(t)
	s.write("thesis.md", "chapter one\n")
	s.begin("s1")
	secret := secretstest.New(9).Provider("github")
	require.NotEmpty(t, s.shell("s1", "c1", "TOKEN="+secret+" rm -rf thesis.md ../"+secret).Deny)
	files := 0
	require.NoError(t, filepath.WalkDir(s.guard.Folder, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		if d.IsDir() {
			return nil
		}
		files++
		data, err := os.ReadFile(path) //nolint:gosec // the test's own
		require.NoError(t, err)
		require.NotContains(t, string(data), secret, path)
		require.NotContains(t, string(data), "chapter", path)
		return nil
	}))
	require.Equal(t, 2, files)
}

// Each decision is given until it is taken, in order, and the spool is bounded.
func TestTheSpool(t *testing.T) {
	spool := Spool{filepath.Join(t.TempDir(), "decided")}
	taken, err := spool.Take(context.Background(), nil)
	require.NoError(t, err)
	require.Zero(t, taken)
	event := func(id string) events.Event {
		return events.Event{ID: id, Source: "/s", Type: sessionevents.TypeGuardDecided, Subject: "s1", Time: time.Now(), Data: &sessionevents.GuardDecided{Session: "s1", Verdict: sessionevents.HookDeny, Acts: []sessionevents.GuardAct{}}}
	}
	require.NoError(t, spool.Put(event("one")))
	require.NoError(t, spool.Put(event("one")))
	require.NoError(t, spool.Put(event("two")))
	bad, later := filepath.Join(spool.Folder, "bad.event"), time.Now().Add(time.Minute) // all may be written within one tick
	require.NoError(t, os.WriteFile(bad, []byte("{"), 0o600))
	require.NoError(t, os.Chtimes(bad, later, later))
	down := errors.New("down")
	_, err = spool.Take(context.Background(), func(context.Context, events.Event) error { return down })
	require.ErrorIs(t, err, down)
	var ids []string
	taken, err = spool.Take(context.Background(), func(_ context.Context, e events.Event) error { ids = append(ids, e.ID); return nil })
	require.Equal(t, 2, taken)
	require.ElementsMatch(t, []string{"one", "two"}, ids)
	require.ErrorContains(t, err, "bad.event")
	entries, err := os.ReadDir(spool.Folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// GD-11: the word of a denial, typed by a person, lets that very call run once; without a system too.
func TestAllowOnceWithoutASystem(t *testing.T) {
	s := newStation(t)
	s.write("thesis.md", "chapter one\n")
	s.begin("s1")
	word := func(r hook.Reply) string {
		require.Contains(t, r.Deny, "by typing: allow ")
		return r.Deny[strings.LastIndex(r.Deny, " ")+1:]
	}
	first := word(s.shell("s1", "c1", "git clean -fd"))
	require.Contains(t, s.shell("s1", "c2", "claude --resume s1 -p 'allow "+first+"'").Deny, "Only a person may do this")
	require.NotEmpty(t, s.shell("s1", "c3", "git clean -fd").Deny, "what the agent says does nothing")
	prompt := s.hook("s1", "UserPromptSubmit", false, map[string]any{"prompt": "allow " + first})
	require.Contains(t, prompt.Context, "the person allows the call")
	require.NotEmpty(t, s.shell("s1", "c4", "rm -rf .").Deny, "another call")
	require.Empty(t, s.shell("s1", "c5", "git clean -fd").Deny)
	again := word(s.shell("s1", "c6", "git clean -fd"))

	_, err := s.guard.Lift(again, "ann", func() error { return errors.New("not confirmed") })
	require.ErrorContains(t, err, "not confirmed")
	require.NotEmpty(t, s.shell("s1", "c6b", "git clean -fd").Deny, "nobody meant it")
	meant := func() error { return nil }
	session, err := s.guard.Lift(again, "ann", meant)
	require.NoError(t, err)
	require.Equal(t, "s1", session)
	session, err = s.guard.Lift("fffff", "ann", meant)
	require.NoError(t, err)
	require.Empty(t, session)
	require.Empty(t, s.shell("s1", "c7", "git clean -fd").Deny)
	var by []string
	for _, d := range s.spooled() {
		if d.Permission != nil {
			require.NotEqual(t, sessionevents.GuardDenied, d.Happened())
			by = append(by, d.Permission.By)
		}
	}
	require.ElementsMatch(t, []string{"the person at the prompt", "ann"}, by)

	late := word(s.shell("s1", "c8", "git clean -fd"))
	s.now = s.now.Add(11 * time.Minute)
	require.Contains(t, s.hook("s1", "UserPromptSubmit", false, map[string]any{"prompt": "allow " + late}).Context, "no denial of this session")
	require.NotEmpty(t, s.shell("s1", "c9", "git clean -fd").Deny)
}

// GD-5, GD-20: a script that the session wrote is read when it is run, also without a system.
func TestAScriptOfTheSession(t *testing.T) {
	s := newStation(t)
	s.write("thesis.md", "chapter one\n")
	s.begin("s1")
	s.edit("s1", "tidy.sh")
	s.write("tidy.sh", "#!/bin/sh\nrm -rf thesis.md\n")
	for _, command := range []string{"bash tidy.sh", "./tidy.sh", "sh -e ./tidy.sh", "source tidy.sh"} {
		require.Contains(t, s.shell("s1", command, command).Deny, "thesis.md of the person", command)
	}
	require.Equal(t, hook.Reply{}, s.shell("s1", "c5", "cat tidy.sh"))
	s.begin("s2")
	require.Equal(t, hook.Reply{}, s.shell("s2", "c6", "bash tidy.sh"), "no script of this session")
}

// GD-9, GD-20: a workspace's file tightens packs without a system too, and loosens none.
func TestAWorkspacesFileWithoutASystem(t *testing.T) {
	s := newStation(t)
	s.write("thesis.md", "chapter one\n")
	s.write(".scaffoldwatch.yaml", "guard: {core: off, data: deny}\n")
	s.begin("s1")
	require.NotEmpty(t, s.shell("s1", "c1", "rm -rf thesis.md").Deny)
	require.NotEmpty(t, s.shell("s1", "c2", "psql shop -c 'DROP TABLE orders'").Deny)
}
