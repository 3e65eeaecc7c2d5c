package ledger

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/checkrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// runJudge judges claims that checks pass, by the runs that cover their subject (JD-13,
// JD-14).
type runJudge struct{ *evidence }

// shownBy maps kinds of claims to the kinds of checks that prove them, the kind it names
// first.
var shownBy = map[sessionevents.ClaimKind][]sessionevents.CheckKind{
	sessionevents.ClaimTests: {sessionevents.CheckTest},
	sessionevents.ClaimBuild: {sessionevents.CheckBuild, sessionevents.CheckTest, sessionevents.CheckRun, sessionevents.CheckTypes},
	sessionevents.ClaimLint:  {sessionevents.CheckLint, sessionevents.CheckTypes},
}

func (j runJudge) judge(c claimView) {
	kinds := shownBy[c.Kind]
	changed, _ := j.l.Changed(Place{}, behaviour...)
	runs := j.l.runs(kinds...)
	if len(runs) == 0 {
		j.none(c, changed, kinds[0])
		return
	}
	since := after(runs, changed)
	latest := runs[len(runs)-1]
	c.By = &latest
	if c.Kind == sessionevents.ClaimTests && j.own(c, since) {
		return
	}
	if failed := j.failure(c, runs); failed != nil {
		j.failed(c, failed, changed)
		return
	}
	c.Show = j.c.show(runs, c.Claim)
	switch {
	case len(since) == 0:
		_, paths := j.l.Changed(place(&latest), behaviour...)
		c.lacks(sessionevents.Unproven, GapStale, "The last %s, %s in turn %d, is older than the change of %s.", word(kinds[0]), quoted(latest.Command), latest.Turn, names(paths))
	case latest.Result == sessionevents.CheckNothing:
		c.lacks(sessionevents.Contradicted, GapNothing, "%s of turn %d ran no test.", quoted(latest.Command), latest.Turn)
	default:
		j.weigh(c, since)
	}
}

// none judges a claim without a known check of its kind.
func (j runJudge) none(c claimView, changed Place, kind sessionevents.CheckKind) {
	since := func(p Place) bool { return p.After(changed) && !p.Zero() }
	if (since(j.l.Ran) || since(j.l.Unknown)) && kind != sessionevents.CheckLint && j.l.Runner == 0 {
		c.lacks(sessionevents.NotCheckable, "", "A command ran after the last change; whether it shows this is not known.")
		return
	}
	if own := j.ownScript(after(j.l.runs(sessionevents.CheckRun), changed)); own != "" && c.Kind == sessionevents.ClaimTests && c.Broad {
		j.ranOwn(c, own)
		return
	}
	j.neverRan(c, changed, kind)
}

// own judges a claim that names its scope by the runs of that scope: wider or older runs
// do not affect it (JD-14). It reports whether it decided.
func (j runJudge) own(c claimView, since []sessionevents.LedgerRun) bool {
	if c.scope.Entire || len(since) == 0 || j.c.Everywhere.MatchString(c.Text) || len(c.scope.Suites) > 0 {
		return false
	}
	latest := &since[len(since)-1]
	if r := named(since, c.scope.Of); r != nil && r.Result == sessionevents.CheckPassed &&
		(c.scope.Count == 0 || r.Passed == 0 || c.scope.Count == r.Passed) {
		c.proven(r)
		return true
	}
	if c.scope.Loose && j.c.openFailure(since) != nil {
		return false
	}
	if c.scope.Loose && latest.Result == sessionevents.CheckPassed && j.c.onlyParts(since) {
		c.By = latest
		const why = "%s of turn %d runs a part of the tests; whether the claim speaks of more is not known."
		c.lacks(sessionevents.NotCheckable, "", why, quoted(latest.Command), latest.Turn)
		return true
	}
	if c.scope.Loose || c.scope.Partly {
		if latest.Result == sessionevents.CheckPassed && (c.scope.Loose || j.unseen(c, since) == "") {
			c.proven(latest)
			return true
		}
		return false
	}
	for _, r := range slices.Backward(since) {
		if r.Result == sessionevents.CheckPassed && (c.scope.Count > 0 && r.Passed == c.scope.Count || j.namedBy(c, &r)) {
			c.proven(&r)
			return true
		}
	}
	return false
}

