package userrules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Section is the section of the rules file that this package reads.
const Section = "userrules"

// Config is the section `userrules`.
type Config struct {
	Detectors []Rule `yaml:"detectors"`
	Limits    Limits `yaml:"limits"`
}

// Limits bound the cost of conditions; rules/userrules.yaml explains what each counts.
type Limits struct {
	Detectors int `yaml:"detectors" range:"0..500"`
	Counters  int `yaml:"counters" range:"0..32"`
	Nodes     int `yaml:"nodes" range:"10..1000"`
	Loops     int `yaml:"loops" range:"0..2"`
	Memory    int `yaml:"memory" range:"1000..1000000"`
	TextBytes int `yaml:"text_bytes" range:"1024..262144"`
	Lines     int `yaml:"lines" range:"10..5000"`
	LineBytes int `yaml:"line_bytes" range:"40..4000"`
	Findings  int `yaml:"findings" range:"1..50"`
}

// Rule is one detector defined by the user.
type Rule struct {
	ID    string     `yaml:"id"`
	Title string     `yaml:"title"`
	Class string     `yaml:"class" allow:"A|B|C|D|E"`
	Mode  rules.Mode `yaml:"mode" allow:"off|observe|on"`
	// Help is the text of the documentation's Trigger section.
	Help string `yaml:"help"`
	// On is what the condition examines: each segment of a kind, each segment, or the
	// turn as a whole.
	On   string     `yaml:"on" allow:"plan|tool|diff|error|todo|user|segment|turn"`
	When Expression `yaml:"when"`
	// At is a regular expression that locates the finding in the segment's text.
	At string `yaml:"at"`
	// Subject, Message and Reason are texts with conditions' values in {braces}.
	Subject Expression `yaml:"subject"`
	Message Expression `yaml:"message"`
	Reason  Expression `yaml:"reason"`

	Confidence float64 `yaml:"confidence" range:"0..1"`
	Cost       int     `yaml:"cost" range:"1..5"`
	P          float64 `yaml:"p" range:"0..1"`
	Floor      float64 `yaml:"floor" range:"0..5"`
	Cap        float64 `yaml:"cap" range:"0..5"`

	Suppress []Suppression `yaml:"suppress"`
	Counters []Counter     `yaml:"counters"`
	// Corrected and Committed judge a signal by a later turn (SW-44).
	Corrected Expression `yaml:"corrected"`
	Committed Expression `yaml:"committed"`

	// Precision is the known precision, for the documentation.
	Precision string   `yaml:"precision"`
	Examples  Examples `yaml:"examples"`
}

// Suppression records a finding without sending it.
type Suppression struct {
	When   Expression `yaml:"when"`
	Reason string     `yaml:"reason"`
}

// Counter is a number that a detector keeps for a session.
type Counter struct {
	Name  string     `yaml:"name"`
	Add   Expression `yaml:"add"`   // a whole number, or true for 1
	Reset Expression `yaml:"reset"` // sets it to 0 before Add
}

// Examples are conversations that `rules test` plays.
type Examples struct {
	Firing []Example `yaml:"firing"`
	Silent []Example `yaml:"silent"`
}

var (
	ruleID      = pattern.Must(`^U-[a-z0-9][a-z0-9-]{0,39}$`)
	counterName = pattern.Must(`^[a-z][a-z0-9_]{0,30}$`)
)

// Validate checks what types and ranges cannot.
func (c *Config) Validate() error {
	if len(c.Detectors) > c.Limits.Detectors {
		return &rules.Invalid{Path: []string{"detectors"}, Why: fmt.Sprintf("%d detectors, limits.detectors allows %d", len(c.Detectors), c.Limits.Detectors)}
	}
	seen := map[string]bool{}
	for i := range c.Detectors {
		r := &c.Detectors[i]
		if seen[r.ID] {
			return &rules.Invalid{Path: []string{"detectors", strconv.Itoa(i)}, Why: fmt.Sprintf("id %q is used twice here, keep one", r.ID)}
		}
		seen[r.ID] = true
		step := r.ID
		if step == "" {
			step = strconv.Itoa(i)
		}
		if _, err := compile(r, c.Limits); err != nil {
			return within(err, "detectors", step)
		}
	}
	return nil
}

// within prefixes the path of an error with steps.
func within(err *rules.Invalid, steps ...string) *rules.Invalid {
	err.Path = append(slices.Clone(steps), err.Path...)
	return err
}

// check returns what is wrong with a rule apart from its conditions.
func (r *Rule) check(l Limits) *rules.Invalid {
	missing := func(key, cure string) *rules.Invalid {
		return &rules.Invalid{Why: "has no " + key + "; " + cure}
	}
	switch {
	case r.ID == "":
		return missing("id", "give one such as U-no-print")
	case !ruleID.MatchString(r.ID):
		return &rules.Invalid{Path: []string{"id"}, Why: fmt.Sprintf("%q is not an id; write U- and up to 40 of a-z 0-9 -, for example U-no-print", r.ID)}
	case strings.TrimSpace(r.Title) == "" || strings.Contains(r.Title, "\n"):
		return missing("title", "give one line, as `rules list` shows it")
	case r.Class == "":
		return missing("class", "A architecture, B security, C redundancy, D scope")
	case r.On == "":
		return missing("on", "say what it looks at: plan, tool, diff, error, todo, user, segment or turn")
	case r.When.Text == "":
		return missing("when", "give a condition such as: any(added, # contains \"print(\")")
	case r.Message.Text == "":
		return missing("message", "say what is wrong and what to do, in at most 40 words")
	case len(strings.Fields(r.Message.Text)) > maxWords:
		return &rules.Invalid{Path: []string{"message"}, Why: fmt.Sprintf("%d words, at most %d are allowed", len(strings.Fields(r.Message.Text)), maxWords)}
	case r.Cost == 0:
		return missing("cost", "how much work it is to undo, 1 to 5")
	case r.Confidence == 0:
		return missing("confidence", "how sure the rule is, over 0 to 1")
	case r.Cap > 0 && r.Floor > r.Cap:
		return &rules.Invalid{Path: []string{"floor"}, Why: fmt.Sprintf("%.1f lies over the cap %.1f", r.Floor, r.Cap)}
	case len(r.Counters) > l.Counters:
		return &rules.Invalid{Path: []string{"counters"}, Why: fmt.Sprintf("%d counters, limits.counters allows %d", len(r.Counters), l.Counters)}
	}
	return nil
}

// maxWords is the maximum number of words of a message (SW-30).
const maxWords = 40

// Line returns the line of the rule's condition in the file.
func (r *Rule) Line() int { return r.When.line }
