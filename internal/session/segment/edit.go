package segment

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/diff"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// patches returns the effect of an edit call, one patch per file: the harness's own patch
// with its real line numbers if available, otherwise one built from the input.
func (t *toolTable) patches(c *call) []sessionevents.FilePatch {
	if known := harnessPatch(c); len(known) > 0 {
		for i := range known {
			if len(known[i].Hunks) == 0 && known[i].Op == sessionevents.DiffCreate && len(known) == 1 {
				known[i].Hunks = diff.WholeFile(c.in.text(t.fields.Content...))
			}
		}
		return known
	}
	if text := t.patchText(c); text != "" {
		if diff.LooksApplyPatch(text) {
			return diff.ApplyPatch(text)
		}
		return named(diff.Unified(text), c.in.text(t.fields.Path...))
	}
	if known := t.inputPatches(c); len(known) > 0 {
		return known
	}
	return t.guessed(c)
}

func harnessPatch(c *call) []sessionevents.FilePatch {
	if c.result != nil && len(c.result.Patch) > 0 {
		return slices.Clone(c.result.Patch)
	}
	return slices.Clone(c.block.Patch)
}

// patchText returns a patch that is given as text.
func (t *toolTable) patchText(c *call) string {
	text := c.in.bare()
	if text == "" {
		text = c.in.text(t.fields.Patch...)
	}
	if diff.LooksApplyPatch(text) || diff.LooksUnified(text) {
		return text
	}
	return ""
}

func named(patches []sessionevents.FilePatch, path string) []sessionevents.FilePatch {
	for i := range patches {
		if patches[i].Path == "" {
			patches[i].Path = path
		}
	}
	return patches
}

// inputPatches builds patches from old and new text, inserted text or a whole
// file.
func (t *toolTable) inputPatches(c *call) []sessionevents.FilePatch {
	f := t.fields
	path := c.in.text(f.Path...)
	if list, ok := c.in.field(f.Edits...); ok {
		if patches := t.editList(path, list); len(patches) > 0 {
			return patches
		}
	}
	if hunks := t.replacement(c.in); hunks != nil {
		return []sessionevents.FilePatch{{Path: path, Op: sessionevents.DiffUpdate, Hunks: hunks}}
	}
	if content, ok := c.in.field(f.Content...); ok && path != "" {
		return []sessionevents.FilePatch{{Path: path, Op: writeOperation(c), Hunks: t.contentHunks(c, content.text())}}
	}
	if path != "" && strings.Contains(strings.ToLower(c.block.Name), "delete") {
		return []sessionevents.FilePatch{{Path: path, Op: sessionevents.DiffDelete}}
	}
	return nil
}

// editList reads several edits of one file, or of several.
func (t *toolTable) editList(path string, list *field) (out []sessionevents.FilePatch) {
	for _, edit := range list.objects() {
		file := edit.text(t.fields.Path...)
		if file == "" {
			file = path
		}
		hunks := t.replacement(edit)
		if hunks == nil {
			continue
		}
		if i := slices.IndexFunc(out, func(p sessionevents.FilePatch) bool { return p.Path == file }); i >= 0 {
			out[i].Hunks = append(out[i].Hunks, hunks...)
		} else {
			out = append(out, sessionevents.FilePatch{Path: file, Op: sessionevents.DiffUpdate, Hunks: hunks})
		}
	}
	return out
}

// replacement returns the hunks for old and new text, or for text inserted after a line;
// nil if the input has neither.
func (t *toolTable) replacement(in *input) []sessionevents.Hunk {
	f := t.fields
	before, hasOld := in.field(f.Old...)
	after, hasNew := in.field(f.New...)
	switch line, inserted := in.number(f.InsertLine...); {
	case hasOld:
		return diff.Replaced(before.text(), after.text())
	case hasNew && inserted && line >= 0:
		hunks := diff.WholeFile(after.text())
		for i := range hunks {
			hunks[i].NewStart = line + 1
		}
		return hunks
	default:
		return nil
	}
}

// contentHunks returns the hunks of a text: a whole file begins at line 1, while the
// position of a notebook cell or a sketch of an edit is unknown.
func (t *toolTable) contentHunks(c *call, content string) []sessionevents.Hunk {
	hunks := diff.WholeFile(content)
	if c.canonical == sessionevents.ToolWrite {
		return hunks
	}
	return withoutPlace(hunks)
}

// writeOperation returns the operation of writing a whole file: the file is new unless
// the tool's answer says that it existed.
func writeOperation(c *call) sessionevents.DiffOperation {
	if c.canonical != sessionevents.ToolWrite {
		return sessionevents.DiffUpdate
	}
	if c.result != nil && containsAny(firstLine(c.result.Output), []string{"updated", "overwr", "modified", "replaced"}) {
		return sessionevents.DiffUpdate
	}
	return sessionevents.DiffCreate
}

// diffs adds a DIFF for each file.
func (b *builder) diffs(c *call, patches []sessionevents.FilePatch, tool *sessionevents.ToolCall) {
	for _, p := range patches {
		seg := b.diffSegment(p, "")
		seg.Offset, seg.Length = c.offset, c.size()
		seg.Tool, seg.Result, seg.Rejected = tool, c.outcome.digest, c.outcome.rejected
		if !c.outcome.applied() {
			seg.Diff.Failed, seg.Accesses = true, nil
		}
		b.add(seg, c.origin)
	}
}

// diffSegment returns the DIFF of one file's patch, bounded, with its symbols.
func (b *builder) diffSegment(p sessionevents.FilePatch, language string) sessionevents.Segment {
	seg := sessionevents.Segment{
		Kind: sessionevents.SegmentDiff, Path: b.path(p.Path), Language: language,
		Diff: &sessionevents.Diff{Op: p.Op, OldPath: b.path(p.OldPath), Hunks: p.Hunks},
	}
	if seg.Diff.Op == "" {
		seg.Diff.Op = sessionevents.DiffUpdate
	}
	if seg.Language == "" {
		seg.Language = b.languageOf(seg.Path)
	}
	if seg.Path != "" {
		seg.Accesses = []sessionevents.Access{{Kind: sessionevents.AccessWrite, Target: seg.Path}}
		if seg.Diff.OldPath != "" {
			seg.Accesses = append(seg.Accesses, sessionevents.Access{Kind: sessionevents.AccessWrite, Target: seg.Diff.OldPath})
		}
	}
	b.config.boundDiff(seg.Diff)
	b.declared(&seg)
	return seg
}

// boundDiff keeps the first lines up to the limit and counts the others.
func (cfg *Config) boundDiff(d *sessionevents.Diff) {
	left := cfg.Limits.DiffLines
	for i, h := range d.Hunks {
		if len(h.Lines) <= left {
			left -= len(h.Lines)
			continue
		}
		d.Truncated = len(h.Lines) - left
		for _, rest := range d.Hunks[i+1:] {
			d.Truncated += len(rest.Lines)
		}
		d.Hunks = slices.Clone(d.Hunks[:i+1])
		d.Hunks[i].Lines = h.Lines[:left:left]
		if left == 0 {
			d.Hunks = d.Hunks[:i]
		}
		return
	}
}
