package ledger

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
// excludes something or goes by name, the session ran a wider one before, or the claim names
// all of the tests there are.
func (d *digest) leavesOut(claim string, r *sessionevents.LedgerRun) bool {
	if !narrow(r) {
		return false
	}
	if d.c.entire.MatchString(claim) || slices.ContainsFunc(r.Scope, d.c.single.MatchString) {
		return true
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
// although the session changed it or vouched for it before, or the claim speaks of it; the
// reason says which.
func (d *digest) suiteLeftOut(c claimView, passed []sessionevents.LedgerRun) (suite, reason string) {
	for _, suite := range d.c.Suites {
		named := strings.Contains(strings.ToLower(c.Text), suite)
		if d.c.unitTests.MatchString(c.Text) && !named {
			continue // it speaks of another suite
		}
		names := func(r sessionevents.LedgerRun) bool {
			text := strings.ToLower(r.Command + " " + strings.Join(r.Filters, " "))
			return strings.Contains(text, suite) || slices.ContainsFunc(d.c.SuiteRunners[suite], func(w string) bool { return strings.Contains(text, w) }) || strings.Contains(text, ":ci") || strings.Contains(text, ":all")
		}
		if slices.ContainsFunc(passed, names) {
			continue
		}
		if i := slices.IndexFunc(d.l.Files, func(f File) bool {
			return f.Kind == sessionevents.MutationTests && strings.Contains(strings.ToLower(f.Path), suite)
		}); i >= 0 && c.Broad {
			return suite, quote.Path(d.l.Files[i].Path) + " belongs to them"
		}
		if named {
			return suite, "the claim speaks of them"
		}
		switch {
		case !c.Broad || !c.Final:
		case slices.ContainsFunc(d.l.runs(sessionevents.CheckTest), names):
			return suite, "they ran before"
		case d.vouched(suite):
			return suite, "they were reported as passing before"
		}
	}
	return "", ""
}

// suiteOf is the suite that a claim names; "" for none.
func (d *digest) suiteOf(claim string) string {
	lower := strings.ToLower(claim)
	if i := slices.IndexFunc(d.c.Suites, func(suite string) bool { return strings.Contains(lower, suite) }); i >= 0 {
		return d.c.Suites[i]
	}
	return ""
}

// vouched reports whether the primary said earlier that a suite passes: it may have been a
// subagent that ran it.
func (d *digest) vouched(suite string) bool {
	return slices.ContainsFunc(d.l.Claims, func(o sessionevents.Claim) bool {
		return o.Kind == sessionevents.ClaimTests && o.Turn < d.t.Turn && strings.Contains(strings.ToLower(o.Text), suite)
	})
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
	one := len(passed) > 0 && c.Broad && !slices.ContainsFunc(passed, func(r sessionevents.LedgerRun) bool { return !onePackage(&r) })
	for _, f := range d.l.Files {
		single := f.Kind == sessionevents.MutationCode || f.Kind == sessionevents.MutationSettings
		if one && single && !f.Gone {
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
