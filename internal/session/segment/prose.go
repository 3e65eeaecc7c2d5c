package segment

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/diff"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// prose cuts a text or thinking block into PLAN, and a proposed DIFF for code shown in a
// fence (SW-4, SW-5). Fences of plain text stay in the PLAN.
func (b *builder) prose(text string, offset int, thinking bool, from origin) {
	if !markdown.HasBlocks(text) {
		b.plan(text, 0, len(text), offset, thinking, from)
		return
	}
	done := 0
	for _, block := range b.blocks(text) {
		if block.Kind != markdown.Fence {
			continue
		}
		segs := b.fence(text, block)
		if len(segs) == 0 {
			continue
		}
		b.plan(text, done, block.Start, offset, thinking, from)
		for _, seg := range segs {
			seg.Proposed, seg.Thinking, seg.Accesses = true, thinking, nil
			seg.Offset += offset
			b.add(seg, from)
		}
		done = block.End
	}
	b.plan(text, done, len(text), offset, thinking, from)
}

// plan adds text[start:end] as PLAN, unless it is blank.
func (b *builder) plan(s string, start, end, offset int, thinking bool, from origin) {
	start, end = trimmed(s, start, end)
	if start == end {
		return
	}
	kept := text.Head(s[start:end], b.config.Limits.Text)
	b.add(sessionevents.Segment{
		Kind: sessionevents.SegmentPlan, Text: kept, Offset: offset + start, Length: len(kept), Thinking: thinking,
	}, from)
}

// fence returns DIFF segments for a fence that contains a diff or code, and none for one
// that contains text.
func (b *builder) fence(text string, block markdown.Block) []sessionevents.Segment {
	var patches []sessionevents.FilePatch
	language := ""
	switch {
	case strings.TrimSpace(block.Body) == "" || b.config.TextFences[block.Language]:
		return nil
	case diff.LooksApplyPatch(block.Body):
		patches = diff.ApplyPatch(block.Body)
	case b.config.DiffFences[block.Language], block.Language == "" && diff.LooksUnified(block.Body):
		patches = diff.Unified(block.Body)
	case block.Language == "" && !b.config.CodeLine.MatchString(block.Body):
		return nil
	default:
		file := b.fencePath(text, block)
		if language = b.languageTagged(block.Language); language == "" {
			language = b.languageOf(file)
		}
		patches = []sessionevents.FilePatch{{Path: file, Op: sessionevents.DiffCreate, Hunks: withoutPlace(diff.WholeFile(block.Body))}}
	}
	var out []sessionevents.Segment
	for _, p := range patches {
		seg := b.diffSegment(p, language)
		seg.Offset, seg.Length = block.Start, block.End-block.Start
		out = append(out, seg)
	}
	return out
}

// withoutPlace removes line numbers, since code that is only shown is an unknown part of
// a file.
func withoutPlace(hunks []sessionevents.Hunk) []sessionevents.Hunk {
	for i := range hunks {
		hunks[i].NewStart = 0
	}
	return hunks
}

var (
	fencePathInfo    = pattern.Must(`(?:^|[\s"'=:{])((?:[\w.@-]+/)*[\w.@-]+\.[A-Za-z]\w{0,7})(?:["'}:\s]|$)`)
	fencePathComment = pattern.Must(`^\s*(?://|#|--|/\*|<!--|;)\s*(?:[Ff]ile(?:name)?:\s*)?((?:[\w.@-]+/)*[\w.@-]+\.[A-Za-z]\w{0,7})\s*(?:\*/|-->)?\s*$`)
	fencePathBefore  = pattern.Must("(?:^|[\\s(])[`*]+((?:[\\w.@-]+/)*[\\w.@-]+\\.[A-Za-z]\\w{0,7})[`*]+[^`*]{0,40}$")
)

// fencePath returns the file that a fence shows, according to its info string, its first
// line, or the end of the line before it.
func (b *builder) fencePath(s string, block markdown.Block) string {
	_, info, _ := strings.Cut(block.Info, " ")
	first, _, _ := strings.Cut(block.Body, "\n")
	before := strings.TrimRight(s[:block.Start], " \n\r\t")
	before = before[strings.LastIndexByte(before, '\n')+1:]
	for _, try := range []struct {
		expression *pattern.Regexp
		text       string
	}{{fencePathInfo, info}, {fencePathComment, first}, {fencePathBefore, text.Tail(before, 200)}} {
		if m := try.expression.FindStringSubmatch(try.text); m != nil && b.languageOf(m[1]) != "" {
			return b.path(m[1])
		}
	}
	return ""
}

func (s *Segmenter) languageOf(path string) string {
	if s.syntax == nil || path == "" {
		return ""
	}
	return s.syntax.LanguageOf(path)
}

func (s *Segmenter) languageTagged(tag string) string {
	if s.syntax == nil || tag == "" {
		return tag
	}
	if language := s.syntax.LanguageTagged(tag); language != "" {
		return language
	}
	return tag
}

// blocks returns the blocks of Markdown; without a parser all text is prose.
func (s *Segmenter) blocks(text string) []markdown.Block {
	if s.syntax == nil {
		return []markdown.Block{{Kind: markdown.Prose, End: len(text)}}
	}
	return s.syntax.Blocks(text)
}
