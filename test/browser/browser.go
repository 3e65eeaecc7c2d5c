// Package browser drives Debian's Chromium in tests of the page (CO-16).
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// Browser is a person's browser, which shows the page.
type Browser struct {
	t   *testing.T
	ctx context.Context
}

// stepPatience is the limit of a step in the browser.
const stepPatience = 30 * time.Second

// Program returns the path of Debian's Chromium.
func Program() (string, error) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		return "", fmt.Errorf("find chromium (Debian's package chromium): %w", err)
	}
	return program, nil
}

// Open starts Chromium with a window of that size; stop ends it.
func Open(ctx context.Context, program string, width, height int) (window context.Context, stop func()) {
	options := append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.WindowSize(width, height),
		chromedp.NoSandbox,
	)
	process, end := chromedp.NewExecAllocator(ctx, options...)
	window, closed := chromedp.NewContext(process)
	return window, func() { closed(); end() }
}

// Start starts Chromium; without one the test is skipped.
func Start(t *testing.T, width, height int) Browser {
	t.Helper()
	program, err := Program()
	if err != nil {
		t.Skipf("the page is not looked at in a browser: %v", err)
	}
	ctx, stop := Open(context.Background(), program, width, height)
	t.Cleanup(stop)
	ctx, late := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(late)
	return Browser{t, ctx}
}

// Do runs steps in order, each with its own time limit.
func (b Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
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
			require.Fail(b.t, "nothing came of a step", "the page shows %s", Value[string](b, "document.body.innerText"))
		}
	}
}

// Value returns the value of an expression in the page.
func Value[T any](b Browser, expression string) T {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err)
	return got
}

// Focus focuses the first element of a CSS selector, in one step: a page that changes does not replace it
// between finding and focusing it.
func (b Browser) Focus(selector string) {
	b.t.Helper()
	focus := fmt.Sprintf(
		"(e => { e?.focus(); return e !== null && document.activeElement === e })(document.querySelector(%q))",
		selector,
	)
	require.Eventually(b.t, func() bool { return Value[bool](b, focus) }, stepPatience, 20*time.Millisecond, selector)
}

// pictures names the variable with the folder in which pictures of the page are stored.
const pictures = "PAGE_PICTURES"

// Shot stores a picture of the page if PAGE_PICTURES names a folder.
func (b Browser) Shot(name string) {
	b.t.Helper()
	folder := os.Getenv(pictures)
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	require.NoError(b.t, os.MkdirAll(folder, 0o750))
	require.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600))
}

// Widths are the widths at which every view is checked: a phone, a tablet, a screen.
var Widths = []int64{360, 768, 1440}

// AtAllWidths checks that nothing is cut off or scrolls sideways at any width, and stores a picture of
// each.
func (b Browser) AtAllWidths(name string) {
	b.t.Helper()
	for _, width := range Widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		wide := Value[string](b, `[...document.querySelectorAll("main *, header *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".wide, .skip, pre")).slice(0, 3).map(e => e.tagName + "." + e.className + " " + e.textContent.slice(0, 40)).join("; ")`)
		require.False(
			b.t, Value[bool](b, "document.documentElement.scrollWidth > window.innerWidth"),
			"%s at %d pixels scrolls sideways: %s", name, width, wide,
		)
		if os.Getenv(pictures) != "" { // of the whole page
			b.Do(chromedp.EmulateViewport(width, min(max(900, Value[int64](b, "document.documentElement.scrollHeight")), 3000)))
		}
		b.Shot(fmt.Sprint(name, "-", width))
	}
}

// Dark shows the page to somebody who prefers dark colours.
func (b Browser) Dark(dark bool) {
	b.t.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
		})
		return err
	}))
}

// WithoutScripts disables scripts in pages.
func (b Browser) WithoutScripts() {
	b.t.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(
			ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true},
		)
		return err
	}))
}

// Tab moves on by keyboard until the element with a text has the focus, within some steps.
func (b Browser) Tab(text string) {
	b.t.Helper()
	const most = 60
	focused := ""
	for range most {
		b.Do(chromedp.KeyEvent(kb.Tab))
		if focused = Value[string](b, "document.activeElement.textContent.trim()"); focused == text {
			return
		}
	}
	require.Equal(b.t, text, focused, "it is reached by keyboard")
}
