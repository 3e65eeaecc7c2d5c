package checkrun

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Bounds of the stored parts of a command.
const (
	maxChecks = 8
	maxWords  = 12  // of a scope or of filters
	maxBytes  = 120 // of each word
)

// Runners in rules/checkrun.yaml with a special meaning.
const (
	// NamedTest is an unknown command that is called a test: a run of unknown scope
	// (JD-15).
	NamedTest = "named test"
	// TestScript is a script whose name says that it tests; its arguments are commands of its own.
	TestScript = "test script"
)

// Result is the known result of a call.
type Result struct {
	Output string
	Exit   *int // nil if unknown
	Failed bool // according to the harness
}

// Checks returns the checks of a command line, in order, with their results according to
// its output; none if it checks nothing.
func (r *Reader) Checks(command string, result Result) []sessionevents.Check {
	var out []sessionevents.Check
	list := r.commands.EverywhereSteps(command)
	for i := range list {
		step := &list[i]
		line := strings.TrimSpace(step.Name + " " + strings.Join(step.Args, " "))
		one := r.runnerOf(line)
		if one == nil && strings.Contains(step.Path, "/") {
			one = r.runnerOf(strings.TrimSpace(step.Path + " " + strings.Join(step.Args, " ")))
		}
		if one == nil || one.Kind == sessionevents.CheckRun && r.notRuns.MatchString(line) ||
			one.ID == NamedTest && (r.notTests.MatchString(line) || r.notTests.MatchString(step.Path)) {
			continue
		}
		check := sessionevents.Check{Kind: one.Kind, Runner: one.ID}
		if one.Kind == sessionevents.CheckRun || one.Kind == sessionevents.CheckRequest {
			check.Runner = short(subject(one.Kind, step))
		} else {
			check.Scope, check.Filters = r.arguments(one, step, line)
		}
		r.judge(&check, step, result)
		if check.Kind == sessionevents.CheckTest && check.Result == sessionevents.CheckPassed &&
			(r.listing.MatchString(line) || r.listing.MatchString(step.Path+" "+strings.Join(step.Args, " "))) {
			check.Result = sessionevents.CheckUnknown // it listed or built tests, and ran none
		}
		out = append(out, check)
		if len(out) == maxChecks {
			break
		}
	}
	return out
}

// runnerOf returns the first runner that recognizes a command, nil for none.
func (r *Reader) runnerOf(line string) *runner {
	for i := range r.runners {
		if r.runners[i].Match.MatchString(line) {
			return &r.runners[i]
		}
	}
	return nil
}

// subject returns the program that is run, or the address that is requested.
func subject(kind sessionevents.CheckKind, step *shell.Step) string {
	if kind == sessionevents.CheckRun && strings.Contains(step.Path, "/") && !strings.HasPrefix(step.Path, "/") {
		return step.Path
	}
	for _, a := range step.Args {
		switch {
		case kind == sessionevents.CheckRequest && (strings.Contains(a, "://") || strings.Contains(a, "localhost") || strings.HasPrefix(a, ":")):
			return a
		case kind == sessionevents.CheckRun && !strings.HasPrefix(a, "-") && a != "run":
			return a
		}
	}
	return step.Name
}

// arguments returns the scope and the filters of a command.
func (r *Reader) arguments(one *runner, step *shell.Step, line string) (scope, filters []string) {
	args := step.Args
	if one.Kind == sessionevents.CheckTest {
		if part := r.parts.FindString(line); part != "" {
			filters = kept(filters, strings.TrimSpace(part))
		}
	}
	if one.Operands {
		if at := one.Match.FindStringIndex(line); at != nil {
			args = args[min(len(args), len(strings.Fields(line[:at[1]]))-1):]
		}
	}
	if one.Module != "" {
		if at := slices.Index(args, one.Module); at > 0 && args[at-1] == "-m" {
			args = args[at+1:]
		}
	}
	skip, known := one.Skip, one.Filters
	for i := 0; i < len(args); i++ {
		a := args[i]
		flag, _, inline := strings.Cut(a, "=")
		switch {
		case a == "--" && len(one.Forwarded) > 0:
			known = one.Forwarded
		case a == "--" || a == "":
		case known[flag] && !one.Lone[flag] && !inline && i+1 < len(args):
			filters = kept(filters, a+" "+args[i+1])
			i++
		case known[flag] || one.Lone[flag],
			one.Kind == sessionevents.CheckTest && !one.Values[flag] && r.selects.MatchString(flag):
			filters = kept(filters, a)
		case one.Values[flag] && !inline:
			i++
		case strings.HasPrefix(a, "-"):
		case skip > 0:
			skip--
		case len(scope) == 0 && slices.Contains(one.Words, a):
		default:
			scope = kept(scope, a)
		}
	}
	return scope, filters
}

func kept(list []string, word string) []string {
	if len(list) == maxWords {
		return list
	}
	return append(list, short(word))
}

func short(s string) string { return text.Cut(s, maxBytes) }
