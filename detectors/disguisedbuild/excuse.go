package disguisedbuild

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// goes reports whether the turn removes, renames or changes the old thing, so that it
// does not remain unchanged next to the new one.
func (t *turn) goes(old *sessionevents.Symbol) bool {
	is := func(i registry.SegmentItem[registry.Built]) bool {
		b := &i.Item.Symbol
		return b.Path == old.Path && (b.Name == old.Name || b.Name == "")
	}
	return slices.ContainsFunc(t.Additions.Removed, is) || slices.ContainsFunc(t.Additions.Edited, is)
}

// standsByDesign reports whether the first lines of an edit say that it is for one
// platform or was generated.
func (d *instance) standsByDesign(s *sessionevents.Segment) bool {
	for i, line := range s.Diff.Added() {
		if i >= d.ByDesignLines {
			break
		}
		if d.ByDesign.MatchString(line.Text) {
			return true
		}
	}
	return false
}

// uses reports whether the new code calls, extends or imports the old thing instead of
// duplicating it. Comments do not count.
func (t *turn) uses(segment int, old *sessionevents.Symbol) bool {
	name := old.Name
	if old.Kind == "file" {
		name = stem(old.Path)
	}
	for _, line := range t.Turn.Segments[segment].Diff.Added() {
		if strings.Contains(line.Text, name) && usesIn(line.Text, name, old.Kind == "file") {
			return true
		}
	}
	return false
}

// recursiveCopy reports whether the old function calls itself and its copy still calls
// that name without importing its file. That does not count as using it.
func (t *turn) recursiveCopy(segment int, old *duplicate.Candidate) bool {
	itself := similarity.SketchOf([]string{old.Symbol.Name}, 1)
	file := sessionevents.Symbol{Kind: "file", Path: old.Symbol.Path}
	alike := old.Overlap.Sample >= t.Sample && old.Overlap.Body.Value >= t.WeakBody
	return alike && slices.Contains(old.Symbol.Calls, itself[0]) && !t.uses(segment, &file)
}

var (
	comments = []string{"#", "//", "*", "/*", `"""`, "'''", "--", ";"}
	imports  = []string{"import", "from", "class", "use ", "require", "const", "export", "@"}
)

// usesIn reports whether a line of code uses a name: called, passed, extended or
// imported; a file only in an import.
func usesIn(line, name string, importOnly bool) bool {
	code := strings.TrimSpace(line)
	begins := func(marks []string) bool {
		return slices.ContainsFunc(marks, func(m string) bool { return strings.HasPrefix(code, m) })
	}
	if name == "" || begins(comments) && !strings.HasPrefix(code, "#include") {
		return false
	}
	for from := 0; ; {
		i := strings.Index(code[from:], name)
		if i < 0 {
			return false
		}
		i, from = i+from, i+from+1
		end := i + len(name)
		if i > 0 && text.IsName(code[i-1]) || end < len(code) && text.IsName(code[end]) {
			continue
		}
		if begins(imports) || strings.Contains(code, "require(") || strings.Contains(code, "extends ") || strings.Contains(code, "implements ") ||
			strings.HasPrefix(code, "#include") || strings.HasPrefix(code, "pub use") {
			return true
		}
		if !importOnly && (end < len(code) && strings.IndexByte("(.,)[<{:;", code[end]) >= 0 || i > 0 && strings.IndexByte("(*&[.", code[i-1]) >= 0) {
			return true
		}
	}
}

// leaves reports whether the plan says that the old thing is removed, moved, or kept for
// a reason.
func (t *turn) leaves() bool {
	for i := range t.Additions.Sentences {
		if s := &t.Additions.Sentences[i]; t.Leaving.MatchString(s.Text) {
			return true
		}
	}
	return false
}

// asked reports whether the user named the new thing, or mentioned the version that it is
// (SW-42).
func (t *turn) asked(added *twin) bool {
	b, s := t.Baseline(), &added.symbol
	if _, said := b.Terms[added.mark]; said && t.AskedMarks.MatchString(added.mark) {
		return true
	}
	names := func(asked string) bool { return asked == s.Path || strings.HasSuffix(s.Path, "/"+asked) }
	return slices.Contains(b.Identifiers, s.Name) || slices.ContainsFunc(b.Paths, names)
}

// read reports whether the primary read the file that contains the old thing.
func read(p *detect.Pass, file string) bool {
	return len(p.Before.Reads(file)) > 0 || slices.ContainsFunc(p.Additions.FilesRead, func(r registry.SegmentItem[registry.FileRead]) bool {
		return r.Item.Path == file
	})
}
