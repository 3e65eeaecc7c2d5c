package notify_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// childVariable holds the address of the server that a child process tells.
const childVariable = "SCAFFOLDWATCH_TEST_NOTIFY"

func TestMain(m *testing.M) {
	if address := os.Getenv(childVariable); address != "" {
		tellAsChild(address, os.Getenv(childVariable+"_OUTBOX"))
		return
	}
	os.Exit(m.Run())
}

// ended returns so many runs that ended badly, one event each.
func ended(count int) []notify.Record {
	list := make([]notify.Record, count)
	for i := range list {
		run := fmt.Sprintf("run%d", i)
		list[i] = notify.Record{Sequence: uint64(i + 1), Anchor: uint64(i + 1), Event: events.Event{
			ID: "e-" + run, Type: runevents.TypeRunCompleted, Subject: run, Time: time.Now().Add(time.Hour), Data: &runevents.RunCompleted{Outcome: "failure"},
		}}
	}
	return list
}

// source gives records from behind a position, a few at a time, then calls idle.
func source(records []notify.Record, after uint64, idle func()) notify.Source {
	rest := records[min(after, uint64(len(records))):]
	return func(ctx context.Context, wait time.Duration) ([]notify.Record, bool, error) {
		if len(rest) == 0 {
			idle()
			select {
			case <-ctx.Done():
			case <-time.After(min(wait, 5*time.Millisecond)):
			}
			return nil, true, nil
		}
		n := min(7, len(rest))
		batch := rest[:n]
		rest = rest[n:]
		return batch, true, nil
	}
}

const hooks = `channels:
  - {id: hook, kind: webhook, url: $URL, secret: $HOOK}
operator: {channels: [hook], group_wait: 0s}
retry: {first: 1ms, longest: 2ms, give_up: 1h, attempts: 100}
`

func newService(file *notify.File, words *notice.Words, path string, variables map[string]string) (*notify.Service, error) {
	return notify.New(notify.Options{File: file, Words: words, Path: path, Log: slog.New(slog.DiscardHandler), Env: environ(variables)})
}

const childRuns = 80

// tellAsChild tells of every run, from where the outbox stands, until it is
// killed or all is told and recorded.
func tellAsChild(address, path string) {
	words, err := notice.LoadWords(rules.Default())
	if err != nil {
		panic(err)
	}
	file, err := notify.Parse("notify.yaml", []byte(hooks), words)
	if err != nil {
		panic(err)
	}
	service, err := newService(file, words, path, map[string]string{"URL": address, "HOOK": hook})
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	records := ended(childRuns)
	err = service.Run(ctx, source(records, service.Position().Anchor, func() {
		if outbox, err := notify.ReadOutbox(path); err == nil && outbox.Position.Sequence == childRuns && len(outbox.State.Outbox) == 0 && len(outbox.State.Facts) == 0 {
			stop()
		}
	}), func(context.Context, events.Event) error { return nil })
	if err != nil {
		panic(err)
	}
}

// PL-50: a reporter that is killed at any moment loses no message, and one that
// is said twice has the key it had.
func TestPL50KilledReporter(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	var mu sync.Mutex
	seen := map[string]map[string]bool{} // bodies by key
	kill := make(chan struct{}, 1)
	left := 3
	r := rand.New(rand.NewPCG(1, 2))
	s := newServer(t)
	answer := func(_ http.ResponseWriter, count int) {
		p := s.got()[count-1]
		mu.Lock()
		defer mu.Unlock()
		key := p.header.Get("webhook-id")
		if seen[key] == nil {
			seen[key] = map[string]bool{}
		}
		seen[key][string(p.body)] = true
		if left--; left == 0 {
			left = 1 + r.IntN(12)
			if len(seen) < childRuns-5 {
				kill <- struct{}{}
			}
		}
	}
	s.mu.Lock()
	s.answer = answer
	s.mu.Unlock()
	path := filepath.Join(t.TempDir(), "notify.json")
	kills := 0
	for done := false; !done; {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), childVariable+"="+s.URL, childVariable+"_OUTBOX="+path)
		child.Stderr = os.Stderr
		require.NoError(t, child.Start())
		exited := make(chan error, 1)
		go func() { exited <- child.Wait() }()
		select {
		case <-kill:
			require.NoError(t, child.Process.Kill())
			<-exited
			kills++
		case err := <-exited:
			require.NoError(t, err)
			done = true
		}
	}
	s.Close() // its handlers have ended
	mu.Lock()
	defer mu.Unlock()
	require.Greater(t, kills, 5)
	require.Len(t, seen, childRuns, "each message came")
	for key, bodies := range seen {
		require.Len(t, bodies, 1, "message %s came with another body", key)
	}
	outbox, err := notify.ReadOutbox(path)
	require.NoError(t, err)
	require.Empty(t, outbox.State.Outbox)
	t.Logf("%d kills, %d posts for %d messages", kills, len(s.got()), childRuns)
}

