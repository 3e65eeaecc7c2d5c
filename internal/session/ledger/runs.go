package ledger

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/checkrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func place(r *sessionevents.LedgerRun) Place { return Place{r.Turn, r.Segment} }

// runs returns the checks of some kinds, or of all kinds if none is given, in order.
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

// openFailure returns the latest failed run that no later run makes up for: the same
// command, or one of its kind that covers as much.
func (c *Config) openFailure(runs []sessionevents.LedgerRun) *sessionevents.LedgerRun {
	for i := len(runs) - 1; i >= 0; i-- {
		r := &runs[i]
		if r.Result == sessionevents.CheckPassed && !c.narrow(r) {
			return nil
		}
		if r.Result != sessionevents.CheckFailed {
			continue
		}
		if slices.ContainsFunc(runs[i+1:], func(o sessionevents.LedgerRun) bool { return c.makesUp(&o, r) }) {
			continue
		}
		return r
	}
	return nil
}

// makesUp reports whether a later run shows that an earlier failure is gone: it passed,
// is of the same kind and does not leave out what failed.
func (c *Config) makesUp(later, failed *sessionevents.LedgerRun) bool {
	if later.Kind != failed.Kind || later.Result != sessionevents.CheckPassed && later.Result != sessionevents.CheckUnknown && later.Result != sessionevents.CheckCut {
		return false
	}
	if later.Command == failed.Command || c.narrow(failed) && !c.narrow(later) {
		return true
	}
	if failed.Runner == checkrun.TestScript && later.Runner == checkrun.TestScript && c.narrow(failed) {
		return slices.Equal(later.Scope, failed.Scope) // its commands check different things
	}
	if later.Runner == "" || later.Runner != failed.Runner {
		return sameProgram(later.Command, failed.Command)
	}
	if !c.narrow(later) || c.narrow(failed) {
		return true
	}
	// A run of exactly the tests that failed.
	return slices.ContainsFunc(failed.FailedNames, func(name string) bool {
		return slices.ContainsFunc(append(slices.Clone(later.Filters), later.Scope...), func(f string) bool {
			return strings.Contains(f, path.Base(name)) || strings.Contains(name, strings.TrimPrefix(f, "-run "))
		})
	})
}

// show returns a command that would prove a claim: the latest of the session's own that
// cover all of it without hiding anything, otherwise the latest that covers it, otherwise
// the claim's own.
func (c *Config) show(runs []sessionevents.LedgerRun, claimed *sessionevents.Claim) string {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r sessionevents.LedgerRun) bool {
		return r.Command == "" || strings.Contains(r.Command, "<<") || c.narrow(&r) || claimed.Broad && onePackage(&r)
	})
	for _, r := range slices.Backward(runs) {
		if r.Hides == "" {
			return r.Command
		}
	}
	if n := len(runs); n > 0 {
		return runs[n-1].Command
	}
	return claimed.Show
}

// onePackage reports whether a run names single packages of Go, so that it shows nothing
// about the others.
func onePackage(r *sessionevents.LedgerRun) bool {
	return r.Runner == "go test" && len(r.Scope) > 0 && !slices.ContainsFunc(r.Scope, func(s string) bool { return strings.HasSuffix(s, "...") })
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

// names lists paths in a sentence, as the last one and a count if there are more than
// two.
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

// cutAmong returns a test run whose result was cut off and that has not been run in full
// since.
func cutAmong(runs []sessionevents.LedgerRun) *sessionevents.LedgerRun {
	for i := range runs {
		if runs[i].Result != sessionevents.CheckCut || runs[i].Runner == checkrun.NamedTest {
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

// narrow reports whether a run leaves something out, by a filter or by naming single
// files.
func (c *Config) narrow(r *sessionevents.LedgerRun) bool { return c.filterOf(r) != "" }

// filterOf returns what narrows a run: a filter by name, an exclusion, or the single
// files it names; "" for a run of everything.
func (c *Config) filterOf(r *sessionevents.LedgerRun) string {
	if r.Runner == checkrun.TestScript && len(r.Scope) > 0 {
		return strings.Join(r.Scope, " ")
	}
	for _, f := range r.Filters {
		flag, _, _ := strings.Cut(strings.ReplaceAll(f, "=", " "), " ")
		if c.Narrowing[strings.TrimLeft(flag, "-")] {
			return f
		}
	}
	for _, s := range r.Scope {
		if strings.Contains(strings.TrimSuffix(s, "::"), "::") || target(s) || c.singleFile(s) {
			return s
		}
	}
	return ""
}

// singleFile reports whether a scope is a file that lists no others.
func (c *Config) singleFile(s string) bool {
	kind := path.Ext(s)
	return kind != "" && !strings.Contains(s, "*") && !slices.Contains(c.Projects, kind) &&
		!strings.HasSuffix(s, "...") && !strings.HasSuffix(s, ".")
}

// target reports whether a scope is a single target of a build tool, as "//billing:round_test" is and
// "//billing/..." and Pants' "::" are not.
func target(s string) bool {
	return (strings.HasPrefix(s, "//") || strings.HasPrefix(s, ":")) && !strings.HasSuffix(s, "...") &&
		!strings.HasSuffix(s, "::") && !strings.HasSuffix(s, ":all") && !strings.HasSuffix(s, ":*")
}
