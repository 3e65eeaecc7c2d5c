package preflight_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// DP-24: halts deny, B warns; commits to main wait for a run's worktrees.
func TestDefaultsAreTheSpecification(t *testing.T) {
	c, err := preflight.LoadConfig(rules.Default())
	require.NoError(t, err)
	require.Equal(t, preflight.Classes{SelfRelease: "deny", Halt: preflight.ModeDeny, Security: preflight.ModeWarn, CommitToMain: preflight.ModeDeny, Destructive: preflight.ModeDeny}, c.Classes)
	require.NotContains(t, c.HaltStates, runevents.ControlDraining, "a soft break lets the task finish (RW-33)")
}

func TestLoadConfigRefuses(t *testing.T) {
	for override, says := range map[string]string{
		"preflight:\n  classes: {security: maybe}\n": "mine.yaml:2",
		"preflight:\n  halt_states: [running]\n":     "mine.yaml:2",
		"preflight:\n  max_bytes: 12\n":              "mine.yaml:2",
		"preflight:\n  clases: {}\n":                 "unknown key",
	} {
		set, err := rules.Load("mine.yaml", []byte(override))
		if err == nil {
			_, err = preflight.LoadConfig(set)
		}
		require.ErrorContains(t, err, says, override)
	}
}

// SW-7: whatever an answer holds, it is not the secret.
func TestAnswersHoldNoSecret(t *testing.T) {
	c := checker(t, "preflight: {classes: {security: deny}}")
	secret := secretstest.New(3).Provider("github")
	for name, input := range map[string]any{
		"content": map[string]any{"file_path": "a.py", "content": "TOKEN = '" + secret + "'"},
		"name":    map[string]any{"file_path": "a.py", "content": "D = {'" + secret + "': '" + secret + "'}"},
		"path":    map[string]any{"file_path": secret + ".py", "content": "TOKEN = '" + secret + "'"},
	} {
		raw, err := json.Marshal(input)
		require.NoError(t, err)
		answer, err := json.Marshal(c.Check(preflight.Call{Session: "s1", Name: "Write", Input: raw}))
		require.NoError(t, err)
		require.Contains(t, string(answer), `"deny"`, name)
		require.NotContains(t, string(answer), secret[:12], name)
	}
}

// CO-7: a mute of the rules that has a workspace applies there and below, and nowhere else.
func TestAMuteAppliesInItsWorkspace(t *testing.T) {
	mute := "dispatch: {mutes: [{scope: detector, detector: B1, workspace: /w/shop, by: ann, reason: demo keys}]}"
	c := checker(t, mute+"\npreflight: {classes: {security: deny}}")
	raw, err := json.Marshal(map[string]any{
		"file_path": "a.py", "content": "TOKEN = '" + secretstest.New(4).Provider("github") + "'",
	})
	require.NoError(t, err)
	for workspace, want := range map[string]preflight.Decision{
		"/w/shop": preflight.Allow, "/w/shop/api": preflight.Allow,
		"/w/shopping": preflight.Deny, "/w": preflight.Deny, "": preflight.Deny,
	} {
		a := c.Check(preflight.Call{Session: "s1", Name: "Write", Input: raw, Workspace: workspace})
		require.Equal(t, want, a.Decision, workspace)
	}
}

func TestLargeInputsAreNotExamined(t *testing.T) {
	raw, err := json.Marshal(map[string]any{"file_path": "a.py", "content": strings.Repeat("x = 1\n", 50_000)})
	require.NoError(t, err)
	a := checker(t, "").Check(preflight.Call{Name: "Write", Input: raw})
	require.Equal(t, preflight.Allow, a.Decision)
	require.Contains(t, a.Reason, "not examined: the input has 350")
	a = checker(t, "").Check(preflight.Call{Name: "Write", Input: raw, State: runevents.ControlHalted})
	require.Equal(t, preflight.Deny, a.Decision, "a halt needs no look at the input")
}

// The same call gives the same answer, and a checker keeps nothing.
func TestKeepsNothing(t *testing.T) {
	c := checker(t, "")
	raw := json.RawMessage(`{"file_path":"a.py","content":"T = '` + secretstest.New(4).Provider("github") + `'"}`)
	first := c.Check(preflight.Call{Session: "s1", Name: "Write", Input: raw})
	require.Equal(t, preflight.Warn, first.Decision)
	require.Equal(t, first, c.Check(preflight.Call{Session: "s1", Name: "Write", Input: raw}))
}

func FuzzCheck(f *testing.F) {
	c := checker(f, "")
	f.Add("Write", `{"file_path":"a.py","content":"password = 'hunter22'"}`)
	f.Add("Bash", `{"command":"cd /repo && git commit -am x"}`)
	f.Add("apply_patch", `"*** Begin Patch\n*** Add File: a\n+x\n"`)
	f.Add("Edit", `{"old_string":1,"new_string":[{}]}`)
	f.Add("", `{`)
	f.Fuzz(func(t *testing.T, name, input string) {
		a := c.Check(preflight.Call{
			Name: name, Input: json.RawMessage(input), Workspace: "/repo",
			Checkout: preflight.Checkout{Worktrees: []preflight.Worktree{{Path: "w"}}},
		})
		require.Equal(t, a.Decision == preflight.Allow, a.Text == "")
		require.NotEqual(t, "not examined: the call cannot be read", a.Reason, "something panicked")
	})
}

// Hooks of many sessions ask at once.
func TestManyAskAtOnce(t *testing.T) {
	c := checker(t, "")
	raw := json.RawMessage(`{"file_path":"a.py","content":"q = request.args['q']\ncursor.execute(f\"SELECT {q}\")\nT = '` + secretstest.New(5).Provider("github") + `'"}`)
	want := c.Check(preflight.Call{Session: "s", Name: "Write", Input: raw})
	require.Len(t, want.Signals, 2)
	var group sync.WaitGroup
	got := make([]preflight.Answer, 8)
	for i := range got {
		group.Go(func() { got[i] = c.Check(preflight.Call{Session: "s", Name: "Write", Input: raw}) })
	}
	group.Wait()
	for _, a := range got {
		require.Equal(t, want, a)
	}
}
