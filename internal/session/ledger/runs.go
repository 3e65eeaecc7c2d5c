package ledger

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// testScript is the runner of scripts whose name says that they test; their arguments are
// commands of their own.
const testScript = "test script"

func place(r *sessionevents.LedgerRun) Place { return Place{r.Turn, r.Segment} }

// runs are the checks of some kinds, of all without one, in order.
func (l *Ledger) runs(kinds ...sessionevents.CheckKind) []sessionevents.LedgerRun {
	var out []sessionevents.LedgerRun
	for _, r := range l.Checks {
		if len(kinds) == 0 || slices.Contains(kinds, r.Kind) {
			out = append(out, r)
		}
	}
	return out
}

func after(runs []sessionevents.LedgerRun, since Place) []sessionevents.LedgerRun {
	for i := range runs {
		if place(&runs[i]).After(since) {
			return runs[i:]
		}
	}
	return nil
}

func (l *Ledger) lastChange() Place {
	changed, _ := l.Changed(Place{}, behaviour...)
	return changed
}

// openFailure is the latest run that failed and that no later one makes up for: the same
// command, or one of its kind that covers as much.
func openFailure(runs []sessionevents.LedgerRun) *sessionevents.LedgerRun {
	for i := len(runs) - 1; i >= 0; i-- {
		r := &runs[i]
		if r.Result == sessionevents.CheckPassed && !narrow(r) {
			return nil
		}
		if r.Result != sessionevents.CheckFailed {
			continue
		}
		if slices.ContainsFunc(runs[i+1:], func(o sessionevents.LedgerRun) bool { return makesUp(&o, r) }) {
			continue
		}
		return r
	}
	return nil
}

// makesUp reports whether a later run shows that an earlier failure is gone: it passed, is
// of its kind and does not leave out what failed.
func makesUp(later, failed *sessionevents.LedgerRun) bool {
	if later.Kind != failed.Kind || later.Result != sessionevents.CheckPassed && later.Result != sessionevents.CheckUnknown && later.Result != sessionevents.CheckCut {
		return false
	}
	if later.Command == failed.Command || narrow(failed) && !narrow(later) {
		return true
	}
	if failed.Runner == testScript && later.Runner == testScript && narrow(failed) {
		return slices.Equal(later.Scope, failed.Scope) // its commands check different things
	}
	if later.Runner == "" || later.Runner != failed.Runner {
		return sameProgram(later.Command, failed.Command)
	}
	if !narrow(later) || narrow(failed) {
		return true
	}
	// The run of the very tests that failed.
	return slices.ContainsFunc(failed.FailedNames, func(name string) bool {
		return slices.ContainsFunc(append(slices.Clone(later.Filters), later.Scope...), func(f string) bool {
			return strings.Contains(f, path.Base(name)) || strings.Contains(name, strings.TrimPrefix(f, "-run "))
		})
	})
}

// narrow reports whether a run leaves something out by a filter or by naming single files.
func narrow(r *sessionevents.LedgerRun) bool { return filterOf(r) != "" }

// filterOf is what narrows a run: a filter by name, what it excludes, or the single files
// it names; "" for a run of all there is.
func filterOf(r *sessionevents.LedgerRun) string {
	if r.Runner == testScript && len(r.Scope) > 0 {
		return strings.Join(r.Scope, " ")
	}
	for _, f := range r.Filters {
		flag, _, _ := strings.Cut(strings.ReplaceAll(f, "=", " "), " ")
		if slices.Contains(narrowing, strings.TrimLeft(flag, "-")) {
			return f
		}
	}
	for _, s := range r.Scope {
		if strings.Contains(s, "::") || path.Ext(s) != "" && !strings.HasSuffix(s, "...") && !strings.HasSuffix(s, ".") {
			return s
		}
	}
	return ""
}

