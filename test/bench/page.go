package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/test/browser"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// What the page has to show, and the aims (CO-15).
const (
	pageSessions = 5_000
	pageTurns    = 2
	pageLoads    = 15                     // of each view
	pageUpdates  = 40                     // that are measured, quiet and busy
	pageBusy     = 10                     // turns a second of other sessions while it is busy
	mostPaint    = 300 * time.Millisecond // to the first paint
	mostUpdate   = 250 * time.Millisecond // from DECISIONS to the page
)

// pagePatience bounds each wait for the browser or the services.
const pagePatience = time.Minute

// pageViews are the views that list sessions, in the order in which they are measured.
var pageViews = []string{"/", "/live", "/live?as=board", "/live?q=live-4", "/prevented", "/fleet", "/sessions/live-7"}

// pages measures the page in Chromium with 5,000 sessions, against the same views with a hundredth of them and a page
// of one line that a bare server sends: first paint, how long a decision takes to the page, and memory.
func pages(ctx context.Context, s scale) error {
	program, err := browser.Program()
	if err != nil {
		fmt.Printf("  not measured: %v\n", err)
		return nil
	}
	folder, err := os.MkdirTemp("", "scaffoldwatch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	p, err := startPipeline(ctx, func(c *config.Config) {
		c.HTTP.Address = "127.0.0.1:0"
		c.Reports.Database = filepath.Join(folder, "reports.db")
	})
	if err != nil {
		return err
	}
	defer p.stop()
	window, stop := browser.Open(ctx, program, 1440, 900)
	defer stop()
	m := &paged{pipeline: p, window: window}
	if m.templates, _, err = messages(workload.Make(workload.Mix(6, fewSessions, pageTurns))); err != nil {
		return err
	}
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>bare</title><p>One line.")
	}))
	defer bare.Close()
	m.bare = bare.URL
	sessions := s.of(pageSessions)
	few, err := m.paints(ctx, s, sessions/100)
	if err != nil {
		return err
	}
	many, err := m.paints(ctx, s, sessions)
	if err != nil {
		return err
	}
	for i, view := range pageViews {
		m := many[i]
		fmt.Printf("  %-18s first paint p50 %s, worst %s, of it the server %s; ",
			view, milliseconds(m.median), milliseconds(m.worst), milliseconds(m.server))
		fmt.Printf("%.1f times the baseline, %.1f times with %d sessions (aim: at most %s)\n",
			m.ratio(), few[i].ratio(), sessions/100, milliseconds(mostPaint))
	}
	for _, view := range pageViews[:2] {
		for _, busy := range []bool{false, true} {
			if err := m.updates(ctx, s, view, busy); err != nil {
				return err
			}
		}
	}
	return nil
}

// paged is a system whose page a browser shows.
type paged struct {
	*pipeline
	window    context.Context //nolint:containedctx // the browser's handle
	templates [][]*nats.Msg
	bare      string // address of the page of one line
	sessions  int
	fresh     int // sessions that came while the page was open
}

// painted is how long a view took to its first paint, how much of it the server did, and the page of one line, each
// time loaded just before: what else the machine does weighs on both.
type painted struct{ median, worst, server, bare time.Duration }

func (p painted) ratio() float64 { return p.median.Seconds() / p.bare.Seconds() }

// firstPaints loads a page several times, each time after the page of one line.
func (p *paged) firstPaints(url string, s scale) (painted, error) {
	var took, server, bare []time.Duration
	for range s.of(pageLoads) + 1 {
		least, _, err := p.firstPaint(p.bare)
		if err != nil {
			return painted{}, err
		}
		all, first, err := p.firstPaint(url)
		if err != nil {
			return painted{}, err
		}
		took, server, bare = append(took, all), append(server, first), append(bare, least)
	}
	took, server, bare = took[1:], server[1:], bare[1:] // the first one also fetched the style
	for _, list := range [][]time.Duration{took, server, bare} {
		slices.Sort(list)
	}
	middle := len(took) / 2
	return painted{took[middle], took[len(took)-1], server[middle], bare[middle]}, nil
}

// firstPaint loads a page, and returns the time to its first paint and to the server's answer.
func (p *paged) firstPaint(url string) (paint, server time.Duration, err error) {
	const expression = `(() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const load = performance.getEntriesByType("navigation")[0];
  return paint ? [paint.startTime, load.responseEnd - load.requestStart] : [];
})()`
	if err := inBrowser(p.window, chromedp.Navigate(url)); err != nil {
		return 0, 0, err
	}
	var times []float64
	err = waitFor(func() (ok bool, err error) {
		times, err = valueOf[[]float64](p.window, expression)
		return len(times) == 2, err
	}, "the first paint of "+url)
	if err != nil {
		return 0, 0, err
	}
	return time.Duration(times[0] * float64(time.Millisecond)), time.Duration(times[1] * float64(time.Millisecond)), nil
}

// paints returns the first paints of all views once there are so many sessions.
func (p *paged) paints(ctx context.Context, s scale, sessions int) (list []painted, err error) {
	if err := p.grow(ctx, sessions); err != nil {
		return nil, err
	}
	for _, view := range pageViews {
		took, err := p.firstPaints(p.at(view), s)
		if err != nil {
			return nil, err
		}
		list = append(list, took)
	}
	return list, nil
}

func (p *paged) at(view string) string { return "http://" + p.system.HTTP() + view }

// grow adds sessions until there are so many, and waits until the page knows them.
func (p *paged) grow(ctx context.Context, sessions int) error {
	reader, err := read.Open(ctx, p.broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions})
	if err != nil {
		return err
	}
	defer reader.Close()
	added := fleet{p.templates, p.sessions, sessions - p.sessions}
	if err := added.rounds(ctx, p.js, reader, 0, pageTurns); err != nil {
		return err
	}
	p.sessions = sessions
	return waitFor(func() (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.at("/live"), http.NoBody)
		if err != nil {
			return false, err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return false, err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return strings.Contains(string(text), ">"+counted(sessions)+" sessions.<"), err
	}, "the page to know all sessions")
}

