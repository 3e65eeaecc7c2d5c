package checkrun

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