// narrowing are flags that choose or leave out tests, without their dashes.
var narrowing = []string{
	"run", "k", "t", "g", "grep", "testNamePattern", "testPathPattern", "filter", "ignore", "deselect", "m", "skip", "exclude", "tests", "Dtest",
	"testPathIgnorePatterns", "e", "example", "only", "R", "E", "lf", "last-failed",
}

// leavesOut reports whether a run is narrow in a way that makes a broad claim wrong: it
// excludes something or goes by name, or the session ran a wider one before.
func (d *digest) leavesOut(r *sessionevents.LedgerRun) bool {
	if !narrow(r) {
		return false
	}
	for _, f := range r.Filters {
		flag, _, _ := strings.Cut(strings.ReplaceAll(f, "=", " "), " ")
		if slices.Contains([]string{"run", "k", "t", "g", "grep", "testNamePattern", "ignore", "deselect", "skip", "exclude"}, strings.TrimLeft(flag, "-")) {
			return true
		}
	}
	return slices.ContainsFunc(d.l.Checks, func(o sessionevents.LedgerRun) bool { return o.Kind == r.Kind && o.Runner == r.Runner && !narrow(&o) })
}

// suiteLeftOut finds a suite that ordinary runs leave out and that the runs do not name,
// although the session changed it, ran it before, or the claim speaks of it.
func (d *digest) suiteLeftOut(c claimView, passed []sessionevents.LedgerRun) (where, suite string) {
	changed := d.l.lastChange()
	for _, suite := range d.c.Suites {
		if d.c.unitTests.MatchString(c.Text) && !strings.Contains(strings.ToLower(c.Text), suite) {
			continue // it speaks of another suite
		}
		names := func(r sessionevents.LedgerRun) bool {
			text := strings.ToLower(r.Command + " " + strings.Join(r.Filters, " "))
			return strings.Contains(text, suite) || strings.Contains(text, ":ci") || strings.Contains(text, ":all")
		}
		if slices.ContainsFunc(passed, names) {
			continue
		}
		for _, f := range d.l.Files {
			if f.Kind == sessionevents.MutationTests && c.Broad && strings.Contains(strings.ToLower(f.Path), suite) {
				return quote.Path(f.Path), suite
			}
		}
		if strings.Contains(strings.ToLower(c.Text), suite) || c.Broad && c.Final && slices.ContainsFunc(d.l.runs(sessionevents.CheckTest), names) {
			return "what changed in turn " + strconv.Itoa(changed.Turn), suite
		}
	}
	return "", ""
}

// outside is a changed file that the runs, which name their packages, do not cover.
func (d *digest) outside(c claimView, passed []sessionevents.LedgerRun) string {
	var scopes []string
	for _, r := range passed {
		if len(r.Scope) == 0 || r.Runner != "go test" {
			return ""
		}
		scopes = append(scopes, r.Scope...)
	}
	if c.Broad && c.Final {
		for _, dir := range d.l.Looked {
			if !slices.ContainsFunc(scopes, func(s string) bool { return covers(s, dir+"/x.go") }) {
				return quote.Path(dir)
			}
		}
	}
	one := len(passed) > 0 && c.Broad && !slices.ContainsFunc(scopes, func(s string) bool { return strings.HasSuffix(s, "...") })
	for _, f := range d.l.Files {
		if one && f.Kind == sessionevents.MutationCode && !f.Gone {
			return quote.Path(f.Path) // single packages: what depends on it did not run
		}
		if f.Gone || path.Ext(f.Path) != ".go" || f.Kind == sessionevents.MutationDocuments {
			continue
		}
		if !slices.ContainsFunc(scopes, func(s string) bool { return covers(s, f.Path) }) {
			return quote.Path(f.Path)
		}
	}
	return ""
}

