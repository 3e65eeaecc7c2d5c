package all

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// fixtures returns the transcripts in the testdata of each agent, all written for this project.
func fixtures(tb testing.TB) []string {
	tb.Helper()
	all, err := filepath.Glob(filepath.Join("..", "*", "testdata", "*"))
	require.NoError(tb, err)
	var list []string
	for _, path := range all {
		if !strings.HasSuffix(path, ".golden") && isFile(path) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	require.NotEmpty(tb, list)
	return list
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// formatOf returns the format that a fixture's name begins with.
func formatOf(path string) string {
	name := strings.SplitN(filepath.Base(path), ".", 2)[0]
	switch name {
	case "conversation", "plain":
		return "markdown"
	}
	best := ""
	for _, f := range Formats() {
		if strings.HasPrefix(name, f.Name) && len(f.Name) > len(best) {
			best = f.Name
		}
	}
	return best
}

// Each fixture gives exactly the events beside it: SW-1 turns, SW-3 blocks,
// EV-2 ids and times. The format is found by content: the name is not given.
func TestGolden(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range fixtures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			s, all := drain(t, bytes.NewReader(data), transcript.Options{})
			require.Equal(t, formatOf(path), s.Format().Name)
			seen[s.Format().Name] = true
			wellFormed(t, path, all)
			golden(t, path+".golden", render(t, s, all))
		})
	}
	for _, f := range Formats() {
		require.True(t, seen[f.Name], "no fixture for format %s", f.Name)
	}
}

// render writes what a transcript gave, an event a paragraph.
func render(t testing.TB, s *transcript.Source, all []events.Event) string {
	var out bytes.Buffer
	for _, e := range all {
		line := map[string]any{"id": e.ID, "type": e.Type, "subject": e.Subject, "time": e.Time, "source": e.Source, "group": e.Group(), "data": e.Data}
		if e.Correlation != "" {
			line["correlation"] = e.Correlation
		}
		if len(e.Extensions) > 0 {
			line["extensions"] = e.Extensions
		}
		if e.Raw != nil {
			line["raw"] = e.Raw
		}
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		require.NoError(t, encoder.Encode(line))
	}
	list, total := s.Problems()
	for _, p := range list {
		out.WriteString("problem: " + p.String() + "\n")
	}
	require.Equal(t, total, len(list))
	if n := s.Stats().Unclaimed; n > 0 {
		out.WriteString("user messages without a turn: " + string(rune('0'+n)) + "\n")
	}
	return out.String()
}

func golden(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update and review the file")
	require.Equal(t, string(want), got)
}
