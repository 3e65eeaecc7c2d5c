package preflight_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// Every tool call of the real transcripts is answered; the log shows how often
// how, and how long it took. A call that trips the checker fails the test.
func TestRealCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every transcript: without -short")
	}
	c := checker(t, "")
	answers := map[string]int{}
	var took []time.Duration
	require.NoError(t, filepath.WalkDir(filepath.Join(shareddata.Require(t), "transcripts"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "manifest.tsv") {
			return err
		}
		for _, call := range calls(t, path) {
			a, least := timed(c, call)
			took = append(took, least)
			answers[string(a.Decision)+" "+a.Rule]++
			require.NotContains(t, a.Reason, "cannot be read")
			if a.Decision != preflight.Allow && testing.Verbose() {
				t.Logf("%s %s %s", filepath.Base(path), call.Name, a.Text)
			}
		}
		return nil
	}))
	require.NotEmpty(t, took)
	slices.Sort(took)
	at := func(share float64) time.Duration { return took[int(share*float64(len(took)-1))] }
	t.Logf("%d calls, the least of three tries: median %s, p99 %s, p99.9 %s, most %s; answers %v", len(took), at(0.5), at(0.99), at(0.999), at(1), answers)
}

// timed takes the least of three tries, so that other processes do not count.
func timed(c *preflight.Checker, call preflight.Call) (a preflight.Answer, least time.Duration) {
	for i := range 3 {
		began := time.Now()
		a = c.Check(call)
		if took := time.Since(began); i == 0 || took < least {
			least = took
		}
	}
	return a, least
}

// calls are the tool calls of a transcript in a format that is known.
func calls(t *testing.T, path string) (list []preflight.Call) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	source, err := all.Formats().Open(f, transcript.Options{})
	if err != nil {
		return nil
	}
	for {
		ev, err := source.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		turn, ok := ev.Data.(*sessionevents.Turn)
		if !ok {
			continue
		}
		for i := range turn.Blocks {
			if b := &turn.Blocks[i]; b.Type == sessionevents.BlockToolCall {
				list = append(list, preflight.Call{Session: turn.Session, Name: b.Name, Input: b.Input})
			}
		}
	}
}
