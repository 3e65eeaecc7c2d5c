package segment_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment/grammars"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// heard counts what reached a segment: files edited by edit tools, messages of a
// person, results. Files that shell commands write count apart.
type heard struct{ edits, users, results, written int }

// cutAll reads a transcript and counts its segments.
func cutAll(t *testing.T, data []byte) (format string, h heard) {
	t.Helper()
	cutter, err := segment.New(rules.Default(), grammars.Linked{})
	require.NoError(t, err)
	source, err := all.Formats().Open(bytes.NewReader(data), transcript.Options{})
	if err != nil {
		return "", h
	}
	for number := 1; ; {
		ev, err := source.Next()
		if errors.Is(err, io.EOF) {
			h.users += source.Stats().Unclaimed
			return source.Format().Name, h
		}
		require.NoError(t, err)
		if turn, ok := ev.Data.(*sessionevents.Turn); ok {
			h.add(cutter.Cut(turn, number, segment.Options{}))
			number++
		}
	}
}

func (h *heard) add(turn *sessionevents.TurnSegmented) {
	digests := map[*sessionevents.ResultDigest]bool{}
	for i := range turn.Segments {
		seg := &turn.Segments[i]
		if seg.Result != nil && !digests[seg.Result] {
			digests[seg.Result] = true
			h.results++
		}
		switch {
		case seg.Kind == sessionevents.SegmentUser:
			h.users++
		case seg.Kind != sessionevents.SegmentDiff || seg.Proposed || seg.Tool == nil:
		case seg.Tool.Canonical == sessionevents.ToolShell:
			h.written++
		default:
			h.edits++
		}
	}
}

// Every edit, message of a person and result of each native format reaches a
// segment (SW-3a). The files were written for this test; counters knows their formats
// without the adapters.
func TestNothingIsLost(t *testing.T) {
	files, err := filepath.Glob("testdata/heard/*")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		format, got := cutAll(t, data)
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		require.Equal(t, name, format)
		seen[format] = true
		require.Equal(t, counters[format](data), got, file)
		require.NotZero(t, got.edits+got.written, file)
		require.NotZero(t, got.users, file)
		require.NotZero(t, got.results, file)
	}
	for format := range counters {
		require.True(t, seen[format], "no file for %s", format)
	}
}

// The same on real transcripts.
func TestNothingIsLostInRealTranscripts(t *testing.T) {
	dir := filepath.Join(shareddata.Require(t), "transcripts")
	total := map[string]heard{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "manifest.tsv") {
			return err
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		format, got := cutAll(t, data)
		count := counters[format]
		var document any
		if strings.HasSuffix(path, ".json") && json.Unmarshal(data, &document) != nil || strings.HasSuffix(path, "local.traj.json") {
			return nil // damaged, or not the format that its counter reads
		}
		if count == nil || strings.Contains(path, "fixtures-many-agents") || strings.Contains(path, "edgecases") {
			return nil // damaged on purpose
		}
		want := count(data)
		sum := total[format]
		sum.edits, sum.users, sum.results = sum.edits+got.edits, sum.users+got.users, sum.results+got.results
		total[format] = sum
		got.written, want.written = 0, 0
		if got != want {
			t.Errorf("%s: in the file %+v, in segments %+v", filepath.Base(path), want, got)
		}
		return nil
	}))
	t.Logf("heard: %+v", total)
}

// records are the JSON values of a file: its lines, or one document.
func records(data []byte) (out []any) {
	var one any
	if json.Unmarshal(data, &one) == nil {
		return []any{one}
	}
	for _, line := range bytes.Split(data, []byte("\n")) {
		var v any
		if json.Unmarshal(line, &v) == nil {
			out = append(out, v)
		}
	}
	return out
}

// walk visits every object inside a value.
func walk(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, inner := range v {
			walk(inner, visit)
		}
	case []any:
		for _, inner := range v {
			walk(inner, visit)
		}
	}
}

func text(m map[string]any, key string) string { s, _ := m[key].(string); return s }

func object(m map[string]any, key string) map[string]any {
	o, _ := m[key].(map[string]any)
	return o
}

func list(m map[string]any, key string) []any { l, _ := m[key].([]any); return l }

// isEdit knows the edit tools of the files by words.
func isEdit(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"edit", "write_file", "writefile", "write_to_file", "replace", "apply_patch", "create_file", "createfile"} {
		if strings.Contains(name, word) && name != "todowrite" {
			return true
		}
	}
	return name == "write" || name == "create" || name == "insert"
}

// personal reports whether the text of a message has words of a person.
func personal(text string) bool {
	text = strings.TrimSpace(text)
	for _, harness := range []string{"[Request interrupted", "System: Please continue", "Caveat:", "Operation stopped by hook", "This session is being continued", "<local-command", "<task-notification", "<environment_context", "# AGENTS.md", "Please continue working", "<bash-std", "Base directory for this skill", "Continue from where", "[Image: source", "⚡ SCAFFOLD-WATCH", "[SYSTEM NOTIFICATION"} {
		if strings.HasPrefix(text, harness) {
			return false
		}
	}
	if strings.HasPrefix(text, "<command-") {
		_, arguments, _ := strings.Cut(text, "<command-args>")
		arguments, _, _ = strings.Cut(arguments, "</command-args>")
		return strings.TrimSpace(arguments) != ""
	}
	return text != ""
}
