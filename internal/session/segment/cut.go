package segment

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Options are the facts about the session of a turn.
type Options struct {
	// Workspace is the session's folder; absolute paths below it become relative.
	Workspace string
	// Secrets are the redactor's findings in this turn; the result contains them with the
	// segment and offset of their marks (SW-7).
	Secrets []sessionevents.SecretFinding
}

// Cut cuts a redacted turn into segments; number is its place in the session, from 1
// (SW-1, SW-2). The turn consists of blocks, or Text in Markdown; a native form must have
// been read before. The result is a function of the arguments.
func (s *Segmenter) Cut(t *sessionevents.Turn, number int, o Options) *sessionevents.TurnSegmented {
	b := &builder{Segmenter: s, workspace: cleanWorkspace(o.Workspace)}
	b.structured(t.Blocks)
	b.text(t.Text)
	out := &sessionevents.TurnSegmented{
		Session: t.Session, Turn: number, TurnID: t.TurnID, Agent: t.Agent, Run: t.Run,
		Segments: b.segments, Bytes: b.bytes, StopReason: t.StopReason, Usage: t.Usage, Format: t.Format,
		Unsupported: append(slices.Clone(t.Unsupported), b.unsupported...), Instructions: b.instructions,
	}
	if b.dropped > 0 {
		out.Unsupported = append(out.Unsupported, fmt.Sprintf("%d segments over the limit of %d", b.dropped, s.config.Limits.Segments))
	}
	out.Secrets = locate(out.Segments, b.origins, o.Secrets)
	return out
}

// builder collects the segments of one turn.
type builder struct {
	*Segmenter
	workspace   string
	segments    []sessionevents.Segment
	origins     []origin
	bytes       int
	dropped     int
	unsupported []string
	// instructions are those found in the turn so far.
	instructions []sessionevents.Instruction
}

// text cuts the Markdown of a turn, which follows its blocks; a person's message is a
// block before it.
func (b *builder) text(text string) {
	if text == "" {
		return
	}
	first, base := len(b.segments), b.bytes
	if base > 0 {
		base++ // the newline that separates it from the blocks
	}
	b.freeText(text)
	for i := first; i < len(b.segments); i++ {
		b.segments[i].Offset += base
	}
	b.bytes += base
}

// origin names the blocks that a segment comes from, -1 for none.
type origin struct{ block, result int }

func (b *builder) add(seg sessionevents.Segment, from origin) {
	if len(b.segments) >= b.config.Limits.Segments {
		b.dropped++
		return
	}
	seg.Index = len(b.segments)
	b.segments = append(b.segments, seg)
	b.origins = append(b.origins, from)
}

// structured cuts blocks (SW-3).
func (b *builder) structured(blocks []sessionevents.Block) {
	offsets := make([]int, len(blocks))
	for i := range blocks {
		offsets[i] = b.bytes + min(i, 1)
		b.bytes = offsets[i] + len(blockText(&blocks[i]))
	}
	results := joinResults(blocks)
	for i := range blocks {
		block := &blocks[i]
		from := origin{i, -1}
		switch block.Type {
		case sessionevents.BlockUser:
			b.user(block.Text, offsets[i], from)
		case sessionevents.BlockText, sessionevents.BlockThinking:
			b.prose(block.Text, offsets[i], block.Type == sessionevents.BlockThinking, from)
		case sessionevents.BlockToolCall:
			c := &call{block: block, offset: offsets[i], origin: from}
			if r := results[i]; r >= 0 {
				c.result, c.resultOffset, c.origin.result = &blocks[r], offsets[r], r
			}
			b.call(c)
		case sessionevents.BlockToolResult:
			if results[i] < 0 { // its call is in an earlier turn
				b.call(&call{block: &sessionevents.Block{Name: block.Name, ID: block.ID, Input: block.Input}, offset: offsets[i], result: block, resultOffset: offsets[i], origin: origin{-1, i}})
			}
		default:
			b.unsupported = append(b.unsupported, fmt.Sprintf("block of type %q", text.Head(string(block.Type), 40)))
		}
	}
}

func blockText(b *sessionevents.Block) string {
	switch b.Type {
	case sessionevents.BlockToolCall:
		return string(b.Input)
	case sessionevents.BlockToolResult:
		return b.Output
	default:
		return b.Text
	}
}

// joinResults returns each call's result and each result's call, matched by id, or in
// order without ids; -1 without a match.
func joinResults(blocks []sessionevents.Block) []int {
	out := make([]int, len(blocks))
	byID := map[string][]int{}
	for i := range blocks {
		out[i] = -1
		switch blocks[i].Type {
		case sessionevents.BlockToolCall:
			byID[blocks[i].ID] = append(byID[blocks[i].ID], i)
		case sessionevents.BlockToolResult:
			if waiting := byID[blocks[i].ID]; len(waiting) > 0 {
				out[i], out[waiting[0]] = waiting[0], i
				byID[blocks[i].ID] = waiting[1:]
			}
		}
	}
	return out
}

// Cutter is the form in which the ingest stage uses a segmenter.
type Cutter struct{ *Segmenter }

// Cut is [Segmenter.Cut] with its options as arguments.
func (c Cutter) Cut(turn *sessionevents.Turn, number int, workspace string, secrets []sessionevents.SecretFinding) *sessionevents.TurnSegmented {
	return c.Segmenter.Cut(turn, number, Options{Workspace: workspace, Secrets: secrets})
}
