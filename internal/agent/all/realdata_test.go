package all

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// manifest returns the number of turns that the data's manifest states per file.
func manifest(tb testing.TB, dir string) map[string]int {
	f, err := os.Open(filepath.Join(dir, "transcripts", "manifest.tsv"))
	require.NoError(tb, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = '\t', -1, true
	rows, err := r.ReadAll()
	require.NoError(tb, err)
	turns := map[string]int{}
	for _, row := range rows[1:] {
		if len(row) > 5 {
			if n, err := strconv.Atoi(row[5]); err == nil {
				turns[row[0]] = n
			}
		}
	}
	return turns
}

func transcripts(tb testing.TB, dir string) []string {
	var list []string
	root := filepath.Join(dir, "transcripts")
	require.NoError(tb, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "manifest.tsv" {
			rel, _ := filepath.Rel(root, path)
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	}))
	sort.Strings(list)
	return list
}

// drain reads a transcript to its end.
func drain(tb testing.TB, r io.Reader, opts transcript.Options) (*transcript.Source, []events.Event) {
	tb.Helper()
	s, err := Formats().Open(r, opts)
	require.NoError(tb, err)
	var all []events.Event
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return s, all
		}
		require.NoError(tb, err)
		all = append(all, e)
	}
}

// Every real transcript loads, twice with the same events; the log shows what
// each held and where the manifest counts otherwise.
func TestRealTranscripts(t *testing.T) {
	dir := shareddata.Require(t)
	expected := manifest(t, dir)
	type total struct{ files, turns, problems int }
	perFormat := map[string]*total{}
	unsupported := map[string]int{}
	for _, name := range transcripts(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, "transcripts", filepath.FromSlash(name)))
		require.NoError(t, err)
		s, all := drain(t, bytes.NewReader(data), transcript.Options{})
		_, again := drain(t, bytes.NewReader(data), transcript.Options{})
		require.Equal(t, all, again, "%s: reading twice gives different events", name)
		wellFormed(t, name, all)
		stats := s.Stats()
		for what, n := range stats.Unsupported {
			unsupported[s.Format().Name+": "+what] += n
		}
		_, problems := s.Problems()
		f := perFormat[s.Format().Name]
		if f == nil {
			f = &total{}
			perFormat[s.Format().Name] = f
		}
		f.files++
		f.turns += stats.Turns
		f.problems += problems
		note := ""
		if want, ok := expected[name]; ok && want != stats.Turns {
			note = fmt.Sprintf(" (manifest: %d)", want)
			agrees(t, name, s.Format().Name, want, all)
		}
		t.Logf(
			"%-14s %4d turns %3d sessions %2d problems %2d unclaimed %s%s",
			s.Format().Name,
			stats.Turns,
			stats.Sessions,
			problems,
			stats.Unclaimed,
			name,
			note,
		)
	}
	require.Empty(t, unsupported, "recognised and not understood (IN-1)")
	names := make([]string, 0, len(perFormat))
	for name := range perFormat {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		f := perFormat[name]
		t.Logf("| %s | %d files | %d turns | %d problems |", name, f.files, f.turns, f.problems)
	}
}

// agrees checks the number of turns against the manifest's, which counts a
// subagent's turns not at all, a search for tools (Codex) as no result, and of
// Gemini every message, the person's and the harness's included.
func agrees(t *testing.T, name, format string, want int, all []events.Event) {
	t.Helper()
	got := 0
	for _, e := range all {
		if turn, ok := e.Data.(*sessionevents.Turn); ok && turn.Agent.ParentSession == "" {
			got++
		}
	}
	switch format {
	case "codex":
		require.InDelta(t, want, got, 1, name)
	case "gemini":
		require.LessOrEqual(t, got, want, name)
	default:
		require.Equal(t, want, got, name)
	}
}

// wellFormed checks what holds for the events of every transcript (EV-2, EV-3, SW-1) that says nothing twice.
func wellFormed(t testing.TB, name string, all []events.Event) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range all {
		require.False(t, ids[e.ID], "%s: id %s twice", name, e.ID)
		ids[e.ID] = true
	}
	eachWellFormed(t, name, all)
}

// eachWellFormed checks what holds for the events of any input. What a log repeats has the id that it had, so
// that it counts once (EV-2): that id never hides something else.
func eachWellFormed(t testing.TB, name string, all []events.Event) {
	t.Helper()
	first := map[string]events.Event{}
	open := map[string]bool{}
	for _, e := range all {
		before, repeated := first[e.ID]
		first[e.ID] = e
		if repeated {
			require.Equal(t, []string{string(before.Type), before.Subject}, []string{string(e.Type), e.Subject}, name)
			if turn, is := e.Data.(*sessionevents.Turn); is {
				require.Equal(t, before.Data.(*sessionevents.Turn).Blocks, turn.Blocks, "%s: another turn as %s", name, e.ID)
			}
		}
		require.True(t, events.ValidID(e.Subject), "%s: subject %q", name, e.Subject)
		require.False(t, e.Time.IsZero(), "%s: no time", name)
		var refused *invalid.Error
		if err := events.Validate(e, events.Limits{}); errors.As(err, &refused) {
			require.Contains(t, []invalid.Code{invalid.TooLarge, invalid.TooDeep}, refused.Code, "%s: %v", name, err)
		}
		switch data := e.Data.(type) {
		case *sessionevents.SessionOpened:
			require.False(t, open[data.Session] && !repeated, "%s: %s opened twice", name, data.Session)
			open[data.Session] = true
		case *sessionevents.Turn:
			require.True(t, open[data.Session], "%s: turn before session.opened", name)
			require.NotEmpty(t, data.TurnID)
			require.False(t, strings.ContainsRune(data.TurnID, '\x00'))
		case *sessionevents.SessionClosed:
			require.True(t, open[data.Session])
		}
	}
}