// covers reports whether a scope such as "./cmd/..." holds a file; a scope relative to
// another folder counts when it ends like the file's.
func covers(scope, file string) bool {
	dir := path.Dir(file)
	base, deep := strings.CutSuffix(strings.TrimPrefix(scope, "./"), "...")
	base = strings.Trim(base, "/")
	switch {
	case base == "" || base == ".":
		return deep || dir == "." || scope == "."
	case deep:
		return dir == base || strings.HasPrefix(dir, base+"/") || strings.Contains("/"+dir+"/", "/"+base+"/") || strings.HasSuffix(base, "/"+dir)
	}
	return dir == base || strings.HasSuffix("/"+dir, "/"+base) || strings.HasSuffix(base, "/"+dir)
}

// show is the command that would show a claim: the latest of the session's own that is
// not narrowed, else the latest.
func show(runs []sessionevents.LedgerRun, c *sessionevents.Claim) string {
	for _, r := range slices.Backward(runs) {
		if !narrow(&r) && r.Hides == "" && r.Command != "" && !strings.Contains(r.Command, "<<") {
			return r.Command
		}
	}
	if n := len(runs); n > 0 && !narrow(&runs[n-1]) {
		return runs[n-1].Command
	}
	return c.Show
}

// known is the command of the workspace's known runner; "" where none is visible.
func (d *digest) known(kind sessionevents.CheckKind) string {
	if d.l.Runner == 0 {
		return ""
	}
	r := d.c.Runners[d.l.Runner-1]
	if kind == sessionevents.CheckBuild && r.Build != "" {
		return r.Build
	}
	return r.Test
}

func word(kind sessionevents.CheckKind) string {
	switch kind {
	case sessionevents.CheckTest:
		return "test"
	case sessionevents.CheckBuild:
		return "build"
	case sessionevents.CheckLint, sessionevents.CheckTypes:
		return "linter"
	}
	return "check"
}

// names lists the last two of some paths.
func names(paths []string) string {
	switch n := len(paths); n {
	case 0:
		return "the code"
	case 1:
		return quote.Path(paths[0])
	case 2:
		return quote.Path(paths[0]) + " and " + quote.Path(paths[1])
	default:
		return quote.Path(paths[n-1]) + " and " + strconv.Itoa(n-1) + " more files"
	}
}

// sameProgram reports whether two command lines run the same program with the same operand.
func sameProgram(a, b string) bool { return programOf(a) == programOf(b) }

// ownScript is a script of the session's own, where the runs are of such scripts only and
// the project has tests that the session did not write.
func (d *digest) ownScript(passed []sessionevents.LedgerRun) string {
	own := ""
	for i := range passed {
		file := ""
		for _, f := range d.l.Files {
			if f.Created && !d.testsProject(f.Path) && strings.Contains(passed[i].Command, path.Base(f.Path)) {
				file = f.Path
			}
		}
		if file == "" {
			return ""
		}
		own = file
	}
	if own == "" || !d.l.Tests {
		return ""
	}
	return quote.Path(own)
}

// cutAmong is a test run whose result was cut off and that did not run whole since.
func cutAmong(runs []sessionevents.LedgerRun) *sessionevents.LedgerRun {
	for i := range runs {
		if runs[i].Result != sessionevents.CheckCut {
			continue
		}
		if !slices.ContainsFunc(runs[i+1:], func(o sessionevents.LedgerRun) bool {
			return o.Result == sessionevents.CheckPassed && (o.Runner == runs[i].Runner && o.Hides == "" || sameProgram(o.Command, runs[i].Command))
		}) {
			return &runs[i]
		}
	}
	return nil
}

// tested reports whether a test passed at all.
func tested(runs []sessionevents.LedgerRun) bool {
	return slices.ContainsFunc(runs, func(r sessionevents.LedgerRun) bool {
		return r.Kind == sessionevents.CheckTest && r.Result == sessionevents.CheckPassed
	})
}

// testsProject reports whether a test that the session wrote lies among the project's
// tests, so that running it is running them.
func (d *digest) testsProject(file string) bool {
	return strings.Contains(file, "/") && d.c.tests.MatchString(file)
}
