package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// browser is a person's, which shows the page.
type browser struct {
	t   *testing.T
	ctx context.Context
}

// browse starts Chromium; without one the test is skipped.
func browse(t *testing.T, width, height int) browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in PATH (Debian's package chromium): the page is not looked at in a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.WindowSize(width, height), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, late := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(late)
	return browser{t, ctx}
}

func (b browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, step := range steps {
		done := make(chan error, 1)
		go func() {
			_, err := chromedp.Run(b.ctx, step)
			done <- err
		}()
		select {
		case err := <-done:
			require.NoError(b.t, err)
		case <-time.After(stepPatience):
			require.Fail(b.t, "nothing came of a step", "the page shows %s", value[string](b, "document.body.innerText"))
		}
	}
}

// stepPatience is how long a step in the browser may take.
const stepPatience = 30 * time.Second

// value is what an expression has in the page.
func value[T any](b browser, expression string) T {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err)
	return got
}

// shot keeps a picture of the page where PAGE_PICTURES names a folder.
func (b browser) shot(name string) {
	b.t.Helper()
	folder := os.Getenv("PAGE_PICTURES")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	require.NoError(b.t, os.MkdirAll(folder, 0o750))
	require.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600))
}

// CO-10, CO-16: one thing waits, a person answers it by keyboard alone, and the run goes on; the page
// follows by itself, also what is prevented while one watches (CO-11a).
func TestThePageInABrowser(t *testing.T) {
	s := hooked(t, time.Minute)
	b := browse(t, 1440, 900)
	loop := s.openRun("loop")
	require.Equal(t, runevents.ControlHalted, loop.tell(&runevents.RunStarted{Goal: "checkout"}, failed, failed, failed).State)

	const resume = `//button[text()="Resume…"]`
	b.do(chromedp.Navigate("http://"+s.HTTP()+"/?key="+pageKey), chromedp.WaitVisible(resume))
	for _, width := range []int64{360, 768, 1440} {
		b.do(chromedp.EmulateViewport(width, 900))
		require.False(t, value[bool](b, "document.documentElement.scrollWidth > window.innerWidth"), "at %d pixels nothing is cut or scrolls sideways", width)
		b.shot(fmt.Sprint("needs-you-", width))
	}

	focused := func() string { return value[string](b, "document.activeElement.textContent") }
	for range 30 {
		if b.do(chromedp.KeyEvent(kb.Tab)); focused() == "Resume…" {
			break
		}
	}
	require.Equal(t, "Resume…", focused(), "the button is reached by keyboard")
	b.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("#why"))
	b.shot("why")
	require.Equal(t, "why", value[string](b, "document.activeElement.id"), "it can be typed into at once")
	b.do(chromedp.KeyEvent("the test is fixed"))
	require.Equal(t, "the test is fixed", value[string](b, "document.activeElement.value"))
	b.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(`//p[text()="Nobody waits for you."]`))
	one, err := decisions.RunOf(t.Context(), s.broker, "loop")
	require.NoError(t, err)
	require.Equal(t, runevents.ControlRunning, one.State)

	// A denial appears while one watches, without a reload.
	require.True(t, value[bool](b, "window.before = true"))
	dir := personsWork(t)
	a := &hookedAgent{running: s, name: "claude-code", session: "seen-1"}
	a.hook("SessionStart", fields{"source": "startup", "cwd": dir})
	a.hook("PreToolUse", fields{"cwd": dir, "tool_name": "Bash", "tool_use_id": "c1", "tool_input": fields{"command": "rm -rf thesis.md"}})
	b.do(chromedp.WaitVisible(`//pre[contains(text(), "rm -rf thesis.md")]`))
	require.True(t, value[bool](b, "window.before === true"), "the page was not loaded again")
	b.shot("prevented")

	require.Equal(t, "http://"+s.HTTP()+"/console.js", value[string](b, "[...document.querySelectorAll('script')].map(s => s.src).join()"), "no script but ours")
}
