package userrules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/file"
	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
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

// Load reads the section `userrules`. Errors name file, line, column and fix.
func Load(set *rules.Set) (*Config, error) {
	c := &Config{}
	if err := set.Decode(Section, c); err != nil {
		return nil, err
	}
	return c, nil
}

// Detectors returns the user's detectors in the order of the file.
func Detectors(set *rules.Set) ([]*detect.Detector, error) {
	c, err := Load(set)
	if err != nil {
		return nil, err
	}
	var out []*detect.Detector
	for i := range c.Detectors {
		out = append(out, c.Detectors[i].detector(c.Limits))
	}
	return out, nil
}

// detector returns the detector for the suite.
func (r *Rule) detector(l Limits) *detect.Detector {
	mode := r.Mode
	if mode == "" {
		mode = rules.ModeOn
	}
	return &detect.Detector{
		ID: r.ID, Name: name(r.ID), Class: sessionevents.Class(r.Class), Title: r.Title, Doc: r.document(), Rules: []string{r.ID}, Mode: mode,
		New: func(*rules.Set) (detect.Instance, error) {
			p, problem := compile(r, l)
			if problem != nil {
				return nil, fmt.Errorf("rule %s: %w", r.ID, problem)
			}
			return &instance{program: p, limits: l}, nil
		},
	}
}

// name returns the letters of the id, as required for detectors' names.
func name(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.TrimPrefix(id, "U-")+"rule")
}

// Expression is a condition, or a text with conditions in braces, with its position in the file.
type Expression struct {
	Text         string
	line, column int // of its first character, or of the | before a block
	block        bool
	folded       bool
	comment      bool // YAML read what follows a # as a comment
}

// UnmarshalYAML reads a scalar and records its position.
func (e *Expression) UnmarshalYAML(node *yaml.Node) error {
	var text string
	if err := node.Decode(&text); err != nil {
		return err
	}
	*e = Expression{Text: strings.TrimRight(text, "\n"), line: node.Line, column: node.Column}
	switch node.Style {
	case 0:
		e.comment = node.LineComment != ""
	case yaml.LiteralStyle:
		e.block = true
	case yaml.FoldedStyle:
		e.folded = true
	case yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle:
		e.column++
	}
	return nil
}

// problem locates an error of expr in a part of the text that begins offset bytes into
// it.
func (e Expression) problem(err error, offset int, key ...string) *rules.Invalid {
	at := &rules.Invalid{Path: key, Why: err.Error()}
	var found *file.Error
	if !errors.As(err, &found) {
		return at
	}
	at.Why = found.Message + found.Snippet
	before := e.Text[:offset]
	line := strings.Count(before, "\n") + max(found.Line, 1) - 1
	column := found.Column
	if found.Line <= 1 {
		column += len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	}
	switch {
	case e.folded, !e.block && line > 0: // line breaks were folded away
	case e.block:
		at.Line, at.Column, at.Indented = e.line+1+line, column+1, e.line+1
	default:
		at.Line, at.Column = e.line, e.column+column
	}
	return at
}

// Example is one conversation in the script language of internal/session/detect/scenario.
type Example struct {
	Name   string     `yaml:"name"`
	Script Expression `yaml:"script"`
}

// Line returns the line of the file on which the script begins.
func (e Example) Line() int {
	if e.Script.block || e.Script.folded {
		return e.Script.line + 1
	}
	return e.Script.line
}

// document returns the detector's documentation, in the form common to all (SW-32).
func (r *Rule) document() string {
	var b strings.Builder
	section := func(name, text string) { fmt.Fprintf(&b, "\n## %s\n\n%s\n", name, plain(text)) }
	fmt.Fprintf(&b, "# %s %s: %s\n", r.ID, name(r.ID), r.Title)
	section("Trigger", r.trigger())
	section("Validators", r.validators())
	section("Scoring", r.scoring())
	section("Firing", examples(r.Examples.Firing))
	section("Silent", examples(r.Examples.Silent))
	precision := r.Precision
	if precision == "" {
		precision = "Not measured. Its examples run with `scaffoldwatch rules test`."
	}
	section("Precision", precision)
	return b.String()
}

// plain returns the text with its headings escaped.
func plain(text string) string {
	return strings.TrimSpace(strings.ReplaceAll("\n"+strings.TrimSpace(text), "\n#", "\n\\#"))
}

func (r *Rule) trigger() string {
	each := "each " + strings.ToUpper(r.On)
	switch r.On {
	case "segment":
		each = "each segment"
	case "turn":
		each = "the turn"
	}
	s := "A rule of this installation. It holds for " + each + " where:\n\n" + indented(r.When.Text)
	if r.Help != "" {
		s = strings.TrimSpace(r.Help) + "\n\n" + s
	}
	for _, c := range r.Counters {
		s += fmt.Sprintf("\n\nCounter `%s` adds `%s`", c.Name, text.Line(c.Add.Text))
		if c.Reset.Text != "" {
			s += fmt.Sprintf(", from 0 when `%s`", text.Line(c.Reset.Text))
		}
		s += "."
	}
	return s
}

func (r *Rule) validators() string {
	var b strings.Builder
	for _, s := range r.Suppress {
		fmt.Fprintf(&b, "- %s: recorded, not sent, where `%s`.\n", s.Reason, text.Line(s.When.Text))
	}
	if b.Len() == 0 {
		return "None of its own."
	}
	return b.String()
}

func (r *Rule) scoring() string {
	text := fmt.Sprintf("Cost %d, P(self-corrects) %.2f, confidence %.2f.", r.Cost, r.P, r.Confidence)
	if r.Floor > 0 {
		text += fmt.Sprintf(" Floor %.1f.", r.Floor)
	}
	if r.Cap > 0 {
		text += fmt.Sprintf(" Cap %.1f.", r.Cap)
	}
	return text + "\n\nSays: " + r.Message.Text
}

func examples(list []Example) string {
	if len(list) == 0 {
		return "No example."
	}
	var parts []string
	for _, e := range list {
		parts = append(parts, cmp.Or(e.Name, "Without a name")+":\n\n"+indented(e.Script.Text))
	}
	return strings.Join(parts, "\n\n")
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
