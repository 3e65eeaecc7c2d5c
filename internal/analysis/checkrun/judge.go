package checkrun

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Only the first and last part of a longer output is read: summaries are at one end.
const (
	headBytes = 16 << 10
	tailBytes = 48 << 10
	maxNames  = 20
)

// judge says what became of a check: its output first, then the exit code where it is
// the command's own (PD-2).
func (r *Reader) judge(check *sessionevents.Check, step *shell.Step, result Result) {
	cut := r.hides(check, step)
	text := part(result.Output)
	seen := r.outputs[check.Kind].read(check, text)
	failed := result.Failed || result.Exit != nil && *result.Exit != 0
	switch {
	case seen != "":
		check.Result = seen
		if seen == sessionevents.CheckPassed && failed && step.Exit == shell.ExitExact && !cut {
			check.Result = sessionevents.CheckFailed // a summary of one part of it
		}
	case step.Exit == shell.ExitExact && failed:
		check.Result = sessionevents.CheckFailed
	case step.Exit != shell.ExitHidden && !failed:
		check.Result = sessionevents.CheckPassed
	case cut:
		check.Result = sessionevents.CheckCut
	default:
		check.Result = sessionevents.CheckUnknown
	}
}

// hides notes what hides the result, and reports whether a part of the output may be
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

// part is the beginning and the end of an output.
func part(text string) string {
	if len(text) <= headBytes+tailBytes {
		return text
	}
	from := strings.IndexByte(text[len(text)-tailBytes:], '\n') + len(text) - tailBytes + 1
	return strings.ToValidUTF8(text[:headBytes], "") + "\n" + text[from:]
}

// read is what an output says, "" where it says nothing; counts and names are set.
func (o *output) read(check *sessionevents.Check, text string) sessionevents.CheckResult {
	if o == nil {
		return ""
	}
	check.Passed, check.Failed, check.Skipped = most(o.passedCount, text), most(o.failedCount, text), most(o.skippedCount, text)
	check.Cached = o.cached != nil && o.cached.MatchString(text) && !(o.ran != nil && o.ran.MatchString(text))
	switch {
	case check.Failed > 0 || anyOf(o.failed, text):
		check.FailedNames = o.namesIn(text)
		check.Failed = max(check.Failed, len(check.FailedNames))
		return sessionevents.CheckFailed
	case check.Passed > 0 || anyOf(o.passed, text):
		if check.Kind == sessionevents.CheckTest && check.Passed == 0 && anyOf(o.nothing, text) && !(o.ran != nil && o.ran.MatchString(text)) && !check.Cached {
			return sessionevents.CheckNothing
		}
		return sessionevents.CheckPassed
	case anyOf(o.nothing, text):
		return sessionevents.CheckNothing
	case anyOf(o.broken, text):
		return sessionevents.CheckFailed
	}
	return ""
}

func anyOf(list []*pattern.Regexp, text string) bool {
	return slices.ContainsFunc(list, func(p *pattern.Regexp) bool { return p.MatchString(text) })
}

// most is the greatest of the last counts that the patterns find: a summary comes at
// the end, and repeats the parts.
func most(list []*pattern.Regexp, text string) int {
	best := 0
	for _, p := range list {
		found := p.FindAllStringSubmatch(text, -1)
		if len(found) == 0 {
			continue
		}
		if n, err := strconv.Atoi(found[len(found)-1][1]); err == nil {
			best = max(best, n)
		}
	}
	return best
}

// namesIn are the names of failed tests, each once, in order.
func (o *output) namesIn(text string) (out []string) {
	for _, p := range o.names {
		for _, m := range p.FindAllStringSubmatch(text, 4*maxNames) {
			if name := short(strings.TrimSpace(m[1])); name != "" && !slices.Contains(out, name) && len(out) < maxNames {
				out = append(out, name)
			}
		}
	}
	return out
}
