package segment

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/buger/jsonparser"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// call is one tool call with its result.
type call struct {
	block        *sessionevents.Block
	offset       int
	length       int                  // of the call in the text, 0 for that of its input
	result       *sessionevents.Block // nil if not known yet
	resultOffset int
	origin       origin

	tool      *tool
	canonical sessionevents.CanonicalTool
	in        *input
	command   string        // shell
	effects   shell.Effects // shell
	outcome   outcome
}

// call adds the segments of a call: TOOL, DIFF or a todo list, and ERROR if it failed
// (SW-3).
func (b *builder) call(c *call) {
	c.in = readInput(c.block.Input)
	c.tool = b.tools.lookup(c.block.Name)
	if editor, ok := b.tools.editor(c.block.Name, c.in); ok && c.tool == unknownTool {
		c.tool = editor
	}
	c.canonical = c.tool.canonical(c.in)
	if c.canonical == sessionevents.ToolShell {
		b.readCommand(c)
	}
	c.outcome = b.config.outcomeOf(c)
	switch c.canonical {
	case sessionevents.ToolEdit, sessionevents.ToolWrite:
		if patches := b.tools.patches(c); len(patches) > 0 {
			b.diffs(c, patches, b.config.toolCall(c, b.config.Limits.DiffInput))
			break
		}
		b.toolSegment(c)
	case sessionevents.ToolTodo:
		if items := b.todoItems(c); len(items) > 0 {
			seg := b.config.callSegment(c, sessionevents.SegmentTodo)
			seg.Todo, seg.Tool.Input = items, nil
			b.add(seg, c.origin)
			break
		}
		b.toolSegment(c)
	case sessionevents.ToolShell:
		b.toolSegment(c)
		b.shellWrites(c)
	default:
		b.toolSegment(c)
	}
	b.failed(c)
}

// callSegment returns a segment with the fields of a call that all kinds share.
func (cfg *Config) callSegment(c *call, kind sessionevents.SegmentKind) sessionevents.Segment {
	return sessionevents.Segment{
		Kind: kind, Offset: c.offset, Length: c.size(), Rejected: c.outcome.rejected,
		Tool: cfg.toolCall(c, cfg.Limits.Input), Result: c.outcome.digest,
	}
}

// size returns the call's length in the turn's text.
func (c *call) size() int {
	if c.length > 0 {
		return c.length
	}
	return len(c.block.Input)
}

func (cfg *Config) toolCall(c *call, limit int) *sessionevents.ToolCall {
	return &sessionevents.ToolCall{
		Name: c.block.Name, Canonical: c.canonical, CallID: c.block.ID, Input: c.in.shortened(limit),
		InputHash: c.in.hash(), Command: cut(c.command, cfg.Limits.Input), Effects: c.effects.Kinds,
	}
}

// toolSegment adds the TOOL segment of a call with its accesses and what its result
// shows.
func (b *builder) toolSegment(c *call) {
	seg := b.config.callSegment(c, sessionevents.SegmentTool)
	seg.Accesses = b.accesses(c)
	seg.Checks = b.checked(c)
	if c.command != "" {
		seg.Tool.Input = b.withoutCommand(c) // already in Command
	}
	if len(seg.Accesses) == 1 {
		seg.Path = pathOf(seg.Accesses[0])
		seg.Language = b.languageOf(seg.Path)
	}
	if c.canonical != sessionevents.ToolShell && seg.Path == "" {
		if p := c.in.text(b.tools.fields.Path...); p != "" && c.canonical == sessionevents.ToolRead {
			seg.Path = b.path(p)
		}
	}
	b.learn(c, &seg)
	if c.result != nil && c.outcome.applied() {
		for _, a := range seg.Accesses {
			if a.Kind == sessionevents.AccessRead {
				b.shownInstructions(a.Target, c.result.Output[c.outcome.body.start:c.outcome.body.end])
			}
		}
	}
	b.add(seg, c.origin)
}

func pathOf(a sessionevents.Access) string {
	if a.Kind == sessionevents.AccessRead || a.Kind == sessionevents.AccessWrite {
		return a.Target
	}
	return ""
}

// withoutCommand returns a shell call's input without the command line itself.
func (s *Segmenter) withoutCommand(c *call) json.RawMessage {
	rest := slices.DeleteFunc(slices.Clone(c.in.fields), func(f field) bool {
		return f.name == "" || slices.Contains(s.tools.fields.Command, f.name)
	})
	if len(rest) == 0 {
		return nil
	}
	out := []byte{'{'}
	for i := range rest {
		f := &rest[i]
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quoted(text.Head(f.name, 64))...), ':')
		out = append(out, f.short(256)...)
		if len(out) > s.config.Limits.DiffInput {
			break
		}
	}
	out = append(out, '}')
	if !json.Valid(out) {
		return nil
	}
	return out
}

// shortened returns the input with long values cut, as valid JSON of about limit bytes
// that says how much is missing.
func (in *input) shortened(limit int) json.RawMessage {
	if len(in.raw) <= limit {
		if !json.Valid(in.raw) {
			return nil
		}
		return json.RawMessage(in.raw)
	}
	if len(in.fields) == 0 {
		return quoted(fmt.Sprintf("[%d bytes]", len(in.raw)))
	}
	if len(in.fields) == 1 && in.fields[0].name == "" {
		return quoted(cut(in.fields[0].text(), limit))
	}
	fields := in.fields[:min(len(in.fields), maxFields)]
	each := max(limit/max(len(fields), 1)-24, 16)
	spare := 0
	for _, f := range fields {
		spare += max(each-len(f.value), 0)
	}
	out := []byte{'{'}
	for i := range fields {
		f := &fields[i]
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, quoted(cut(f.name, 64))...), ':')
		value := f.short(each + spare)
		spare -= max(min(len(value)-each, spare), 0)
		out = append(out, value...)
	}
	return append(out, '}')
}

const maxFields = 64 // fields kept of a shortened input

// short returns the value as JSON of about limit bytes at most.
func (f *field) short(limit int) []byte {
	switch {
	case f.kind == jsonparser.String:
		text := f.text()
		out := quoted(cut(text, limit))
		for n := limit / 2; len(out) > limit+32 && n > 0; n /= 2 {
			out = quoted(cut(text, n)) // escapes need space
		}
		return out
	case len(f.value) > limit || !json.Valid(f.value):
		return quoted(fmt.Sprintf("[%d bytes]", len(f.value)))
	default:
		return f.value
	}
}

func quoted(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`) // cannot happen: strings always encode
	}
	return b
}

// cut shortens text to limit bytes, between runes, and adds a mark.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	kept := text.Head(s, limit)
	return fmt.Sprintf("%s…[%d bytes more]", kept, len(s)-len(kept))
}
