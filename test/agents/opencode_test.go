package agents

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// A subagent of OpenCode belongs to its parent's session under its own name: it is told what concerns its own
// work, and its parent goes on (IN-21).
func TestASubagentOfOpenCode(t *testing.T) {
	commandLines(t)
	a := openCode()
	planted := plant(400)
	const errand = "Write the settings of the shop."
	work := mockmodel.Commands(planted, "touch two")
	own := func(r mockmodel.Request) bool { return strings.Contains(first(r.Body), errand) }
	s := start(t, patient)
	b := prepare(t, a, func(r mockmodel.Request) mockmodel.Step {
		switch {
		case own(r):
			return work(r)
		case r.Results == 0:
			return mockmodel.Step{Say: "I let somebody else do it.", Ask: errand}
		}
		return mockmodel.Step{Say: done}
	})
	b.install(s.url)
	o := b.run()
	require.Zero(t, o.code, "%s\n%s", tail(o.out, 2000), tail(o.errors, 2000))
	require.True(t, b.made("settings.py") && b.made("two"))

	var of, others []mockmodel.Request
	for _, r := range b.model.Requests() {
		if own(r) {
			of = append(of, r)
		} else {
			others = append(others, r)
		}
	}
	t.Logf("interrupts in the subagent's requests %v, in its parent's %v", tellings(of), tellings(others))
	told := tellings(of)
	require.Len(t, told, 3)
	require.Equal(t, 1, told[2], "who wrote the credential is told, once")
	require.Len(t, others, 2)

	session := s.session()
	var its []string // the hooks of the subagent
	for _, data := range s.input(sessionevents.TypeHookReceived) {
		var hook sessionevents.HookReceived
		require.NoError(t, json.Unmarshal(data, &hook))
		require.Equal(t, session, hook.Session, "one session for both")
		var payload struct {
			Agent string `json:"agent_id"`
		}
		require.NoError(t, json.Unmarshal(hook.Payload, &payload))
		if payload.Agent != "" {
			its = append(its, hook.Event)
		}
	}
	require.Equal(t, "SubagentStart", its[0])
	require.Equal(t, "SubagentStop", its[len(its)-1])
	require.Equal(t, 2, count(its, "PreToolUse"))
	require.Equal(t, 2, count(its, "PostToolUse"))
}

// When OpenCode has shortened a conversation that had become too long, the session goes on as the same one, and
// the system knows of it (IN-21).
func TestACompactionOfOpenCode(t *testing.T) {
	commandLines(t)
	s := start(t, patient)
	requests := 0
	b := prepare(t, openCode(), func(mockmodel.Request) mockmodel.Step {
		requests++
		switch requests {
		case 1:
			return mockmodel.Step{Say: "One.", Run: "touch one"}
		case 2:
			return mockmodel.Step{Say: "Two.", Run: "touch two", Tokens: window}
		case 3:
			return mockmodel.Step{Say: "Three.", Run: "touch three"}
		}
		return mockmodel.Step{Say: done}
	})
	b.install(s.url)
	o := b.run()
	require.Zero(t, o.code, "%s\n%s", tail(o.out, 2000), tail(o.errors, 2000))
	require.True(t, b.made("two") && b.made("three"))
	session := s.session()
	var hooks []string
	for _, data := range s.input(sessionevents.TypeHookReceived) {
		var hook sessionevents.HookReceived
		require.NoError(t, json.Unmarshal(data, &hook))
		require.Equal(t, session, hook.Session)
		hooks = append(hooks, hook.Event)
	}
	t.Log(hooks)
	require.Equal(t, 1, count(hooks, "PostCompact"))
	require.Equal(t, 4, count(hooks, "AssistantText"), "the summary is not the agent's word (IN-3)")
	require.Greater(t, len(hooks), slices.Index(hooks, "PostCompact")+1, "the session goes on")
	require.Equal(t, b.scanned(), s.turns(), "live and scan count the same turns (IN-2)")
}

// The person at OpenCode's terminal sees for a while that nothing is listening, and what the agent is told (CO-3,
// CO-4).
func TestThePersonAtOpenCodeSeesNotices(t *testing.T) {
	commandLines(t)
	quiet := prepare(t, openCode(), saysDone("touch one"))
	quiet.install("http://" + natstest.FreeAddresses(t, 1)[0])
	quiet.open("do it").shows("scaffoldwatch is not running")

	s := start(t, patient)
	b := prepare(t, openCode(), saysDone("touch one", plant(500), "sleep 1", "touch three"))
	b.install(s.url)
	b.open("do it").shows(headline)
}

// exported returns a file with the session of the run, as OpenCode exports it.
func (b *bench) exported() string {
	b.t.Helper()
	run := func(args ...string) []byte {
		command := exec.CommandContext(b.t.Context(), filepath.Join(b.tools, "opencode"), args...)
		command.Env, command.Dir = b.environment(), b.project
		out, err := command.Output()
		require.NoError(b.t, err)
		return out
	}
	var sessions []struct {
		ID string `json:"id"`
	}
	list := run("session", "list", "--format", "json")
	require.NoError(b.t, json.Unmarshal(list, &sessions), "%s", list)
	require.NotEmpty(b.t, sessions)
	path := filepath.Join(b.t.TempDir(), "session.json")
	require.NoError(b.t, os.WriteFile(path, run("export", sessions[0].ID), 0o600))
	return path
}

func openCode() agent {
	return allAgents[slices.IndexFunc(allAgents, func(a agent) bool { return a.name == "opencode" })]
}

// first returns the beginning of a conversation: what was asked.
func first(body string) string {
	var m struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if json.Unmarshal([]byte(body), &m) != nil || len(m.Messages) == 0 {
		return ""
	}
	return string(m.Messages[0])
}

func count(list []string, word string) int {
	n := 0
	for _, one := range list {
		if one == word {
			n++
		}
	}
	return n
}
