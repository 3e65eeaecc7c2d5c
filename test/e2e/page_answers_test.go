package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// acts returns the acts of people that DECISIONS holds.
func (s *running) acts(act runevents.Act) (list []*runevents.OperatorAct) {
	s.decisions(func(e events.Event) {
		if d, is := e.Data.(*runevents.OperatorAct); is && d.Act == act {
			list = append(list, d)
		}
	})
	return list
}

// eventually waits until the page at a path shows a text, and returns the page.
func (v visitor) eventually(path, want string) (page string) {
	v.t.Helper()
	require.Eventually(v.t, func() bool {
		_, page = v.get(path)
		return strings.Contains(page, want)
	}, patience, 50*time.Millisecond, "%s: %s", path, want)
	return page
}

// CO-11a, GD-11, GD-6: on the page a person allows a denied call once, and restores what a command would
// have destroyed; both announce what they do, and are recorded with the person's name.
func TestPreventedIsAnsweredOnThePage(t *testing.T) {
	s := hooked(t, time.Minute)
	v := s.visit()
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	dir := personsWork(t)
	a := &hookedAgent{running: s, name: "claude-code", session: "page-1"}
	where := func(more fields) fields { more["cwd"] = dir; return more }
	a.hook("SessionStart", where(fields{"source": "startup"}))
	a.hook("UserPromptSubmit", where(fields{"prompt": "Fix the totals."}))
	call := where(
		fields{"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": fields{"command": "rm -rf thesis.md"}},
	)
	require.Contains(t, a.hook("PreToolUse", call), `"permissionDecision":"deny"`)

	keyed := "/prevented?key=" + pageKey
	page := v.eventually(keyed, "Allow once…")
	word := regexp.MustCompile(`name="target" value="([0-9a-f]+)"`).FindStringSubmatch(page)[1]
	_, open := v.get("/prevented")
	require.NotContains(t, open, "<form")
	allow := []string{"act", "allow", "of", "page-1", "target", word, "why", "the draft is in the mail"}
	status, _ := v.post("/act", v.base, allow...)
	require.Equal(t, http.StatusForbidden, status, "without the key")
	status, page = v.get("/answer?key=" + pageKey + "&act=allow&of=page-1&target=" + word)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, "rm -rf thesis.md")
	require.Contains(t, page, "cannot be undone")
	for _, other := range []string{"zzz", "", "%00"} {
		status, _ = v.get("/answer?key=" + pageKey + "&act=allow&of=page-1&target=" + other)
		require.Equal(t, http.StatusConflict, status, other)
	}
	status, _ = v.post("/act", v.base, append(allow, "key", pageKey, "back", "/prevented")...)
	require.Equal(t, http.StatusSeeOther, status)
	page = v.eventually(keyed, "Allowed once by ann")
	require.NotContains(t, page, "Allow once…")
	require.Equal(t, "the draft is in the mail", s.acts(runevents.ActAllow)[0].Why)

	let := ""
	require.Eventually(t, func() bool {
		let = a.hook("PreToolUse", call)
		return !strings.Contains(let, `"deny"`)
	}, patience, 50*time.Millisecond)
	require.Contains(t, let, "Uncommitted work is kept")
	require.NoError(t, os.Remove(filepath.Join(dir, "thesis.md"))) // as the agent does now

	page = v.eventually(keyed, "Restore…")
	kept := regexp.MustCompile(`rescue restore ([^<\s]+)`).FindStringSubmatch(page)[1]
	restore := []string{"key", pageKey, "act", "restore", "of", "page-1", "target", kept}
	status, page = v.get("/answer?key=" + pageKey + "&act=restore&of=page-1&target=" + kept)
	require.Equal(t, http.StatusOK, status, page)
	require.Contains(t, page, "thesis.md")
	require.Contains(t, page, dir)
	status, page = v.get("/answer?key=" + pageKey + "&act=restore&of=page-1&target=nosuch")
	require.Equal(t, http.StatusConflict, status, page)
	status, page = v.post("/act", v.base, restore...)
	require.Equal(t, http.StatusSeeOther, status, page)
	text, err := os.ReadFile(filepath.Join(dir, "thesis.md"))
	require.NoError(t, err)
	require.Equal(t, "chapter one\n", string(text))
	done := s.acts(runevents.ActRestore)
	require.Len(t, done, 1)
	require.Equal(t, "ann", done[0].By)
	require.Equal(t, kept, done[0].Target)
	s.replays()
}

