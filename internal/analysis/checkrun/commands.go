package checkrun

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
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

// Only the first and last part of a longer output is read, since summaries are at one
// end.
const (
	headBytes = 16 << 10
	tailBytes = 48 << 10
	maxNames  = 20
)

// judge sets the result of a check: from its output first, then from the exit code if it
// is the command's own (PD-2); a code that the line prints stands for it.
func (r *Reader) judge(check *sessionevents.Check, step *shell.Step, result Result) {
	cut := r.hides(check, step)
	if code, shown := step.Code.In(result.Output); shown {
		own := *step
		own.Exit, step = step.Code.Exit, &own
		result.Exit, result.Failed = &code, false
	}
	text := part(result.Output)
	seen := r.outputs[check.Kind].read(check, text)
	failed := result.Failed || result.Exit != nil && *result.Exit != 0
	if failed && check.Passed+check.Failed == 0 && r.interrupted.MatchString(text) {
		check.Result = sessionevents.CheckUnknown // interrupted by whoever ran it, so a failure is not shown
		return
	}
	if result.Exit == nil && seen != sessionevents.CheckFailed && r.unfinished.MatchString(text) {
		check.Result = sessionevents.CheckUnknown
		return
	}
	switch {
	case seen != "":
		check.Result = seen
		if seen == sessionevents.CheckPassed && failed && step.Exit == shell.ExitExact && !cut {
			check.Result = sessionevents.CheckFailed // a summary of one part of it
		}
	case step.Exit == shell.ExitExact && failed:
		check.Result = sessionevents.CheckFailed
	case step.Exit != shell.ExitHidden && !failed && !cut && silent(check, text, result):
		check.Result = sessionevents.CheckUnknown
	case step.Exit != shell.ExitHidden && !failed:
		check.Result = sessionevents.CheckPassed
	case cut:
		check.Result = sessionevents.CheckCut
	default:
		check.Result = sessionevents.CheckUnknown
	}
}

// silent reports whether tests printed nothing and left no exit code, which proves
// nothing (JD-15).
func silent(check *sessionevents.Check, text string, result Result) bool {
	return check.Kind == sessionevents.CheckTest && result.Exit == nil && strings.TrimSpace(text) == ""
}

// hides records what hides the result, and reports whether a part of the output may be
// missing.
func (r *Reader) hides(check *sessionevents.Check, step *shell.Step) (cut bool) {
	var hides []string
	for i := range step.After {
		if after := &step.After[i]; !r.passes[after.Name] {
			hides, cut = append(hides, "| "+strings.TrimSpace(after.Name+" "+strings.Join(after.Args, " "))), true
		}
	}
	if step.To != "" {
		hides, cut = append(hides, "> "+step.To), true
	}
	if step.Or != "" {
		hides = append(hides, "|| "+step.Or)
	}
	check.Hides = short(strings.Join(hides, " "))
	return cut
}

// part returns the beginning and the end of an output.
func part(s string) string {
	if len(s) <= headBytes+tailBytes {
		return s
	}
	from := strings.IndexByte(s[len(s)-tailBytes:], '\n') + len(s) - tailBytes + 1
	return text.Head(s, headBytes) + "\n" + s[from:]
}

// config is the section checkrun of the rule data, which explains each value.
type config struct {
	Runners []runner        `yaml:"runners"`
	NotRuns *pattern.Regexp `yaml:"not_runs"`
	// Interrupted matches a harness's message about a command that it interrupted.
	Interrupted *pattern.Regexp `yaml:"interrupted"`
	// NotTests matches programs that test nothing although one of their arguments is
	// "test".
	NotTests   *pattern.Regexp                            `yaml:"not_tests"`
	Unfinished *pattern.Regexp                            `yaml:"unfinished"`
	Selects    *pattern.Regexp                            `yaml:"selects"`
	Parts      *pattern.Regexp                            `yaml:"parts"`
	Listing    *pattern.Regexp                            `yaml:"listing"`
	Outputs    map[sessionevents.CheckKind]outputPatterns `yaml:"outputs"`
	Passes     rules.Words                                `yaml:"passes"`
}

// runner is a program that checks something.
type runner struct {
	ID     string                  `yaml:"id"`
	Kind   sessionevents.CheckKind `yaml:"kind" allow:"test|build|lint|types|run|request"`
	Match  *pattern.Regexp         `yaml:"match"`
	Module string                  `yaml:"module"` // python -m MODULE: its arguments follow
	Skip   int                     `yaml:"skip" range:"0..9"`
	// Operands says that what follows the words of Match is its scope.
	Operands bool        `yaml:"operands"`
	Words    []string    `yaml:"words"`
	Filters  rules.Words `yaml:"filters"`
	Lone     rules.Words `yaml:"lone"`
	Values   rules.Words `yaml:"values"`
	// Forwarded are filters that a task passes on to the runner after "--".
	Forwarded rules.Words `yaml:"forwarded"`
}

// outputPatterns match the output of a kind of check.
type outputPatterns struct {
	Passed       []string `yaml:"passed"`
	Failed       []string `yaml:"failed"`
	Nothing      []string `yaml:"nothing"`
	Broken       []string `yaml:"broken"`
	PassedCount  []string `yaml:"passed_count"`
	FailedCount  []string `yaml:"failed_count"`
	SkippedCount []string `yaml:"skipped_count"`
	// SectionsCount are counts that are added up over the sections of an output.
	SectionsCount []string `yaml:"sections_count"`
	Names         []string `yaml:"names"`
	Cached        string   `yaml:"cached"`
	Ran           string   `yaml:"ran"`
}

// Reader finds checks. It is safe for concurrent use.
type Reader struct {
	commands *shell.Parser
	runners  []runner
	notRuns  *pattern.Regexp
	notTests *pattern.Regexp
	// unfinished matches the beginning of a result whose call has not ended.
	unfinished *pattern.Regexp
	// listing matches lines of a test runner that run no test, selects flags of any test runner that select
	// tests, and parts other words that do.
	listing, selects, parts *pattern.Regexp
	// interrupted matches a harness's message about a command that it interrupted.
	interrupted *pattern.Regexp
	outputs     map[sessionevents.CheckKind]*output
	passes      map[string]bool
}

// New returns a reader for the section "checkrun" of the rules.
func New(set *rules.Set, commands *shell.Parser) (*Reader, error) {
	var c config
	if err := set.Decode("checkrun", &c); err != nil {
		return nil, fmt.Errorf("load checks: %w", err)
	}
	r := &Reader{
		commands: commands, runners: c.Runners, notRuns: c.NotRuns, notTests: c.NotTests, interrupted: c.Interrupted,
		unfinished: c.Unfinished, listing: c.Listing, selects: c.Selects, parts: c.Parts,
		outputs: map[sessionevents.CheckKind]*output{}, passes: c.Passes,
	}
	from := pattern.For(set, "checkrun")
	var err error
	for kind, patterns := range c.Outputs {
		if r.outputs[kind], err = patterns.compile(from, "outputs."+string(kind)); err != nil {
			return nil, fmt.Errorf("load checks: %w", err)
		}
	}
	return r, nil
}