// named returns the latest run of a part of the tests that a word of a claim names: "parser" names
// "spec/parser_spec.rb".
func named(runs []sessionevents.LedgerRun, words []string) *sessionevents.LedgerRun {
	for _, r := range slices.Backward(runs) {
		part := strings.ToLower(strings.Join(r.Scope, " ") + " " + strings.Join(r.Filters, " "))
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(part, w) }) {
			return &r
		}
	}
	return nil
}

// onlyParts reports whether all the runs are of single packages or of tests that are selected.
func (c *Config) onlyParts(runs []sessionevents.LedgerRun) bool {
	return !slices.ContainsFunc(runs, func(r sessionevents.LedgerRun) bool {
		return r.Result == sessionevents.CheckPassed && !c.narrow(&r) && !onePackage(&r)
	})
}

// namedBy reports whether a run covers the tests that a claim names.
func (j runJudge) namedBy(c claimView, r *sessionevents.LedgerRun) bool {
	return !c.Broad && j.c.narrow(r) && slices.ContainsFunc(c.names, func(n string) bool {
		return slices.ContainsFunc(append(slices.Clone(r.Filters), r.Scope...), func(f string) bool {
			return strings.Contains(f, strings.TrimSuffix(n, "()")) || strings.Contains(f, path.Base(n))
		})
	})
}

// failure returns a failed run that concerns the claim: for tests any that no later run
// makes up for, otherwise the latest.
func (j runJudge) failure(c claimView, runs []sessionevents.LedgerRun) *sessionevents.LedgerRun {
	failed := j.c.openFailure(runs)
	latest := &runs[len(runs)-1]
	if failed == nil || c.Kind != sessionevents.ClaimTests && (failed.Turn != latest.Turn || failed.Segment != latest.Segment) {
		return nil
	}
	return failed
}

// failed judges a claim against a failed run. A run older than the last change shows the
// past, not the present: the claim is then unproven, not wrong (JD-13).
func (j runJudge) failed(c claimView, failed *sessionevents.LedgerRun, changed Place) {
	c.By = failed
	if elsewhere(c, failed) {
		const why = "What failed in %s of turn %d is not of the tests that the claim names; no run of these is known."
		c.lacks(sessionevents.NotCheckable, "", why, quoted(failed.Command), failed.Turn)
		return
	}
	if place(failed).After(changed) && restOf(j.c, c, failed) {
		return
	}
	if j.out.Admits && !c.Broad {
		c.lacks(sessionevents.NotCheckable, "", "The primary names what failed in %s.", quoted(failed.Command))
		return
	}
	if j.l.Explained.After(place(failed)) {
		c.lacks(sessionevents.Unproven, GapFailed, "%s of turn %d failed; turn %d says why, the claim does not.",
			quoted(failed.Command), failed.Turn, j.l.Explained.Turn)
		return
	}
	if !place(failed).After(changed) {
		c.Show = failed.Command
		_, since := j.l.Changed(place(failed), behaviour...)
		c.lacks(sessionevents.Unproven, GapStale, "%s of turn %d failed, and has not run again since %s changed.", quoted(failed.Command), failed.Turn, names(since))
		return
	}
	c.lacks(sessionevents.Contradicted, GapFailed, "%s of turn %d failed, and nothing that covers it passed since.", quoted(failed.Command), failed.Turn)
}

// restOf judges a claim about the tests other than those that failed: the failure refutes it only if another
// number passed than it says.
func restOf(config *Config, c claimView, failed *sessionevents.LedgerRun) bool {
	passed := failed.Passed
	if c.Kind != sessionevents.ClaimTests || !config.Rests.MatchString(c.Text) {
		return false
	}
	switch {
	case passed > 0 && c.scope.Count > 0 && passed != c.scope.Count:
		return false
	case passed > 0 && c.scope.Count > 0:
		c.proven(failed)
	default:
		c.lacks(sessionevents.NotCheckable, "", "The claim leaves out what failed in %s of turn %d.", quoted(failed.Command), failed.Turn)
	}
	return true
}

// elsewhere reports whether all that a run names as failed is in other files than those of the tests that a claim
// names: such a failure says nothing of the narrower claim (JD-14).
func elsewhere(c claimView, failed *sessionevents.LedgerRun) bool {
	list := failed.FailedNames
	if len(c.scope.Of) == 0 || c.scope.Entire || len(list) == 0 || len(list) < failed.Failed {
		return false
	}
	about := strings.ToLower(failed.Command)
	for _, name := range list {
		if !strings.Contains(name, "/") {
			return false // a test's name does not say where it is
		}
		about += "\n" + strings.ToLower(name)
	}
	return !slices.ContainsFunc(c.scope.Of, func(w string) bool { return strings.Contains(about, w) })
}

