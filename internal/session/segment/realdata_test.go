package segment_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
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

// tally counts turns with at least one segment of a sort.
type tally struct {
	turns, bytes                                   int
	text, tool, edit, failed, byOutput, user, todo int
	segments                                       map[sessionevents.SegmentKind]int
	unsupported                                    map[string]int
}

func (c *tally) count(t *sessionevents.TurnSegmented) {
	c.turns++
	c.bytes += t.Bytes
	seen := map[string]bool{}
	for i := range t.Segments {
		seg := &t.Segments[i]
		c.segments[seg.Kind]++
		seen["text"] = seen["text"] || seg.Kind == sessionevents.SegmentPlan && !seg.Thinking
		seen["tool"] = seen["tool"] || seg.Tool != nil
		seen["edit"] = seen["edit"] || seg.Kind == sessionevents.SegmentDiff && !seg.Proposed
		seen["user"] = seen["user"] || seg.Kind == sessionevents.SegmentUser
		seen["todo"] = seen["todo"] || seg.Kind == sessionevents.SegmentTodo
		seen["failed"] = seen["failed"] || seg.Error != nil && seg.Error.Confidence == 1
		seen["output"] = seen["output"] || seg.Error != nil && seg.Error.Confidence < 1
	}
	for name, n := range map[string]*int{"text": &c.text, "tool": &c.tool, "edit": &c.edit, "user": &c.user, "todo": &c.todo, "failed": &c.failed, "output": &c.byOutput} {
		if seen[name] {
			*n++
		}
	}
	for _, u := range t.Unsupported {
		c.unsupported[u]++
	}
}

// Every turn of every real transcript is cut; the log shows how often each sort
// of segment occurs, to compare with measured base rates, and with
// SCAFFOLDWATCH_SAMPLES=1 the errors known by output only and the USER texts.
func TestRealTurns(t *testing.T) {
	dir := filepath.Join(shareddata.Require(t), "transcripts")
	samples := os.Getenv("SCAFFOLDWATCH_SAMPLES") != ""
	cutter, err := segment.New(rules.Default(), grammars.Linked{})
	require.NoError(t, err)
	tallies := map[string]*tally{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "manifest.tsv") {
			return err
		}
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		source, err := all.Formats().Open(f, transcript.Options{})
		if err != nil {
			t.Logf("not read: %s", filepath.Base(path))
			return nil
		}
		agent := source.Format().Name
		c := tallies[agent]
		if c == nil {
			c = &tally{segments: map[sessionevents.SegmentKind]int{}, unsupported: map[string]int{}}
			tallies[agent] = c
		}
		numbers := map[string]int{}
		workspaces := map[string]string{}
		for {
			ev, err := source.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			require.NoError(t, err)
			if opened, ok := ev.Data.(*sessionevents.SessionOpened); ok {
				workspaces[opened.Session] = opened.Workspace
			}
			turn, ok := ev.Data.(*sessionevents.Turn)
			if !ok {
				continue
			}
			numbers[turn.Session]++
			o := segment.Options{Workspace: workspaces[turn.Session]}
			cut := cutter.Cut(turn, numbers[turn.Session], o)
			require.Equal(t, cut, cutter.Cut(turn, numbers[turn.Session], o), "deterministic")
			c.count(cut)
			if samples {
				sample(t, agent, cut)
			}
		}
	}))
	names := make([]string, 0, len(tallies))
	for name := range tallies {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		c := tallies[name]
		percent := func(n int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(max(c.turns, 1))) }
		t.Logf("%-14s %5d turns, %% with text %s tool %s edit %s error %s (by output %s) user %s todo %s; segments %v; unsupported %v", name, c.turns,
			percent(c.text), percent(c.tool), percent(c.edit), percent(c.failed), percent(c.byOutput), percent(c.user), percent(c.todo), c.segments, c.unsupported)
	}
}

func sample(t *testing.T, agent string, cut *sessionevents.TurnSegmented) {
	for i := range cut.Segments {
		seg := &cut.Segments[i]
		short := func(s string, n int) string { return strings.ReplaceAll(s[:min(len(s), n)], "\n", "⏎") }
		switch {
		case seg.Kind == sessionevents.SegmentUser:
			t.Logf("USER %s %s", agent, short(seg.Text, 200))
		case seg.Error != nil && seg.Tool != nil:
			t.Logf("ERROR %v %s %v $ %s => %s", seg.Error.Confidence, agent, seg.Tool.Effects, short(seg.Tool.Command, 160), seg.Error.Signature)
		case seg.Error != nil:
			t.Logf("ERROR text %s %s", agent, seg.Error.Signature)
		case seg.Tool != nil && seg.Tool.Canonical == sessionevents.ToolOther:
			t.Logf("OTHER %s %s", agent, seg.Tool.Name)
		case seg.Tool != nil && seg.Tool.Canonical == sessionevents.ToolShell && seg.Kind == sessionevents.SegmentTool:
			t.Logf("SHELL %v $ %s => %v", seg.Tool.Effects, short(seg.Tool.Command, 300), seg.Accesses)
		case seg.Kind == sessionevents.SegmentDiff && seg.Proposed:
			t.Logf("PROPOSED %s %q %q %d lines: %s", agent, seg.Language, seg.Path, len(seg.Diff.Added()), short(segment.Text(seg), 100))
		}
	}
}
