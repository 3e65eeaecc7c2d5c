package segment

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment/grammars"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// loaded is made once: compiling the patterns takes longer than the tests.
var loaded = sync.OnceValues(func() (*Segmenter, error) { return New(rules.Default(), grammars.Linked{}) })

func segmenter(t testing.TB) *Segmenter {
	s, err := loaded()
	require.NoError(t, err)
	return s
}

// Each testdata/*.txtar holds a turn (turn.json: blocks, or turn.md: Markdown)
// and its segments side by side. go test -update rewrites the segments.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	s := segmenter(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			turn, workspace := readTurn(t, archive.Files[0])
			cut := s.Cut(turn, 1, Options{Workspace: workspace})
			requireSound(t, turn, cut)
			got := render(cut)
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "segments", Data: []byte(got)})
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			require.Len(t, archive.Files, 2, "run go test -update")
			require.Equal(t, string(archive.Files[1].Data), got)
		})
	}
}

func readTurn(t *testing.T, f txtar.File) (turn *sessionevents.Turn, workspace string) {
	turn = &sessionevents.Turn{Session: "s", TurnID: "t"}
	if f.Name == "turn.md" {
		turn.Format, turn.Text = "markdown", string(f.Data)
		return turn, ""
	}
	var in struct {
		Workspace string
		Blocks    []sessionevents.Block
	}
	require.NoError(t, json.Unmarshal(f.Data, &in))
	turn.Blocks = in.Blocks
	return turn, in.Workspace
}

func canonicalText(turn *sessionevents.Turn) string {
	if len(turn.Blocks) == 0 {
		return turn.Text
	}
	var parts []string
	for i := range turn.Blocks {
		parts = append(parts, blockText(&turn.Blocks[i]))
	}
	return strings.Join(parts, "\n")
}

// requireSound checks what holds of all segments: order of indexes, offsets
// into the canonical text, and that PLAN and USER stand there word by word.
func requireSound(t require.TestingT, turn *sessionevents.Turn, cut *sessionevents.TurnSegmented) {
	text := canonicalText(turn)
	require.Equal(t, len(text), cut.Bytes)
	for i, seg := range cut.Segments {
		require.Equal(t, i, seg.Index)
		require.GreaterOrEqual(t, seg.Offset, 0)
		require.GreaterOrEqual(t, seg.Length, 0)
		require.LessOrEqual(t, seg.Offset+seg.Length, len(text), "segment %d %s", i, seg.Kind)
		if seg.Kind == sessionevents.SegmentPlan {
			require.Equal(t, text[seg.Offset:seg.Offset+seg.Length], seg.Text)
		}
		if seg.Error != nil {
			require.NotEmpty(t, seg.Error.Signature)
			require.LessOrEqual(t, len(seg.Error.Signature), 200)
		}
		if seg.Tool != nil && seg.Tool.Input != nil {
			require.True(t, json.Valid(seg.Tool.Input), "%s", seg.Tool.Input)
			require.LessOrEqual(t, len(seg.Tool.Input), 8192)
		}
	}
}

// render writes segments so that a person can read and compare them.
func render(cut *sessionevents.TurnSegmented) string {
	var out strings.Builder
	for i := range cut.Segments {
		renderSegment(&out, &cut.Segments[i])
	}
	for _, u := range cut.Unsupported {
		fmt.Fprintf(&out, "unsupported %s\n", u)
	}
	return out.String()
}

func renderSegment(out *strings.Builder, seg *sessionevents.Segment) {
	fmt.Fprintf(out, "%d %s %d+%d", seg.Index, seg.Kind, seg.Offset, seg.Length)
	if seg.Thinking {
		out.WriteString(" thinking")
	}
	if seg.Proposed {
		out.WriteString(" proposed")
	}
	if seg.Rejected {
		out.WriteString(" rejected")
	}
	if seg.Path != "" {
		fmt.Fprintf(out, " path=%s", seg.Path)
	}
	if seg.Language != "" {
		fmt.Fprintf(out, " language=%s", seg.Language)
	}
	out.WriteByte('\n')
	if c := seg.Tool; c != nil {
		fmt.Fprintf(out, "  call %s=%s", c.Name, c.Canonical)
		if len(c.Effects) > 0 {
			fmt.Fprintf(out, " [%s]", strings.Join(c.Effects, " "))
		}
		if c.Command != "" {
			fmt.Fprintf(out, " $ %q", c.Command)
		}
		if c.Input != nil {
			fmt.Fprintf(out, " %s", c.Input)
		}
		out.WriteByte('\n')
	}
	for _, a := range seg.Accesses {
		fmt.Fprintf(out, "  %s %q", a.Kind, a.Target)
		if a.From != 0 || a.To != 0 {
			fmt.Fprintf(out, " lines %d-%d", a.From, a.To)
		}
		if a.Query != "" {
			fmt.Fprintf(out, " query %q", a.Query)
		}
		out.WriteByte('\n')
	}
	renderDiff(out, seg.Diff)
	for _, item := range seg.Todo {
		fmt.Fprintf(out, "  %s: %s\n", item.Status, item.Text)
	}
	if seg.Error != nil {
		exit := "-"
		if seg.Error.ExitCode != nil {
			exit = fmt.Sprint(*seg.Error.ExitCode)
		}
		fmt.Fprintf(out, "  error exit=%s confidence=%v transient=%v %q\n", exit, seg.Error.Confidence, seg.Error.Transient, seg.Error.Signature)
	}
	for _, line := range strings.Split(seg.Text, "\n") {
		if seg.Text != "" {
			fmt.Fprintf(out, "  | %s\n", line)
		}
	}
	if r := seg.Result; r != nil {
		exit := "-"
		if r.ExitCode != nil {
			exit = fmt.Sprint(*r.ExitCode)
		}
		fmt.Fprintf(out, "  result bytes=%d lines=%d error=%v exit=%s\n", r.Bytes, r.Lines, r.IsError, exit)
	}
	for _, s := range seg.Symbols {
		fmt.Fprintf(out, "  symbol %s %s line %d\n", s.Kind, s.Name, s.Line)
	}
	if len(seg.Imports) > 0 {
		fmt.Fprintf(out, "  imports %s\n", strings.Join(seg.Imports, " "))
	}
}

func renderDiff(out *strings.Builder, d *sessionevents.Diff) {
	if d == nil {
		return
	}
	fmt.Fprintf(out, "  %s", d.Op)
	if d.OldPath != "" {
		fmt.Fprintf(out, " from %s", d.OldPath)
	}
	if d.Failed {
		out.WriteString(" failed")
	}
	if d.Truncated > 0 {
		fmt.Fprintf(out, " truncated=%d", d.Truncated)
	}
	out.WriteByte('\n')
	for _, h := range d.Hunks {
		fmt.Fprintf(out, "  @@ -%d +%d @@\n", h.OldStart, h.NewStart)
		for _, line := range h.Lines {
			fmt.Fprintf(out, "  %s\n", line)
		}
	}
}