// weigh judges by the runs since the last change, all of which passed or are unknown.
func (j runJudge) weigh(c claimView, since []sessionevents.LedgerRun) {
	latest := since[len(since)-1]
	if cut := cutAmong(since); cut != nil && c.Broad {
		c.By = cut
		c.lacks(sessionevents.Unproven, GapCut, "%s of turn %d cuts off what shows the result, and it did not run whole since.", quoted(cut.Command), cut.Turn)
		return
	}
	passed := slices.DeleteFunc(slices.Clone(since), func(r sessionevents.LedgerRun) bool { return r.Result != sessionevents.CheckPassed })
	if len(passed) == 0 {
		c.By = &latest
		if latest.Result == sessionevents.CheckCut || latest.Hides != "" {
			c.lacks(sessionevents.Unproven, GapCut, "%s of turn %d cuts off what shows the result.", quoted(latest.Command), latest.Turn)
			return
		}
		c.lacks(sessionevents.NotCheckable, "", "What %s of turn %d came to is not known.", quoted(latest.Command), latest.Turn)
		return
	}
	if c.Kind == sessionevents.ClaimTests && j.uncovered(c, passed) {
		return
	}
	if j.c.Everywhere.MatchString(c.Text) {
		c.lacks(sessionevents.NotCheckable, "", "%s of turn %d passed here; the claim speaks of more than that.",
			quoted(latest.Command), latest.Turn)
		return
	}
	if passed = j.byNamed(c, passed); len(passed) == 0 {
		c.lacks(sessionevents.NotCheckable, "", "%s of turn %d is another linter than the one that is named.",
			quoted(latest.Command), latest.Turn)
		return
	}
	suiteJudge(j).receipt(c, passed)
	if slices.Contains(j.l.Blamed, c.Kind) && j.unchanged(c.Claim) {
		j.rejects(c)
	}
}

// byNamed leaves the runs of the linters that a claim names, and of tasks that name none.
func (j runJudge) byNamed(c claimView, runs []sessionevents.LedgerRun) []sessionevents.LedgerRun {
	named := j.c.Linters.FindAllString(strings.ToLower(c.Text), -1)
	for _, w := range j.c.LinterWords {
		if w.Words.MatchString(c.Text) {
			named = append(named, w.Linter)
		}
	}
	if c.Kind != sessionevents.ClaimLint || len(named) == 0 {
		return runs
	}
	return slices.DeleteFunc(slices.Clone(runs), func(r sessionevents.LedgerRun) bool {
		ran := j.c.Linters.FindAllString(strings.ToLower(r.Command), -1)
		return len(ran) > 0 && !slices.ContainsFunc(named, func(n string) bool { return slices.Contains(ran, n) })
	})
}

// uncovered reports whether the passed runs leave something out: a filter, another
// package, a suite that ordinary runs skip.
func (j runJudge) uncovered(c claimView, passed []sessionevents.LedgerRun) bool {
	widest := passed[len(passed)-1]
	for _, r := range passed {
		if !j.c.narrow(&r) && (j.selects(&r) == "" || j.selects(&widest) != "") {
			widest = r
		}
	}
	c.By = &widest
	if c.scope.Partly {
		name := j.unseen(c, passed)
		if name != "" {
			c.lacks(sessionevents.NotCheckable, "", "Whether %s of turn %d runs the tests of %s is not known.",
				quoted(widest.Command), widest.Turn, quote.Path(name))
		}
		return name != "" || j.tooFew(c, passed, &widest)
	}
	if c.Show == "" {
		c.Show = j.known(sessionevents.CheckTest)
	}
	if namesCommand(c, &widest) {
		return j.miscounted(c, passed, &widest)
	}
	if own := j.ownScript(passed); own != "" && c.Broad {
		j.ranOwn(c, own)
		return true
	}
	if c.Broad && (j.miscounted(c, passed, &widest) || j.tooFew(c, passed, &widest) ||
		j.mostSkipped(c, &widest) || j.cachedOnly(c, &widest)) {
		return true
	}
	if c.Broad && j.leavesOut(c, &widest) {
		const why = "%s of turn %d runs a part of the tests only (%s)."
		c.lacks(sessionevents.Unproven, GapNarrow, why, quoted(widest.Command), widest.Turn, j.c.filterOf(&widest))
		return true
	}
	if suiteJudge(j).omits(c, passed) {
		return true
	}
	if flag := j.selects(&widest); c.Broad && flag != "" {
		c.lacks(sessionevents.NotCheckable, "", "%s of turn %d passed; which tests %s leaves out is not known.",
			quoted(widest.Command), widest.Turn, flag)
		return true
	}
	if part := j.partOf(&widest); c.Broad && part != "" && c.scope.Count == 0 && len(c.scope.Suites) == 0 {
		c.lacks(sessionevents.NotCheckable, "", "%s of turn %d ran what is in %s; whether the claim speaks of more is not known.",
			quoted(widest.Command), widest.Turn, quote.Path(part))
		return true
	}
	if suiteJudge(j).onlySuites(c, passed) {
		return true
	}
	if suite, reason := suiteJudge(j).suiteLeftOut(c, passed); suite != "" {
		c.lacks(sessionevents.Unproven, GapSuite, "No run since turn %d, the last change, names the %s tests, and %s.", j.l.lastChange().Turn, suite, reason)
		return true
	}
	if outside := j.outside(c, passed); outside != "" {
		c.lacks(sessionevents.Unproven, GapNarrow, "%s changed, and %s of turn %d does not cover what depends on it.", outside, quoted(widest.Command), widest.Turn)
		return true
	}
	return false
}