// CO-10: the choices at a denied merge, the approval of a plan, a halt and a mute, each with a reason.
func TestRunsAreAnsweredOnThePage(t *testing.T) {
	s := hooked(t, time.Minute)
	v := s.visit()
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	withKey := func(form ...string) []string { return append([]string{"key", pageKey}, form...) }
	state := func(id string) runevents.ControlState {
		one, err := decisions.RunOf(t.Context(), s.broker, id)
		require.NoError(t, err)
		return one.State
	}
	saw := s.openRun("saw")
	saw.tell(
		&runevents.RunStarted{Kind: "saw", Goal: "split"},
		&runevents.ScoutCompleted{Verdict: "SUITABLE", Waves: 1},
		&runevents.WavePlanned{
			Wave:   1,
			Agents: []runevents.WaveAgent{{Letter: "A", Owns: []string{"a/"}}, {Letter: "B", Owns: []string{"b/"}}},
		},
	)
	refused := saw.tell(&runevents.WaveStarted{Wave: 1}).Refused()
	require.NotNil(t, refused)
	page := v.eventually("/?key="+pageKey, "Approve the plan…")
	require.Contains(t, page, "start of wave 1 denied")
	status, _ := v.post("/act", v.base, withKey("act", "approve", "of", "saw", "why", " ")...)
	require.Equal(t, http.StatusConflict, status)
	status, page = v.post("/act", v.base, withKey("act", "approve", "of", "saw", "why", "read it")...)
	require.Equal(t, http.StatusSeeOther, status, page)
	require.Nil(t, saw.tell(&runevents.WaveStarted{Wave: 1}).Refused())

	saw.tell(
		&runevents.WaveMergeRequested{
			Wave:   1,
			Base:   "main",
			Agents: []runevents.WaveBranch{{Letter: "A", CommitCount: 2}, {Letter: "B"}},
		},
	)
	require.Equal(t, runevents.ControlHalted, state("saw"))
	page = v.eventually("/?key="+pageKey, `value="recover"`)
	require.Equal(t, 3, strings.Count(page, `value="recover"`), "1, 2 and 3")
	require.NotContains(t, page, `value="resume"`)
	status, page = v.get("/answer?key=" + pageKey + "&act=recover&of=saw&target=1&option=1")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, "Re-run wave")
	for _, form := range [][]string{{"target", "1", "option", "4"}, {"target", "7", "option", "1"}, {"target", "1", "option", ""}} {
		status, _ = v.post(
			"/act",
			v.base,
			withKey(append([]string{"act", "recover", "of", "saw", "why", "x"}, form...)...)...)
		require.Equal(t, http.StatusConflict, status, form)
	}
	require.Equal(t, runevents.ControlHalted, state("saw"))
	status, page = v.post(
		"/act",
		v.base,
		withKey("act", "recover", "of", "saw", "target", "1", "option", "1", "why", "never used")...)
	require.Equal(t, http.StatusSeeOther, status, page)
	require.Equal(t, runevents.ControlRunning, state("saw"))

	page = v.eventually("/runs/saw?key="+pageKey, "Halt…")
	require.NotContains(t, page, "Resume…")
	status, page = v.post(
		"/act",
		v.base,
		withKey("act", "halt", "of", "saw", "why", "the wrong repository", "back", "/runs/saw")...)
	require.Equal(t, http.StatusSeeOther, status, page)
	require.Equal(t, runevents.ControlHalted, state("saw"))
	page = v.eventually("/runs/saw?key="+pageKey, "Resume…")
	require.NotContains(t, page, "Halt…")
	require.Equal(t, "ann", s.acts(runevents.ActHalt)[0].By)

	a := &hookedAgent{running: s, name: "claude-code", session: "alone"}
	a.hook("SessionStart", fields{"source": "startup"})
	a.hook("UserPromptSubmit", fields{"prompt": "Fix the totals."})
	v.eventually("/sessions/alone?key="+pageKey, "Halt…")
	status, page = v.post(
		"/act",
		v.base,
		withKey("act", "halt", "of", "alone", "why", "stop", "back", "/sessions/alone")...)
	require.Equal(t, http.StatusSeeOther, status, page)
	a.halts("PreToolUse", `{`, "stop")
}
