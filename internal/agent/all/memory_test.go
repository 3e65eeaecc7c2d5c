package all

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// stream makes a transcript of any size without holding it: a head, records
// until the size is reached, a tail.
type stream struct {
	record  func(n int) string
	left    int64
	tail    string
	n       int
	current strings.Reader
	ended   bool
	every   int64  // bytes between two samples
	next    int64  // what is left at the next one
	peak    uint64 // of the heap
}

func newStream(size int64, head string, record func(int) string, tail string) *stream {
	s := &stream{record: record, left: size, tail: tail, every: size / 12, next: size}
	s.current.Reset(head)
	return s
}

func (s *stream) Read(p []byte) (int, error) {
	for s.current.Len() == 0 {
		if s.ended {
			return 0, io.EOF
		}
		if s.left <= 0 {
			s.ended = true
			s.current.Reset(s.tail)
			continue
		}
		if s.left <= s.next {
			s.peak = max(s.peak, heap())
			s.next -= s.every
		}
		next := s.record(s.n)
		s.n++
		s.left -= int64(len(next))
		s.current.Reset(next)
	}
	return s.current.Read(p)
}

// A transcript streams in bounded memory whatever its size: 300 MB in the long
// form, 24 MB in the short one, far above the bound either way in what it would
// take to hold it.
func TestMemoryIsBounded(t *testing.T) {
	size, bound := int64(300<<20), uint64(40<<20)
	if testing.Short() || !proofs.Full() {
		size, bound = 24<<20, 12<<20
	}
	output := strings.Repeat("line of output\\n", 600) // 9 KB
	claude := func(n int) string {
		if n%2 == 0 {
			return fmt.Sprintf(`{"parentUuid":"r%d","isSidechain":false,"cwd":"/w","sessionId":"big","type":"assistant","message":{"id":"msg_%d","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"ls"}}]},"uuid":"a%d","timestamp":"2026-03-01T10:00:00Z"}`, n-1, n, n, n) + "\n"
		}
		return fmt.Sprintf(`{"parentUuid":"a%d","isSidechain":false,"sessionId":"big","type":"user","message":{"role":"user","content":[{"tool_use_id":"t%d","type":"tool_result","content":"%s"}]},"uuid":"r%d","toolUseResult":{"stdout":"%s"}}`, n-1, n-1, output, n, output) + "\n"
	}
	mini := func(n int) string {
		comma := ","
		if n == 0 {
			comma = ""
		}
		return fmt.Sprintf(`%s{"role":"assistant","content":"go","tool_calls":[{"id":"c%d","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c%d","content":"<returncode>0</returncode><output>%s</output>"}`, comma, n, n, output)
	}
	agents := func(n int) string { // a subagent for each line
		return fmt.Sprintf(`{"isSidechain":true,"sessionId":"big","agentId":"x%d","type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"%s"}]},"uuid":"u%d"}`, n, output, n) + "\n"
	}
	text := func(n int) string { return fmt.Sprintf("Line %d of a long text that no label divides.\n", n) }
	users := func(n int) string {
		return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"sessionId":"big","type":"user","message":{"role":"user","content":"%s"},"uuid":"u%d"}`, output, n) + "\n"
	}
	for name, c := range map[string]struct {
		s    *stream
		turn int // at least
	}{
		"JSONL":             {newStream(size, "", claude, ""), 1000},
		"one JSON document": {newStream(size, `{"info":{"mini_version":"2"},"messages":[`, mini, `]}`), 1000},
		"subagents":         {newStream(size/4, "", agents, ""), 500},
		"text":              {newStream(size/4, "", text, ""), 1},
		"one endless line":  {newStream(size/2, `{"type":"user","sessionId":"s","uuid":"u","isSidechain":false,"x":"`, func(int) string { return output }, "\"}\n"), 0},
		"no response":       {newStream(size/4, "", users, ""), 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Formats().Open(c.s, transcript.Options{MaxRecord: 4 << 20})
			require.NoError(t, err)
			base := heap()
			for err == nil {
				_, err = s.Next()
			}
			require.True(t, errors.Is(err, io.EOF), err)
			peak := max(c.s.peak, heap())
			grown := peak - min(base, peak)
			t.Logf("%d turns, heap grew by at most %.1f MB", s.Stats().Turns, float64(grown)/(1<<20))
			require.Less(t, grown, bound)
			require.GreaterOrEqual(t, s.Stats().Turns, c.turn)
		})
	}
}

// heap returns what is reachable: garbage is collected first.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