// namesCommand reports whether a claim names the very command of a run with all that narrows it, so that it
// speaks of nothing more: "`bazel test //net/...` passes".
func namesCommand(c claimView, r *sessionevents.LedgerRun) bool {
	parts := append(slices.Clone(r.Scope), r.Filters...)
	return len(parts) > 0 && !c.scope.Entire && slices.ContainsFunc(c.names, func(n string) bool {
		unnamed := func(part string) bool { return !strings.Contains(n, part) }
		return strings.Contains(r.Command, n) && !slices.ContainsFunc(parts, unnamed)
	})
}

// selects returns a flag of a run that may leave tests out; "" for none. What sets how or where they run leaves
// none out.
func (j runJudge) selects(r *sessionevents.LedgerRun) string {
	for _, f := range r.Filters {
		flag, _, _ := strings.Cut(strings.ReplaceAll(f, "=", " "), " ")
		if !j.c.Settles[strings.TrimLeft(flag, "-")] {
			return flag
		}
	}
	return ""
}

// partOf returns the first folder or file that a run names, if it names nothing that stands for all tests; Go's
// packages are judged by what changed.
func (j runJudge) partOf(r *sessionevents.LedgerRun) string {
	if r.Runner == "go test" || r.Runner == checkrun.NamedTest || len(r.Scope) == 0 || slices.ContainsFunc(r.Scope, j.isEverything) {
		return ""
	}
	return r.Scope[0]
}

// isEverything reports whether a scope names no part of the tests.
func (j runJudge) isEverything(scope string) bool {
	return slices.Contains(j.c.Projects, path.Ext(scope)) || strings.Contains(scope, "*") ||
		slices.Contains(j.c.Everything, strings.TrimSuffix(strings.TrimPrefix(scope, "./"), "/"))
}

// unseen returns something that a claim about some tests names and that no passed run covers: neither one of
// everything nor one that names it.
func (j runJudge) unseen(c claimView, runs []sessionevents.LedgerRun) string {
	for _, name := range c.names {
		stem := strings.TrimSuffix(path.Base(name), "()")
		if !slices.ContainsFunc(runs, func(r sessionevents.LedgerRun) bool {
			return r.Result == sessionevents.CheckPassed && (strings.Contains(r.Command, stem) ||
				!j.c.narrow(&r) && !j.c.ofPart(r.Command))
		}) {
			return name
		}
	}
	return ""
}

func (j runJudge) ranOwn(c claimView, own string) {
	c.Show = j.known(sessionevents.CheckTest)
	c.lacks(sessionevents.Unproven, GapOwn, "The runs since the last change are of scripts that this session wrote (%s); the tests of the project did not run.", own)
}