// run lets a service tell until enough, which is asked when nothing else is to do.
func run(t *testing.T, service *notify.Service, records []notify.Record, record notify.Recorder, enough func() bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	require.NoError(t, service.Run(ctx, source(records, service.Position().Anchor, func() {
		if enough() {
			stop()
		}
	}), record))
	require.NoError(t, service.Close())
	require.NotErrorIs(t, ctx.Err(), context.DeadlineExceeded)
}

// A channel that hangs holds up no other, and what the stream does not take is
// recorded later, once each.
func TestPL50SlowChannelAndBrokenRecorder(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	slow, quick := newServer(t), newServer(t)
	hang := make(chan struct{})
	slow.answer = func(http.ResponseWriter, int) { <-hang }
	words := words(t)
	file := parse(t, "channels:\n  - {id: slow, kind: slack, url: $SLOW}\n  - {id: quick, kind: slack, url: $QUICK}\noperator: {channels: [slow, quick], group_wait: 0s}\n")
	service, err := newService(file, words, "", map[string]string{"SLOW": slow.URL, "QUICK": quick.URL})
	require.NoError(t, err)
	var recorded []string
	tries, released := 0, false
	run(t, service, ended(3), func(_ context.Context, e events.Event) error {
		if tries++; tries < 4 {
			return fmt.Errorf("out of reach")
		}
		data := e.Data.(*runevents.NotificationSent)
		require.NoError(t, events.Validate(e, events.Limits{}))
		recorded = append(recorded, data.About+" by "+data.Channel+" "+string(data.Outcome))
		return nil
	}, func() bool {
		if len(quick.got()) == 3 && !released {
			require.LessOrEqual(t, len(slow.got()), 1)
			released = true
			close(hang)
		}
		return len(recorded) == 6
	})
	require.ElementsMatch(t, []string{
		"e-run0 by slow delivered", "e-run1 by slow delivered", "e-run2 by slow delivered",
		"e-run0 by quick delivered", "e-run1 by quick delivered", "e-run2 by quick delivered",
	}, recorded)
	slow.Close()
	quick.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// A channel that is gone stays off after a restart, until its address is another.
func TestPL50GoneChannelStaysOff(t *testing.T) {
	gone, other := newServer(t), newServer(t)
	gone.answer = func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusGone) }
	words := words(t)
	file := parse(t, "channels:\n  - {id: a, kind: slack, url: $A}\n  - {id: b, kind: slack, url: $B}\noperator: {channels: [a, b], group_wait: 0s}\n")
	path := filepath.Join(t.TempDir(), "notify.json")
	variables := map[string]string{"A": gone.URL, "B": other.URL}
	start := func(records []notify.Record, enough func() bool) {
		service, err := newService(file, words, path, variables)
		require.NoError(t, err)
		run(t, service, records, func(context.Context, events.Event) error { return nil }, enough)
	}
	start(ended(1), func() bool { return len(other.got()) == 2 && len(gone.got()) == 1 })
	texts := fmt.Sprint(other.got()[0].data["text"], other.got()[1].data["text"])
	require.Contains(t, texts, "notifications by a are switched off")
	outbox, err := notify.ReadOutbox(path)
	require.NoError(t, err)
	require.Contains(t, strings.Join(notify.Lines(outbox.State), "\n"), "switched off:\n  a since")

	start(ended(2), func() bool { return len(other.got()) == 3 })
	require.Len(t, gone.got(), 1, "it is off")
	fresh := newServer(t)
	variables["A"] = fresh.URL
	start(ended(3), func() bool { return len(other.got()) == 4 && len(fresh.got()) == 1 })
}

// A broken outbox is put aside, one of a newer version refused; no file is
// readable by others.
func TestPL50OutboxFile(t *testing.T) {
	words := words(t)
	file := parse(t, "channels:\n  - {id: log, kind: console}\noperator: {channels: [log], group_wait: 0s}\n")
	path := filepath.Join(t.TempDir(), "deep", "notify.json")
	service, err := newService(file, words, path, nil)
	require.NoError(t, err)
	facts := 0
	run(t, service, ended(2), func(context.Context, events.Event) error { facts++; return nil }, func() bool { return facts == 2 })
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	outbox, err := notify.ReadOutbox(path)
	require.NoError(t, err)
	shown := strings.Join(notify.Lines(outbox.State), "\n")
	require.Contains(t, shown, "delivered by log: run0 ended: failure")

	require.NoError(t, os.WriteFile(path, []byte(`{"version":2,"state":{}}`), 0o600))
	_, err = newService(file, words, path, nil)
	require.ErrorIs(t, err, notify.ErrNewer)
	require.NoError(t, os.WriteFile(path, []byte(`{"version":1,`), 0o600))
	_, err = newService(file, words, path, nil)
	require.NoError(t, err)
	require.FileExists(t, path+".broken")
}