// counted returns a number as the page writes it.
func counted(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// watching notes in the page when it showed which number of sessions, at the frame after the change.
const watching = `(() => {
  window.shown = {};
  new MutationObserver(() => requestAnimationFrame(() => {
    const n = document.getElementById("content").textContent.match(/([\d,]+) sessions/)?.[1].replace(",", "");
    window.shown[n] ??= performance.timeOrigin + performance.now();
  })).observe(document.getElementById("content"), { childList: true, subtree: true });
  return true;
})()`

// updates measures from the storing of a session's first decision to the frame that shows it, and what memory the
// page takes meanwhile.
func (p *paged) updates(ctx context.Context, s scale, view string, busy bool) error {
	bare, _, err := p.firstPaint(p.bare)
	if err != nil {
		return err
	}
	if err := inBrowser(p.window, chromedp.Navigate(p.at(view))); err != nil {
		return err
	}
	if _, err := valueOf[bool](p.window, watching); err != nil {
		return err
	}
	reader, err := read.Open(ctx, p.broker, read.Options{
		Stage: "dispatcher", Partition: natsengine.AllPartitions, Latest: true,
	})
	if err != nil {
		return err
	}
	defer reader.Close()
	before, err := p.memory()
	if err != nil {
		return err
	}
	work, stopWork := context.WithCancel(ctx)
	defer stopWork()
	group, work := errgroup.WithContext(work)
	if busy {
		group.Go(func() error { return p.others(work) })
	}
	var took []time.Duration
	for range s.of(pageUpdates) {
		one, err := p.update(ctx, reader)
		if err != nil {
			return err
		}
		took = append(took, one)
		time.Sleep(300 * time.Millisecond) // the next one is news of its own
	}
	stopWork()
	if err := group.Wait(); err != nil && work.Err() == nil {
		return err
	}
	after, err := p.memory()
	if err != nil {
		return err
	}
	during := "alone"
	if busy {
		during = fmt.Sprintf("beside %d turns/s", pageBusy)
	}
	fmt.Printf("  %-6s %s: DECISIONS → page p50 %.0f ms, p95 %.0f ms, worst %.0f ms, ",
		view, during, ms(took, 50), ms(took, 95), ms(took, 100))
	fmt.Printf("%.1f times the baseline's paint (aim: at most %s); page %s → %s, system %d → %d MB\n",
		ms(took, 50)/1000/bare.Seconds(), milliseconds(mostUpdate), before.page, after.page,
		before.system>>20, after.system>>20)
	return nil
}

// others sends turns of sessions that the page lists already.
func (p *paged) others(ctx context.Context) error {
	ticker := time.NewTicker(time.Second / pageBusy)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		m := copyOf(p.templates[i%len(p.templates)][1], i%p.sessions)
		m.Header.Set("ce-id", fmt.Sprintf("again-%d-%d", p.fresh, i))
		if _, err := p.js.PublishMsg(ctx, m); err != nil {
			return err
		}
	}
}

// update opens a session, and returns the time from its first decision to the page.
func (p *paged) update(ctx context.Context, reader *read.Reader) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, pagePatience)
	defer cancel()
	p.fresh++
	session := fmt.Sprintf("live-%d", p.sessions)
	p.sessions++
	if _, err := p.js.PublishMsg(ctx, copyOf(p.templates[p.fresh%len(p.templates)][1], p.sessions-1)); err != nil {
		return 0, err
	}
	var stored time.Time
	for stored.IsZero() {
		a, err := reader.Next(ctx)
		if err != nil {
			return 0, err
		}
		if !a.Idle && a.Input.Event.Subject == session {
			stored = a.Stored
		}
	}
	var at float64
	err := waitFor(func() (ok bool, err error) {
		at, err = valueOf[float64](p.window, fmt.Sprintf("window.shown[%d] ?? -1", p.sessions))
		return at >= 0, err
	}, "the page to show "+session)
	return time.UnixMicro(int64(at * 1000)).Sub(stored), err
}

// pageMemory is what the page and the whole system hold after a collection.
type pageMemory struct {
	page   string
	system uint64
}

func (p *paged) memory() (m pageMemory, err error) {
	err = inBrowser(p.window, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, t, performance.Enable, performance.EnableParams{}); err != nil {
			return err
		}
		got, err := cdp.Call(ctx, t, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		values := map[string]float64{}
		for _, one := range got.Metrics {
			values[one.Name] = one.Value
		}
		m.page = fmt.Sprintf("%.1f MB, %.0f nodes", values["JSHeapUsedSize"]/(1<<20), values["Nodes"])
		return nil
	}))
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	m.system = stats.HeapAlloc
	return m, err
}

// inBrowser runs one step, with a limit.
func inBrowser[T any](window context.Context, step chromedp.Action[T]) error {
	done := make(chan error, 1)
	go func() {
		_, err := chromedp.Run(window, step)
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(pagePatience):
		return fmt.Errorf("nothing came of a step in the browser within %s", pagePatience)
	}
}

func valueOf[T any](window context.Context, expression string) (T, error) {
	return chromedp.Run(window, chromedp.Evaluate[T](expression))
}

// waitFor asks until something holds.
func waitFor(holds func() (bool, error), what string) error {
	for began := time.Now(); time.Since(began) < pagePatience; time.Sleep(20 * time.Millisecond) {
		if ok, err := holds(); ok || err != nil {
			return err
		}
	}
	return fmt.Errorf("gave up waiting for %s", what)
}
