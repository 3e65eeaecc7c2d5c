package outofscope

import (
	"path"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// change is one edit, move or rename of a file.
type change struct {
	file     string
	kind     kind
	text     string // lines of the hunks, bounded
	segment  *sessionevents.Segment
	evidence sessionevents.Evidence
	renamed  string // "a → b", of an identifier
	to       string // the new path of a moved file
}

// kind is what an edit does, and the signal's subclass.
type kind string

const (
	kindRename    kind = "rename"    // of the file or of an identifier in it
	kindMove      kind = "move"      // of the file or of lines in it
	kindReformat  kind = "reformat"  // the same code in another layout
	kindComments  kind = "comments"  // comments only
	kindEdit      kind = "edit"      // anything else
	kindAnnounced kind = "announced" // planned, not done yet
)

// edit judges an applied edit of a file that existed before.
func (w *watch) edit(s *sessionevents.Segment) {
	if s.Diff == nil || s.Diff.Failed || s.Path == "" {
		return
	}
	file := w.pass.Before.Path(s.Path)
	c := change{file: file, segment: s, text: w.hunkText(s.Diff), evidence: detect.Whole(s)}
	known := len(w.pass.Before.Reads(file)) > 0
	switch {
	case s.Diff.Op == sessionevents.DiffCreate && !known:
		w.memory.Files = add(w.memory.Files, w.Remembered.Files, hash(file)) // created for the task
		return
	case s.Diff.Op == sessionevents.DiffRename && s.Diff.OldPath != "":
		c.file = w.pass.Before.Path(s.Diff.OldPath)
		c.moved(file)
	default:
		c.kind, c.renamed = w.kindOf(s.Diff)
	}
	w.judge(c)
}

// moved finds files that a shell command moves or renames.
func (w *watch) moved(s *sessionevents.Segment) {
	if s.Tool == nil || !strings.Contains(s.Tool.Command, "mv ") || s.Result != nil && s.Result.IsError {
		return
	}
	match := w.Moves.FindStringSubmatch(s.Tool.Command)
	if match == nil {
		return
	}
	from, to := w.pass.Before.Path(match[1]), w.pass.Before.Path(match[2])
	if path.Ext(to) == "" {
		to = path.Join(to, path.Base(from)) // into a folder
	}
	c := change{file: from, segment: s, text: from + "\n" + to, evidence: detect.Whole(s)}
	c.evidence.Path = from
	if path.Ext(from) == "" || w.belongs(to) {
		return
	}
	c.moved(to)
	w.judge(c)
}

func (c *change) moved(to string) {
	c.kind, c.to = kindMove, to
	if path.Dir(c.file) == path.Dir(to) {
		c.kind = kindRename
	}
}

// judge adds a change to the scope, or records it as outside.
func (w *watch) judge(c change) {
	if w.neutral(c.file) {
		return
	}
	mark := edit{File: hash(c.file), Related: w.related(&c), Styled: c.kind != kindEdit}
	if mark.Related {
		w.belong(&c)
	} else {
		mark.Names = names(&c)
		w.outside = append(w.outside, c)
	}
	w.followed(&c)
	m := w.memory
	m.Diffs = text.Newest(append(m.Diffs, mark), w.Drift.Diffs)
}

// names returns what a later edit would name if it needed this one.
func names(c *change) []uint32 {
	out := []uint32{hash(stem(c.file))}
	for _, symbol := range c.segment.Symbols {
		out = add(out, maxEditNames, hash(strings.ToLower(symbol.Name)))
	}
	return out
}

// hunkText returns the lines of an edit, up to the bound.
func (d *instance) hunkText(diff *sessionevents.Diff) string {
	var b strings.Builder
	for _, h := range diff.Hunks {
		for _, line := range h.Lines {
			if line != "" {
				b.WriteString(line[1:])
			}
			b.WriteByte('\n')
			if b.Len() > d.HunkBytes {
				return b.String()
			}
		}
	}
	return b.String()
}
