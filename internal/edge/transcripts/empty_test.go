package transcripts

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// IN-1: a transcript that is recognised and gives no turn is an error with the reason where
// the user named it, and is counted in a folder.
func TestATranscriptWithoutATurn(t *testing.T) {
	folder := t.TempDir()
	for name, c := range map[string][2]string{
		"nobody-answers.jsonl": {`{"type":"user","sessionId":"s","uuid":"u","isSidechain":false,` +
			`"message":{"role":"user","content":"are you there?"}}`, "messages of a person without a response: 1"},
		"unknown.jsonl": {`{"type":"session_meta",` +
			`"payload":{"id":"s"}}` + "\n" + `{"type":"response_item","payload":{"type":"quantum_call"}}`, "not " +
			"understood: 1 call quantum_call"},
		"cut.jsonl": {`{"type":"session_meta",` +
			`"payload":{"id":"s"}}` + "\n" + `{"type":"response_item","payl`, "places that could not be read: " +
			"1, the first in line 2"},
	} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(c[0]+"\n"), 0o600))
		found, err := Find([]string{path}, nil)
		require.NoError(t, err)
		_, err = found.Read(t.Context(), found.List[0], transcript.Options{}, func(int64) {},
			func(events.Event) error { return nil })
		require.ErrorIs(t, err, ErrNoTranscript, name)
		require.ErrorContains(t, err, c[1], name)
	}
	_, told := readAll(t, folder)
	require.Contains(t, told, "3 of 3 files contain no turn")
	require.Contains(t, told, "unknown.jsonl: not understood, so not watched: 1 call quantum_call")
}

// What is looked through before it is read counts once as progress.
func TestProgressOfAFileThatIsReadTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "far.json")
	text := `{"info":{"text":"` + strings.Repeat("x", 300<<10) + `","mini_version":"2"},` +
		`"messages":[{"role":"assistant","content":"so"}]}`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	found, err := Find([]string{path}, nil)
	require.NoError(t, err)
	total := int64(0)
	summary, err := found.Read(t.Context(), found.List[0], transcript.Options{}, func(n int64) { total += n },
		func(events.Event) error { return nil })
	require.NoError(t, err)
	require.Equal(t, "mini-swe-agent", summary.Format)
	require.Equal(t, int64(len(text)), total)
	var out bytes.Buffer
	summary.Describe(&out)
	require.Empty(t, out.String())
}
