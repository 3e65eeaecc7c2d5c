package transcripts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// following is a Following under way, with what it told.
type following struct {
	sync.Mutex
	taken []events.Event
	done  []Summary
	err   chan error
}

func startFollowing(t *testing.T, take func(events.Event) error, paths ...string) *following {
	t.Helper()
	return follow(t, &Following{}, take, paths...)
}

func follow(t *testing.T, set *Following, take func(events.Event) error, paths ...string) *following {
	t.Helper()
	f := &following{err: make(chan error, 1)}
	set.Take = func(e events.Event) error {
		f.Lock()
		defer f.Unlock()
		f.taken = append(f.taken, e)
		return take(e)
	}
	set.Done = func(s Summary, _ error) { f.Lock(); f.done = append(f.done, s); f.Unlock() }
	set.Notice = func(string) {}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); f.err <- set.Follow(ctx, paths) }()
	t.Cleanup(func() { stop(); <-ended })
	return f
}

func (f *following) subjects() string {
	f.Lock()
	defer f.Unlock()
	var out []string
	for _, e := range f.taken {
		out = append(out, e.Subject)
	}
	return strings.Join(out, " ")
}

func (f *following) awaits(t *testing.T, want string) {
	t.Helper()
	require.Eventually(t, func() bool { return f.subjects() == want }, time.Minute, 20*time.Millisecond, "want %s", want)
}

func failedLine(run string, seq int) string {
	return fmt.Sprintf(`{"run_id":%q,"seq":%d,"type":"agent.failed","phase":"do","agent":"a","data":{}}`+"\n", run, seq)
}

func takeAll(events.Event) error { return nil }

func TestFollowingAFolder(t *testing.T) {
	folder := t.TempDir()
	log, other, text := filepath.Join(folder, "a.jsonl"), filepath.Join(folder, "b.jsonl"), filepath.Join(folder, "README.md")
	require.NoError(t, os.WriteFile(log, []byte(failedLine("r-1", 1)), 0o600))
	require.NoError(t, os.WriteFile(text, []byte("# A text\n\nin which nobody speaks\n"), 0o600))
	require.NoError(t, os.WriteFile(other, []byte(`{"run_id":"r-2","se`), 0o600)) // half a line
	f := startFollowing(t, takeAll, folder)
	f.awaits(t, "r-1")
	require.NoError(t, os.WriteFile(other, []byte(failedLine("r-2", 1)), 0o600))
	f.awaits(t, "r-1 r-2")
	// Another file in its place is read from its beginning.
	require.NoError(t, os.WriteFile(log+".new", []byte(failedLine("r-3", 1)), 0o600))
	require.NoError(t, os.Rename(log+".new", log))
	require.Eventually(t, func() bool { return strings.Contains(f.subjects(), "r-3") }, time.Minute, 20*time.Millisecond)
	// One that is cut, too.
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	require.Eventually(t, func() bool {
		f.Lock()
		defer f.Unlock()
		for _, s := range f.done {
			if s.Name == other && s.Format != "" {
				return true
			}
		}
		return false
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, os.WriteFile(other, []byte(failedLine("r-4", 1)), 0o600))
	require.Eventually(t, func() bool { return strings.HasSuffix(f.subjects(), "r-4") }, time.Minute, 20*time.Millisecond)
}

// What was taken before something could not be is counted: of a file that is followed that is what
// the person is told after Ctrl-C, which comes while it waits for more.
func TestWhatWasTakenIsCounted(t *testing.T) {
	folder := t.TempDir()
	log := filepath.Join(folder, "a.jsonl")
	require.NoError(t, os.WriteFile(log, []byte(failedLine("r-1", 1)+failedLine("r-1", 2)+failedLine("r-1", 3)), 0o600))
	n := 0
	f := startFollowing(t, func(events.Event) error {
		if n++; n == 3 {
			return context.Canceled
		}
		return nil
	}, folder)
	require.NoError(t, <-f.err, "it was stopped")
	require.Equal(t, 2, f.done[0].Stats.RunEvents)
	f.err <- nil
}

// What cannot be taken ends it, as does a named file that is no transcript.
func TestFollowingEnds(t *testing.T) {
	folder := t.TempDir()
	log := filepath.Join(folder, "a.jsonl")
	require.NoError(t, os.WriteFile(log, []byte(failedLine("r-1", 1)), 0o600))
	refused := errors.New("refused")
	require.ErrorIs(t, <-startFollowing(t, func(events.Event) error { return refused }, folder).err, refused)
	require.NoError(t, os.WriteFile(log, []byte("{\"neither\":\"nor\"}\n{\"neither\":1}\n"), 0o600))
	require.ErrorIs(t, <-startFollowing(t, takeAll, log).err, transcript.ErrUnknown)
	require.ErrorIs(t, <-startFollowing(t, takeAll, filepath.Join(folder, "nowhere")).err, os.ErrNotExist)
}

// IN-10: a document that is edited in place is read again when it changed, in a folder and
// named; what did not change has the same ids.
func TestFollowingADocument(t *testing.T) {
	const plan = "feature_slug: refunds\nverdict: SUITABLE\nfile_ownership:\n  - {file: a.go, agent: A, wave: 1}\n"
	for name, named := range map[string]bool{"in a folder": false, "named": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "IMPL-refunds.yaml")
			require.NoError(t, os.WriteFile(path, []byte(plan), 0o600))
			at := dir
			if named {
				at = path
			}
			f := startFollowing(t, takeAll, at)
			f.awaits(t, "refunds refunds refunds")
			edited := plan + "completion_reports:\n  A: {status: complete, commit: 4d1e0aa, files_changed: [a.go]}\n"
			require.NoError(t, os.WriteFile(path, []byte(edited), 0o600))
			f.awaits(t, "refunds refunds refunds refunds refunds refunds refunds")
			f.Lock()
			defer f.Unlock()
			for i := range 3 {
				require.Equal(t, f.taken[i].ID, f.taken[i+3].ID)
			}
			require.Equal(t, "agent.completed", string(f.taken[6].Type))
		})
	}
}
