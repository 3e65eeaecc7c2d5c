package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/test/browser"
)

// CO-10, CO-16: one thing waits, a person answers it by keyboard alone, and the run continues; the page
// updates by itself, including calls prevented meanwhile (CO-11a).
func TestThePageInABrowser(t *testing.T) {
	s := hooked(t, time.Minute)
	b := browser.Start(t, 1440, 900)
	loop := s.openRun("loop")
	require.Equal(
		t, runevents.ControlHalted, loop.tell(&runevents.RunStarted{Goal: "checkout"}, failed, failed, failed).State,
	)

	const resume = `//button[text()="Resume…"]`
	b.Do(chromedp.Navigate("http://"+s.HTTP()+"/?key="+pageKey), chromedp.WaitVisible(resume))
	b.AtAllWidths("needs-you")
	b.Accessible("needs you")
	b.Tab("Resume…")
	b.Do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("#why"))
	b.Shot("why")
	require.Equal(t, "why", browser.Value[string](b, "document.activeElement.id"), "it can be typed into at once")
	b.Do(chromedp.KeyEvent("the test is fixed"))
	require.Equal(t, "the test is fixed", browser.Value[string](b, "document.activeElement.value"))
	b.Do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(`//h1[text()="Nobody waits for you."]`))
	one, err := decisions.RunOf(t.Context(), s.broker, "loop")
	require.NoError(t, err)
	require.Equal(t, runevents.ControlRunning, one.State)

	// A denial appears while one watches, without a reload.
	require.True(t, browser.Value[bool](b, "window.before = true"))
	dir := personsWork(t)
	a := &hookedAgent{running: s, name: "claude-code", session: "seen-1"}
	a.hook("SessionStart", fields{"source": "startup", "cwd": dir})
	denied := a.hook(
		"PreToolUse",
		fields{"cwd": dir, "tool_name": "Bash", "tool_use_id": "c1", "tool_input": fields{"command": "rm -rf thesis.md"}},
	)
	require.Contains(t, denied, `"permissionDecision":"deny"`)
	b.Do(chromedp.WaitVisible(`//code[contains(text(), "rm -rf thesis.md")]`))
	require.True(t, browser.Value[bool](b, "window.before === true"), "the page was not loaded again")
	b.Shot("prevented")

	require.Equal(
		t, "http://"+s.HTTP()+"/console.js",
		browser.Value[string](b, "[...document.querySelectorAll('script')].map(s => s.src).join()"), "no script but ours",
	)
}

// CO-12 to CO-16: a session turn by turn with what was said and told, a run with its agents side by
// side, the list and the fleet, by keyboard alone and without scripts.
func TestEveryViewOfRealServices(t *testing.T) {
	s := start(t, func(c *config.Config) { c.HTTP.Address = "127.0.0.1:0" })
	b := browser.Start(t, 1440, 900)
	list, err := demo.Sessions(time.Now())
	require.NoError(t, err)
	for _, session := range list {
		s.publish(session)
	}
	loop := s.openRun("loop")
	loop.tell(&runevents.RunStarted{Goal: "checkout"}, failed, failed, failed)
	at := func(path string) string { return "http://" + s.HTTP() + path }
	b.Do(chromedp.Navigate(at("/?key="+pageKey)), chromedp.WaitVisible(`//h2[text()="Said to agents"]`))

	// By keyboard alone from the first view to a session, to a finding of it, and its answer.
	b.Tab("Live")
	b.Do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("#q"))
	b.Do(chromedp.WaitVisible(`//a[contains(@href, "/sessions/payments-webhook")]`))
	b.Focus("#q")
	b.Do(chromedp.KeyEvent("payments"), chromedp.KeyEvent(kb.Enter))
	b.Do(chromedp.WaitVisible(`//h1[text()="1 session."]`))
	b.Accessible("live")
	b.Focus(`a[href*="/sessions/payments-webhook"]`)
	b.Do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("#timeline"))
	require.Contains(t, browser.Value[string](b, "document.body.innerText"), "What happened")
	require.NotEqual(
		t, "0", browser.Value[string](b, `String(document.querySelectorAll(".person").length)`), "what the person said",
	)
	b.AtAllWidths("timeline")
	b.Accessible("timeline")
	b.Do(chromedp.KeyEvent("n"))
	require.Equal(t, "note card", browser.Value[string](b, "document.activeElement.className.trim()"))
	b.Tab("False alarm…")
	b.Do(
		chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("#why"), chromedp.KeyEvent("a sample"),
		chromedp.KeyEvent(kb.Enter),
	)
	b.Do(chromedp.WaitVisible(`//p[contains(text(), "A person said: a false alarm.")]`))

	// The run shows its halt, with the answer.
	b.Do(chromedp.Navigate(at("/runs/loop?key="+pageKey)), chromedp.WaitVisible(`//button[text()="Resume…"]`))
	require.NotEqual(t, "0", browser.Value[string](b, `String(document.querySelectorAll(".lane rect.halt").length)`))
	b.AtAllWidths("run")
	b.Accessible("run")

	// Without scripts everything can be read.
	b.WithoutScripts()
	for path, want := range map[string]string{
		"/": "Needs you", "/live": "Show", "/live?as=board": "Waits for you", "/prevented": "Nothing had to be prevented.", "/fleet": "What agents were told",
		"/sessions/payments-webhook": "Turn by turn", "/runs/loop": "Side by side",
	} {
		status, text := s.visit().get(path)
		require.Equal(t, 200, status, path)
		require.Contains(t, text, want, path)
		b.Do(chromedp.Navigate(at(path)), chromedp.WaitVisible("h1"))
	}
	for path, want := range map[string]int{
		"/sessions/nosuch": 404, "/sessions/a.b": 404, "/runs/nosuch": 404, "/live?after=x": 400, "/fleet?since=x": 400,
		"/sessions/payments-webhook?from=0": 400,
	} {
		status, _ := s.visit().get(path)
		require.Equal(t, want, status, path)
	}
}
