package detecttest

import (
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// cut makes segments straight from the statements' own tools.
func cut(turn *events.Turn, number int) *events.TurnSegmented {
	out := &events.TurnSegmented{Session: turn.Session, Turn: number, TurnID: turn.TurnID}
	for i := range turn.Blocks {
		b := &turn.Blocks[i]
		var s events.Segment
		switch b.Type {
		case events.BlockUser:
			s = events.Segment{Kind: events.SegmentUser, Text: b.Text}
		case events.BlockText, events.BlockThinking:
			s = events.Segment{Kind: events.SegmentPlan, Text: b.Text, Thinking: b.Type == events.BlockThinking}
		case events.BlockToolCall:
			s = cutCall(b, &turn.Blocks[i+1])
		case events.BlockToolResult:
			continue
		}
		s.Index = len(out.Segments)
		out.Segments = append(out.Segments, s)
	}
	return out
}

func cutCall(call, result *events.Block) events.Segment {
	var in struct {
		FilePath string `json:"file_path"`
		Pattern  string `json:"pattern"`
		Path     string `json:"path"`
		URL      string `json:"url"`
		Command  string `json:"command"`
		Old      string `json:"old_string"`
		New      string `json:"new_string"`
		Content  string `json:"content"`
		Offset   int    `json:"offset"`
		Limit    int    `json:"limit"`
	}
	_ = json.Unmarshal(call.Input, &in)
	tool := &events.ToolCall{Name: call.Name, Canonical: events.ToolOther, CallID: call.ID, Input: call.Input, InputHash: hash(string(call.Input)), Command: in.Command}
	s := events.Segment{Kind: events.SegmentTool, Tool: tool, Rejected: result.Rejected}
	failed := result.IsError != nil && *result.IsError || result.ExitCode != nil && *result.ExitCode != 0
	s.Result = &events.ResultDigest{Bytes: len(result.Output), Lines: 1 + strings.Count(result.Output, "\n"), IsError: failed, ExitCode: result.ExitCode, Head: result.Output, Hash: hash(result.Output)}
	access := func(a events.Access) { s.Accesses = append(s.Accesses, a) }
	switch call.Name {
	case "Read":
		tool.Canonical = events.ToolRead
		to := 0
		if in.Limit > 0 {
			to = in.Offset + in.Limit - 1
		}
		access(events.Access{Kind: events.AccessRead, Target: in.FilePath, From: in.Offset, To: to})
	case "Grep":
		tool.Canonical = events.ToolSearch
		access(events.Access{Kind: events.AccessSearch, Target: in.Path, Query: in.Pattern})
	case "WebFetch":
		tool.Canonical = events.ToolFetch
		access(events.Access{Kind: events.AccessFetch, Target: in.URL})
	case "Bash":
		tool.Canonical = events.ToolShell
	case "Write", "Edit":
		tool.Canonical = events.ToolEdit
		s.Kind, s.Path, s.Diff = events.SegmentDiff, in.FilePath, &events.Diff{Op: events.DiffUpdate, Failed: failed}
		var lines []string
		if call.Name == "Write" {
			s.Diff.Op = events.DiffCreate
			in.New = strings.TrimSuffix(in.Content, "\n")
		} else {
			for _, l := range strings.Split(in.Old, "\n") {
				lines = append(lines, "-"+l)
			}
		}
		for _, l := range strings.Split(in.New, "\n") {
			lines = append(lines, "+"+l)
		}
		s.Diff.Hunks = []events.Hunk{{Lines: lines}}
		access(events.Access{Kind: events.AccessWrite, Target: in.FilePath})
	}
	return s
}

func hash(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return strconv.FormatUint(h.Sum64(), 16)
}
