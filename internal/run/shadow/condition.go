package shadow

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// condition evaluates one condition of a shadow; it returns nil if the condition does not
// hold.
type condition func(w *work) *sessionevents.Condition

// held returns a condition that holds, with its figure and the bound.
func held(name string, source sessionevents.ConditionSource, value, limit int, format string, args ...any) *sessionevents.Condition {
	return &sessionevents.Condition{Name: name, What: fmt.Sprintf(format, args...), Value: float64(value), Limit: float64(limit), Source: source}
}

// notice is the report of a shadow.
type notice struct {
	rule    string // the id of its action
	layer   sessionevents.Layer
	agent   agent
	cycle   int
	events  []string
	run     string
	because []sessionevents.Condition
}

// signal emits the signal of a shadow. If exemptions leave no condition, it is recorded
// but not acted on (RW-8).
func (c *Context) signal(n notice) { c.Signal(c.config.signal(n)) }

func (c *Config) signal(n notice) sessionevents.Signal {
	action := c.action(n.rule)
	detector, _, _ := strings.Cut(n.rule, "/")
	s := sessionevents.Signal{
		Layer: n.layer, Detector: detector, Subject: action.Issue, AgentID: n.agent.ID, Session: n.agent.Session, Cycle: n.cycle,
		Run: n.run, Conditions: n.because, Events: distinct(n.events), Message: action.Text,
		Confidence: confidence(n.because),
	}
	var open, immune []string
	for _, one := range n.because {
		if one.Immunity == "" {
			open = append(open, one.What)
		} else {
			immune = append(immune, one.Immunity)
		}
	}
	s.Reason = sentence(open)
	if len(open) == 0 {
		s.Suppressed = sentence(immune)
		s.Reason = sentence(whats(n.because))
	}
	return s
}

func whats(list []sessionevents.Condition) []string {
	var out []string
	for _, one := range list {
		out = append(out, one.What)
	}
	return out
}

// sentence joins clauses into one sentence.
func sentence(clauses []string) string {
	text := strings.Join(distinct(clauses), "; ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// confidence returns 1 if a condition was read from fields, and less if all were computed
// from text or session.
func confidence(list []sessionevents.Condition) float64 {
	for _, one := range list {
		if one.Source == sessionevents.SourceFields && one.Immunity == "" {
			return 1
		}
	}
	for _, one := range list {
		if one.Immunity == "" {
			return 0.7
		}
	}
	if len(list) > 0 && list[0].Source == sessionevents.SourceFields {
		return 1
	}
	return 0.7
}

// distinct returns the non-empty texts in order, each once.
func distinct(texts []string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

// some lists a few of many names.
func some(names []string) string {
	const shown = 3
	var out []string
	for _, name := range names[:min(len(names), shown)] {
		out = append(out, quote.Path(name))
	}
	if more := len(names) - len(out); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(out, ", "), more)
	}
	return strings.Join(out, ", ")
}
