package all

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// What is no transcript is refused with an error that says what can be read.
func TestOpenRefusesOtherInput(t *testing.T) {
	for name, input := range map[string]string{
		"nothing":           "",
		"white space":       " \n\t",
		"other JSON":        `{"name":"shop","version":"1.0.0","dependencies":{"left-pad":"1"}}`,
		"other JSON array":  `[{"a":1},{"a":2}]`,
		"other JSONL":       "{\"a\":1}\n{\"a\":2}\n",
		"binary":            "PK\x03\x04\x00\x00\x01",
		"one broken object": `{not json}`,
		"one cut object":    `{"type":"user","message":{"ro`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Formats().Open(strings.NewReader(input), transcript.Options{})
			require.ErrorIs(t, err, transcript.ErrUnknown)
			for _, f := range Formats() {
				require.ErrorContains(t, err, f.Name)
			}
		})
	}
}

// An error of the input is passed on, never taken for the end.
func TestInputErrorsArePassedOn(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := Formats().Open(iotest.ErrReader(broken), transcript.Options{})
	require.ErrorIs(t, err, broken)

	data, err := os.ReadFile("../codex/testdata/codex.jsonl")
	require.NoError(t, err)
	long := bytes.Repeat(data, 40) // beyond the head
	s, err := Formats().Open(io.MultiReader(bytes.NewReader(long), iotest.ErrReader(broken)), transcript.Options{})
	require.NoError(t, err)
	for err == nil {
		_, err = s.Next()
	}
	require.ErrorIs(t, err, broken)
	_, again := s.Next()
	require.ErrorIs(t, again, broken, "the error is final")
}

// A transcript is recognised also when its first lines are damaged, cut or
// begin with a byte order mark, and however the reader delivers it.
func TestRecogniseDamagedBeginning(t *testing.T) {
	data, err := os.ReadFile("../claudecode/testdata/claude-code.jsonl")
	require.NoError(t, err)
	for name, input := range map[string][]byte{
		"broken first line":     append([]byte("{\"half\": \n"), data...),
		"garbage first line":    append([]byte("garbage\n"), data...),
		"byte order mark":       append([]byte("\xef\xbb\xbf"), data...),
		"blank lines":           append([]byte("\n\n  \n"), data...),
		"carriage returns":      bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")),
		"last line not ended":   bytes.TrimSuffix(data, []byte("\n")),
		"last line broken off":  data[:len(data)-40],
		"one line":              data[bytes.IndexByte(data, '\n')+1:][:bytes.IndexByte(data[bytes.IndexByte(data, '\n')+1:], '\n')],
		"a line over the head":  append([]byte(`{"type":"summary","leafUuid":"x","summary":"`+strings.Repeat("s", 2*transcript.HeadSize)+"\"}\n"), data...),
		"first line over limit": append([]byte(`{"type":"user","sessionId":"s","uuid":"u","isSidechain":false,"x":"`+strings.Repeat("s", 2*transcript.HeadSize)+"\"}\n"), data...),
	} {
		t.Run(name, func(t *testing.T) {
			s, all := drain(t, iotest.HalfReader(bytes.NewReader(input)), transcript.Options{})
			require.Equal(t, "claude-code", s.Format().Name)
			wellFormed(t, name, all)
		})
	}
}

// The same bytes give the same events however they arrive (EV-2).
func TestDeterminism(t *testing.T) {
	for _, path := range fixtures(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		_, want := drain(t, bytes.NewReader(data), transcript.Options{})
		for name, r := range map[string]io.Reader{
			"one byte":      iotest.OneByteReader(bytes.NewReader(data)),
			"halves":        iotest.HalfReader(bytes.NewReader(data)),
			"data with EOF": iotest.DataErrReader(bytes.NewReader(data)),
		} {
			_, got := drain(t, r, transcript.Options{})
			require.Equal(t, want, got, "%s: %s", path, name)
		}
	}
}

// Problems are counted without end and listed up to a bound; a line over the
// limit is named and passed over (EV-3).
func TestProblemsAreBounded(t *testing.T) {
	data, err := os.ReadFile("../claudecode/testdata/claude-code.jsonl")
	require.NoError(t, err)
	var input bytes.Buffer
	input.Write(data)
	for range 250 {
		input.WriteString("{broken\n")
	}
	input.WriteString(`{"type":"user","x":"` + strings.Repeat("y", 200<<10) + "\"}\n")
	s, _ := drain(t, &input, transcript.Options{MaxRecord: 128 << 10})
	list, total := s.Problems()
	require.Equal(t, 252, total)
	require.Len(t, list, 100)
	require.Equal(t, 9, list[0].Line)
	require.Equal(t, bytes.Count(data, []byte("\n"))+1, list[1].Line)
	for _, p := range list {
		require.NotContains(t, p.Reason, "broken", "a reason quotes no content")
	}

	last := `{"type":"user","sessionId":"s","uuid":"u","isSidechain":false,"x":"` + strings.Repeat("y", 200<<10) + "\"}\n"
	s, _ = drain(t, strings.NewReader(string(data)+last), transcript.Options{MaxRecord: 128 << 10})
	list, total = s.Problems()
	require.Equal(t, 2, total)
	require.Contains(t, list[1].String(), "over the limit of 131072")
	require.Equal(t, int64(len(data)), list[1].Offset)
}

// The session id and the run can be given; a subagent keeps to the run's group (EV-4).
func TestOptions(t *testing.T) {
	data, err := os.ReadFile("../claudecode/testdata/claude-code.jsonl")
	require.NoError(t, err)
	_, all := drain(t, bytes.NewReader(data), transcript.Options{Session: "mine", Run: "run-7", Follow: true})
	for _, e := range all {
		require.NotEqual(t, "session.closed", string(e.Type), "Follow leaves the end open")
		require.True(t, e.Subject == "mine" || e.Subject == "mine-agent-ab12", e.Subject)
		require.Equal(t, "run-7", e.Group())
		require.Equal(t, "run-7", e.Correlation)
	}
}

// Following a transcript that grows needs no more than what is there.
func TestFollowDoesNotWaitForTheHead(t *testing.T) {
	data, err := os.ReadFile("../claudecode/testdata/claude-code.jsonl")
	require.NoError(t, err)
	r, w := io.Pipe()
	lines := bytes.SplitAfter(data, []byte("\n"))
	go func() {
		for _, line := range lines[:10] {
			_, _ = w.Write(line)
		}
	}()
	s, err := Formats().Open(r, transcript.Options{Follow: true})
	require.NoError(t, err)
	e, err := s.Next()
	require.NoError(t, err)
	require.Equal(t, "session.opened", string(e.Type))
	e, err = s.Next()
	require.NoError(t, err)
	require.Equal(t, "turn.raw", string(e.Type), "the first turn is there before the input ends")
	require.NoError(t, w.Close())
}
