package ledger

import (
	"path"
	"slices"
	"strings"
	"unicode"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// changeReader reads what calls change, and which symbols they define and use.
type changeReader struct{ *digest }

// maxPaths bounds the paths listed for a turn's change.
const maxPaths = 20

// mutations records the effective edits and writes of a call (PD-1). An edit that failed,
// or whose content is unknown, changes nothing that can be judged.
func (d changeReader) mutations(s *sessionevents.Segment, at Place) {
	if s.Kind == sessionevents.SegmentDiff && s.Diff != nil {
		if s.Diff.Failed || len(s.Diff.Hunks) == 0 && s.Diff.Op == sessionevents.DiffUpdate {
			return
		}
		if slices.ContainsFunc(s.Diff.Added(), func(l sessionevents.Line) bool { return d.c.InlineTests.MatchString(l.Text) }) {
			d.l.TestedIn = at
		}
		d.mutate(File{
			Path: d.registry.Path(s.Path), Kind: d.kindOf(s), At: at, First: at,
			Gone: s.Diff.Op == sessionevents.DiffDelete, Created: s.Diff.Op == sessionevents.DiffCreate, Empty: empty(s.Diff),
		})
		if s.Diff.OldPath != "" && s.Diff.OldPath != s.Path {
			d.mutate(File{Path: d.registry.Path(s.Diff.OldPath), Kind: d.kindOf(s), At: at, First: at, Gone: true})
		}
	}
}

// empty reports whether an edit writes a whole file without a letter or a digit, but not
// a completely empty one, which may be intended.
func empty(diff *sessionevents.Diff) bool {
	if diff.Op != sessionevents.DiffCreate || diff.Truncated > 0 {
		return false
	}
	blank := true
	for _, l := range diff.Added() {
		if strings.ContainsFunc(l.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return false
		}
		blank = blank && strings.TrimSpace(l.Text) == ""
	}
	return !blank
}

func (d changeReader) mutate(f File) {
	if f.Path == "" || d.c.Scratch.MatchString(f.Path) {
		return
	}
	d.l.Acted, d.l.Aside, d.l.Stashed = f.At, false, false
	if f.Created {
		d.noteRunner(f.Path)
	} else {
		d.note(f.Path)
	}
	if d.out.Change.Mutations == nil {
		d.out.Change.Mutations = map[sessionevents.MutationKind]int{}
	}
	d.out.Change.Mutations[f.Kind]++
	if paths := d.out.Change.Paths; len(paths) < maxPaths && !slices.Contains(paths, f.Path) {
		d.out.Change.Paths = append(paths, f.Path)
	}
	promiseReader(d).kept(f)
	f.Cleared = f.Gone && (f.Kind == sessionevents.MutationTests && !d.c.Shared.MatchString(f.Path) ||
		d.c.Outputs.MatchString(f.Path))
	if i := slices.IndexFunc(d.l.Files, func(o File) bool { return o.Path == f.Path }); i >= 0 {
		old := d.l.Files[i]
		f.First, f.Created = old.First, old.Created || f.Created
		if f.Kind == sessionevents.MutationDocuments && old.Kind != f.Kind {
			return // a comment does not change the behaviour of the code
		}
		d.l.Files = slices.Delete(d.l.Files, i, i+1)
		if f.Gone && old.Created {
			return // created and removed again by the session
		}
	}
	d.l.Files = append(d.l.Files, f)
}

func (d changeReader) kindOf(s *sessionevents.Segment) sessionevents.MutationKind {
	path := s.Path
	switch {
	case d.c.Documents.MatchString(path) || d.onlyComments(s.Diff):
		return sessionevents.MutationDocuments
	case d.c.isTest(path):
		return sessionevents.MutationTests
	case d.c.Settings.MatchString(path):
		return sessionevents.MutationSettings
	}
	return sessionevents.MutationCode
}

// onlyComments reports whether an edit changes only comments and empty lines.
func (d changeReader) onlyComments(diff *sessionevents.Diff) bool {
	if diff == nil || diff.Op != sessionevents.DiffUpdate || diff.Truncated > 0 {
		return false
	}
	seen := false
	var before, after []string // the code of the changed lines, without trailing comments
	for _, h := range diff.Hunks {
		for _, l := range h.Lines {
			if l == "" || l[0] == ' ' {
				continue
			}
			seen = true
			text := strings.TrimSpace(l[1:])
			switch {
			case text == "" || slices.ContainsFunc(d.c.Comments, func(mark string) bool { return strings.HasPrefix(text, mark) }):
			case l[0] == '-':
				before = append(before, uncommented(text))
			default:
				after = append(after, uncommented(text))
			}
		}
	}
	return seen && slices.Equal(before, after)
}

// uncommented returns a line of code without a trailing comment.
func uncommented(line string) string {
	for _, mark := range []string{" //", " #", " --"} {
		if at := strings.Index(line, mark); at > 0 {
			return strings.TrimSpace(line[:at])
		}
	}
	return line
}

// note infers from a path what can be run in the workspace.
func (d changeReader) note(file string) {
	if !d.l.Tests && d.c.isTest(file) && !slices.ContainsFunc(d.l.Files, func(f File) bool { return f.Path == file }) {
		d.l.Tests = true
	}
	d.noteRunner(file)
	d.look(file)
}

// maxLooked bounds the folders of tests kept in a ledger.
const maxLooked = 4

// look records the folder of a suite that ordinary runs may leave out.
func (d changeReader) look(file string) {
	if path.Ext(file) != ".go" || len(d.l.Looked) >= maxLooked {
		return
	}
	dir := path.Dir(file)
	name := strings.ToLower(path.Base(dir))
	if slices.Contains(d.l.Looked, dir) || !slices.ContainsFunc(d.c.Suites, func(suite string) bool { return strings.Contains(name, suite) && strings.Contains(name, "test") }) {
		return
	}
	d.l.Looked = append(d.l.Looked, dir)
}

func (d changeReader) noteRunner(path string) {
	for i, runner := range d.c.Runners {
		if d.l.Runner == 0 && runner.Files.MatchString(path) {
			d.l.Runner = i + 1
		}
	}
}
