package outofscope

import (
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

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

// memory is D1's state of a session: bounded hashes of what is in scope.
type memory struct {
	// Version changes when the scope is extended; Silent is why the scope does not limit
	// files, "" if it does.
	Version int    `json:"v,omitempty"`
	Silent  string `json:"s,omitempty"`
	// Open is why the task leaves its scope open, "" if it does not: then only what the
	// agent itself calls a cleanup counts.
	Open string `json:"o,omitempty"`
	// Broad is set if it is open because the task is broad, so that an announced cleanup
	// is outside it.
	Broad bool `json:"broad,omitempty"`
	// Files are the files in scope; Names are what they are called, import and declare;
	// Led are the words of errors and of searches for terms of the task.
	Files []uint32 `json:"f,omitempty"`
	Names []uint32 `json:"n,omitempty"`
	Led   []uint32 `json:"l,omitempty"`
	Diffs []edit   `json:"d,omitempty"` // the last ones, oldest first
	// Related counts edits in scope; Flag is the turn of the last RF12 or RF13.
	Related int      `json:"r,omitempty"`
	Flag    int      `json:"g,omitempty"`
	Told    []uint32 `json:"t,omitempty"` // what was reported
}

// edit is one of the last DIFFs.
type edit struct {
	File    uint32   `json:"f"`
	Names   []uint32 `json:"n,omitempty"` // for an unrelated one: names of the file and what it declares
	Related bool     `json:"r,omitempty"`
	Styled  bool     `json:"s,omitempty"` // structure or style only
}

// maxEditNames bounds the names stored for an unrelated edit.
const maxEditNames = 6

func hash(text string) uint32 { return uint32(xxhash.Sum64String(text)) } // any 32 bits of it

// add adds values to a bounded set, the newest last.
func add(list []uint32, limit int, values ...uint32) []uint32 {
	for _, v := range values {
		if at := slices.Index(list, v); at >= 0 {
			list = slices.Delete(list, at, at+1)
		}
		list = append(list, v)
	}
	list = text.Newest(list, limit)
	return list
}

// stem returns a file's name without folders and extensions, in lower case; index files
// and the like are named by their folder. It also accepts modules as imports write them.
func stem(file string) string {
	file = strings.ToLower(strings.Trim(file, `./"'`))
	base := path.Base(strings.ReplaceAll(file, "::", "/"))
	name := strings.TrimLeft(base, "_.")
	if dot := strings.IndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	if placeholders[name] && strings.Contains(file, "/") {
		return stem(path.Dir(file))
	}
	return strings.ReplaceAll(name, "-", "_")
}

// placeholders are generic file names, in place of which the folder is used.
var placeholders = map[string]bool{"index": true, "init__": true, "init": true, "mod": true, "main": true, "lib": true, "page": true, "route": true}

// module returns the last part of an imported module: "app.auth.tokens" → "tokens".
func module(name string) string {
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, ".", "/")
	}
	return stem(name)
}
