package patterncontradiction

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// isTest reports whether a file holds tests.
func (d *instance) isTest(file string) bool {
	return d.inDirs(file, d.TestDirs) || d.TestNames.MatchString(path.Base(file))
}

// exempt reports whether nothing in a file contradicts the product's patterns:
// tests, scripts, migrations, one-off files, documents.
func (d *instance) exempt(file string) bool {
	return d.inDirs(file, d.ExemptDirs) || d.ExemptNames.MatchString(path.Base(file)) || d.isTest(file) || d.isScratch(file)
}

// isScratch reports whether a file is outside the work: below a scratch folder,
// or a one-off script at the top of the workspace.
func (d *instance) isScratch(file string) bool {
	if d.inScratchDir(file) {
		return true
	}
	top := strings.Count(file, "/") == 0 || strings.HasPrefix(file, "/") && strings.Count(file, "/") == 2
	return top && d.Scratch.MatchString(path.Base(file))
}

// inScratchDir: a folder for files that nobody keeps.
func (d *instance) inScratchDir(file string) bool {
	return slices.ContainsFunc(d.ScratchDirs, func(dir string) bool { return strings.HasPrefix(file, dir) })
}

func (d *instance) inDirs(file string, dirs map[string]bool) bool {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if dirs[strings.ToLower(path.Base(dir))] {
			return true
		}
	}
	return false
}

// below reports whether a file is in a folder; "." holds all.
func below(file, dir string) bool {
	return dir == "." || dir == "" || strings.HasPrefix(file, dir+"/")
}

// samePath reports whether one path is the other or its end.
func samePath(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return a == b || strings.HasSuffix(a, "/"+b)
}

// applied reports whether a DIFF changed its file.
func applied(s *sessionevents.Segment) bool {
	return s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed && !s.Proposed && !s.Rejected
}

// at is a file with the number of its line where it is known: "a.go:12".
func at(e *sessionevents.Evidence) string {
	return quote.Place(e.Path, e.Line)
}
