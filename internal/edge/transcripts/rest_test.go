package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// said is a line of a Claude Code log: a part of a response.
func said(message, content, stop string) string {
	return fmt.Sprintf(`{"cwd":"/srv/shop","sessionId":"rest-1","type":"assistant","message":{"model":"m","id":%q,"role":"assistant",`+
		`"content":[%s],"stop_reason":%s},"uuid":"u-%s-%d","timestamp":"2026-03-01T10:00:02.000Z"}`+"\n", message, content, stop, message, len(content))
}

const (
	asks    = `{"cwd":"/srv/shop","sessionId":"rest-1","type":"user","message":{"role":"user","content":"Add a retry"},"uuid":"p-%d","timestamp":"2026-03-01T10:00:00.000Z"}` + "\n"
	answers = `{"cwd":"/srv/shop","sessionId":"rest-1","type":"user","message":{"role":"user","content":[{"tool_use_id":"c1","type":"tool_result","content":"ok"}]},"uuid":"r-1","timestamp":"2026-03-01T10:00:03.000Z"}` + "\n"
	prose   = `{"type":"text","text":"All tests pass."}`
	call    = `{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"make test"}}`
)

func restingOn(t *testing.T, path string, rests [2]time.Duration) *following {
	t.Helper()
	return follow(t, &Following{Rests: rests}, takeAll, path)
}

func (f *following) turns() string {
	f.Lock()
	defer f.Unlock()
	var out []string
	for _, e := range f.taken {
		if turn, is := e.Data.(*sessionevents.Turn); is {
			out = append(out, fmt.Sprintf("%s:%d", turn.TurnID, len(turn.Blocks)))
		}
	}
	return strings.Join(out, " ")
}

func add(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// IN-2: the last response of a session is a turn as soon as it says that it ended, not when the next one
// begins; the turns are those of a scan.
func TestTheLastResponseIsATurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	add(t, path, fmt.Sprintf(asks, 1)+said("m1", call, `"tool_use"`)+answers+said("m2", prose, `"end_turn"`))
	f := restingOn(t, path, [2]time.Duration{50 * time.Millisecond, time.Hour})
	require.Eventually(t, func() bool { return f.turns() == "m1:3 m2:1" }, time.Minute, 20*time.Millisecond)
	add(t, path, fmt.Sprintf(asks, 2)+said("m3", prose, `"end_turn"`))
	require.Eventually(t, func() bool { return f.turns() == "m1:3 m2:1 m3:2" }, time.Minute, 20*time.Millisecond)

	found, err := Find([]string{path}, nil)
	require.NoError(t, err)
	scanned := &following{}
	_, err = found.Read(t.Context(), found.List[0], transcript.Options{}, func(int64) {}, func(e events.Event) error {
		scanned.taken = append(scanned.taken, e)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, scanned.turns(), f.turns())
	require.Equal(t, ids(scanned), ids(f))
}

// ids are the ids of turns.
func ids(f *following) (out []string) {
	f.Lock()
	defer f.Unlock()
	for _, e := range f.taken {
		if e.Type == sessionevents.TypeTurnRaw {
			out = append(out, e.ID)
		}
	}
	return out
}
