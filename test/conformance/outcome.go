package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// outcome finds in the expectations of a scenario whether a rule took effect.
type outcome struct {
	patterns []*regexp.Regexp
	// own patterns of the rule look at all expectations, others only at effects.
	own bool
}

// end is where a value of an event ends.
const end = `(?:[,}\s]|$)`

// outcomeOf returns what a rule of the specification shows: its own patterns or,
// without any, its id or one of its codes in an event.
func outcomeOf(r *spec.Rule) (outcome, error) {
	patterns := r.Shows
	own := len(patterns) > 0
	if !own {
		id := regexp.QuoteMeta(r.ID)
		patterns = []string{`\brule: ` + id + end, `^signal\.detected ` + id + `[ /]`}
		for _, c := range r.Codes {
			patterns = append(patterns, `\b(?:code|trigger): `+regexp.QuoteMeta(c.Code)+end, `\b`+regexp.QuoteMeta(c.Code)+` in segment`)
		}
	}
	return compile(patterns, own)
}

// detectorOutcome returns what a detector shows: a signal.
func detectorOutcome(id string) (outcome, error) {
	return compile([]string{`^(?:signal\.detected )?` + id + `[ /]`}, false)
}

func compile(patterns []string, own bool) (outcome, error) {
	out := outcome{own: own}
	for _, p := range patterns {
		expression, err := regexp.Compile("(?m)" + p)
		if err != nil {
			return out, fmt.Errorf("pattern %q: %w", p, err)
		}
		out.patterns = append(out.patterns, expression)
	}
	return out, nil
}

// in returns the first place of a scenario that shows the outcome, or "".
func (o outcome) in(file, text string) string {
	shown := effects(file, text)
	if o.own {
		shown = expectations(file, text)
	}
	for _, pattern := range o.patterns {
		if found := pattern.FindString(shown); found != "" {
			return found
		}
	}
	return ""
}

// noEffect matches what is not the effect of a rule: a gate that allows, and a
// signal that a validator suppressed or holds at LOG.
var noEffect = regexp.MustCompile(`\bdecision: allow` + end + `|^(?:signal\.detected )?[A-Z]+-?\d+[/ ].*(?: suppressed=| cap=1\.9)`)

// expectations returns what follows the lines "----" of a scenario. Where inputs
// may follow at once, expectations are indented.
func expectations(file, text string) string {
	indented := strings.HasPrefix(file, "internal/session/")
	var out []string
	expected := false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case line == "----":
			expected = true
		case line == "" || indented && !strings.HasPrefix(line, "  "):
			expected = false
		case expected && !strings.HasPrefix(line, "# "):
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// effects returns the expectations without what is not the effect of a rule.
func effects(file, text string) string {
	return strings.Join(slices.DeleteFunc(shownEvents(file, text), noEffect.MatchString), "\n")
}

// shownEvents returns the events of the expectations, each with the indented lines
// that belong to it.
func shownEvents(file, text string) []string {
	var out []string
	for _, line := range strings.Split(expectations(file, text), "\n") {
		if last := len(out) - 1; last >= 0 && strings.HasPrefix(line, "  ") {
			out[last] += "\n" + line
		} else {
			out = append(out, line)
		}
	}
	return out
}

// claim is a line "# covers:" of one file.
type claim struct{ rule, what, file string }

// claims returns the claims of firing and silent scenarios, in order.
func claims(files map[string][]string) []claim {
	var out []claim
	for demand, where := range files {
		rule, what, ok := strings.Cut(demand, " ")
		if !ok {
			continue
		}
		for _, file := range where {
			out = append(out, claim{rule, what, file})
		}
	}
	slices.SortFunc(out, func(a, b claim) int {
		return strings.Compare(a.rule+" "+a.what+" "+a.file, b.rule+" "+b.what+" "+b.file)
	})
	return out
}