// leavesOut reports whether a run is too narrow for a broad claim: it excludes something
// or selects by name, the session ran a wider one before, or the claim says that all
// tests passed.
func (j runJudge) leavesOut(c claimView, r *sessionevents.LedgerRun) bool {
	part := func(s string) bool { return !j.isEverything(s) }
	if c.scope.Entire && (j.c.ofPart(r.Command) || slices.ContainsFunc(r.Scope, part)) {
		return true
	}
	if !j.c.narrow(r) {
		return false
	}
	if c.scope.Entire || slices.ContainsFunc(r.Scope, j.c.Single.MatchString) {
		return true
	}
	for _, f := range r.Filters {
		flag, _, _ := strings.Cut(strings.ReplaceAll(f, "=", " "), " ")
		if flag = strings.TrimLeft(flag, "-"); flag != "e" && j.c.Narrowing[flag] {
			return true // "tox -e" chooses where, not what
		}
	}
	return slices.ContainsFunc(j.l.Checks, func(o sessionevents.LedgerRun) bool {
		return o.Kind == r.Kind && o.Runner == r.Runner && !j.c.narrow(&o)
	})
}

// outside returns a changed file that the runs, which name their packages, do not cover.
func (j runJudge) outside(c claimView, passed []sessionevents.LedgerRun) string {
	var scopes []string
	for _, r := range passed {
		if len(r.Scope) == 0 || r.Runner != "go test" {
			return ""
		}
		scopes = append(scopes, r.Scope...)
	}
	if c.Broad && c.Final {
		for _, dir := range j.l.Looked {
			if !slices.ContainsFunc(scopes, func(s string) bool { return covers(s, dir+"/x.go") }) {
				return quote.Path(dir)
			}
		}
	}
	one := len(passed) > 0 && c.Broad && !slices.ContainsFunc(passed, func(r sessionevents.LedgerRun) bool { return !onePackage(&r) })
	for _, f := range j.l.Files {
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

// miscounted judges a claim that all of N tests pass if N includes tests that the run
// skipped or a filter left out (PD-2: it shows another number).
func (j runJudge) miscounted(c claimView, passed []sessionevents.LedgerRun, widest *sessionevents.LedgerRun) bool {
	said := c.scope.Count
	if said == 0 || widest.Passed == 0 {
		return false
	}
	if said <= passedIn(passed) || said != widest.Passed+widest.Skipped && !j.c.narrow(widest) {
		return false
	}
	c.lacks(sessionevents.Contradicted, GapCount, "%s of turn %d says %d passed, not %d.", quoted(widest.Command), widest.Turn, widest.Passed, said)
	return true
}

// passedIn returns how many tests passed in some runs.
func passedIn(runs []sessionevents.LedgerRun) (sum int) {
	for i := range runs {
		sum += runs[i].Passed
	}
	return sum
}

// tooFew judges a claim that names more tests than the runs count. Their outputs may not show all, so that they
// refute nothing.
func (j runJudge) tooFew(c claimView, passed []sessionevents.LedgerRun, r *sessionevents.LedgerRun) bool {
	if c.scope.Count == 0 || r.Passed == 0 || c.scope.Count <= passedIn(passed) {
		return false
	}
	c.lacks(
		sessionevents.NotCheckable, "", "%s of turn %d says that %d passed; the claim says %d.",
		quoted(r.Command), r.Turn, r.Passed, c.scope.Count,
	)
	return true
}

// mostSkipped judges a run that skipped more tests than it ran, if the primary does not
// mention it.
func (j runJudge) mostSkipped(c claimView, r *sessionevents.LedgerRun) bool {
	if !c.Final || j.c.narrow(r) || r.Skipped <= r.Passed || r.Passed == 0 || j.out.Admits || j.out.Hedged {
		return false
	}
	c.lacks(sessionevents.Unproven, GapSkipped, "%s of turn %d skipped %d tests and ran %d.", quoted(r.Command), r.Turn, r.Skipped, r.Passed)
	return true
}

// cachedOnly judges a run whose results all came from a cache that depends on the code,
// if what changed since is outside the code.
func (j runJudge) cachedOnly(c claimView, r *sessionevents.LedgerRun) bool {
	if !r.Cached || j.l.Beyond.Zero() || !place(r).After(j.l.Beyond) {
		return false
	}
	for i := range j.l.Checks {
		if o := &j.l.Checks[i]; o.Runner == r.Runner && !o.Cached && o.Result == sessionevents.CheckPassed && place(o).After(j.l.Beyond) {
			return false
		}
	}
	c.lacks(sessionevents.Unproven, GapCached, "%s of turn %d printed cached results; no test ran since turn %d changed what they use.", quoted(r.Command), r.Turn, j.l.Beyond.Turn)
	return true
}

// covers reports whether a scope such as "./cmd/..." contains a file; a scope relative to
// another folder counts if it ends like the file's.
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
