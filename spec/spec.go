// Package spec holds every rule of the specification once: id, title, text,
// special cases, codes, gates and settings. The rules are written in *.yaml; Go
// code reads rules.json, generated from them and decoded on first use: a fifth of
// the time of the YAML.
// `rules explain`, docs/rules, the codes of violations and the conformance tests
// all read this table. Detectors document themselves (detectors/*/doc.md).
package spec

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Layer is a group of rules about one thing.
type Layer struct {
	ID    string `yaml:"id"`    // "run"
	Title string `yaml:"title"` // "Runs"
	Rules []Rule `yaml:"rules"`
}

// Kind is the kind of an entry.
type Kind string

// Kinds of entries. The zero value is an ordinary rule.
const (
	KindRule      Kind = ""
	KindInvariant Kind = "invariant"      // of Scout-and-Wave: I1 … I6
	KindExecution Kind = "execution rule" // of Scout-and-Wave: E1 … E14
)

// Rule is one rule of the specification.
type Rule struct {
	// ID is the rule's number, such as RW-4, or that of an invariant or execution
	// rule of Scout-and-Wave, such as I1 or E5.
	ID string `yaml:"id"`
	// Layer is the id of the layer the rule belongs to.
	Layer string `yaml:"-"`
	Kind  Kind   `yaml:"kind"`
	Title string `yaml:"title"`
	// Planned marks a rule that is not built yet.
	Planned bool `yaml:"planned"`
	// Text explains when the rule applies and what follows.
	Text string `yaml:"text"`
	// More is a page of the documentation with details, in addition to that of the layer.
	More string `yaml:"more"`
	// Cases are the special cases that require a scenario of their own.
	Cases []string `yaml:"cases"`
	// Shows are regular expressions for what a scenario shows when the rule takes effect.
	// Without any, that is the rule's id or one of its codes in an event.
	Shows []string `yaml:"shows"`
	// Tests are the Go tests of a rule that no scenario can show.
	Tests []string `yaml:"tests"`
	// Settings are the keys of rules/*.yaml or of the configuration that tune it.
	Settings []string `yaml:"settings"`
	// Gates are the gates the rule decides.
	Gates []Gate `yaml:"gates"`
	// Codes are the codes that events of this rule carry.
	Codes []Code `yaml:"codes"`
}

// Severity is the severity of a code.
type Severity string

// Severities.
const (
	Violation Severity = "violation"  // code of violation.detected
	Warning   Severity = "warning"    // code of warning.issued
	HardBreak Severity = "hard break" // trigger of wiggum.break
	SoftBreak Severity = "soft break" // trigger of wiggum.break
	RedFlag   Severity = "red flag"   // id of a phrase
)

// Code is the code of a violation or warning, the trigger of a break, or the id of
// a red flag.
type Code struct {
	Code     string   `yaml:"code"`
	Severity Severity `yaml:"severity"`
	// Touches are the invariants and execution rules of Scout-and-Wave that the code
	// concerns (WP-19).
	Touches []string `yaml:"touches"`
	Text    string   `yaml:"text"`
}

// Gate is a gate with the answers a rule can give.
type Gate struct {
	Gate    string   `yaml:"gate"`
	Answers []string `yaml:"answers"`
}

//go:embed rules.json
var rulesJSON []byte

// layers decodes the table once.
var layers = sync.OnceValue(func() []Layer {
	var out []Layer
	if err := json.Unmarshal(rulesJSON, &out); err != nil {
		panic(err) // a test compares the file with the YAML
	}
	for i := range out {
		for j := range out[i].Rules {
			out[i].Rules[j].Layer = out[i].ID
		}
	}
	return out
})

// Layers returns all layers in reading order. The result is shared; do not change
// it.
func Layers() []Layer { return layers() }

// Rules returns all rules in reading order.
func Rules() []Rule {
	var out []Rule
	for _, l := range layers() {
		out = append(out, l.Rules...)
	}
	return out
}

// Find returns the rule with an id, in any case.
func Find(id string) (Rule, bool) {
	for _, l := range layers() {
		for j := range l.Rules {
			if r := &l.Rules[j]; strings.EqualFold(r.ID, id) {
				return *r, true
			}
		}
	}
	return Rule{}, false
}

// Named returns the rules that a name can mean, in any case: the one with this id,
// otherwise those with this code.
func Named(name string) []Rule {
	if r, ok := Find(name); ok {
		return []Rule{r}
	}
	return CodedBy(name)
}

// CodedBy returns the rules that have a code, in any case.
func CodedBy(code string) []Rule {
	var out []Rule
	for _, l := range layers() {
		for j := range l.Rules {
			if r := &l.Rules[j]; r.Code(code) != nil {
				out = append(out, *r)
			}
		}
	}
	return out
}

// Code returns a code of the rule, in any case, or nil.
func (r *Rule) Code(name string) *Code {
	i := slices.IndexFunc(r.Codes, func(c Code) bool { return strings.EqualFold(c.Code, name) })
	if i < 0 {
		return nil
	}
	return &r.Codes[i]
}

// TouchedBy returns the codes that concern an invariant or execution rule, each once.
func (r *Rule) TouchedBy() []string {
	if r.Kind == KindRule {
		return nil
	}
	var out []string
	for _, l := range layers() {
		for _, other := range l.Rules {
			for _, c := range other.Codes {
				if slices.Contains(c.Touches, r.ID) && !slices.Contains(out, c.Code) {
					out = append(out, c.Code)
				}
			}
		}
	}
	return out
}

// Page returns the path of the documentation page that lists the rule.
func (r *Rule) Page() string { return page(r.Layer) }

// Page returns the path of the layer's page.
func (l *Layer) Page() string { return page(l.ID) }

func page(layer string) string { return "docs/rules/" + layer + ".md" }

// Explain returns the rule as Markdown, as `rules explain` prints it. If name is
// one of the rule's codes, that code comes first.
func (r *Rule) Explain(name string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s %s\n\n", r.ID, r.Title)
	if c := r.Code(name); c != nil {
		fmt.Fprintf(&out, "`%s` (%s): %s\n\n", c.Code, c.Severity, c.Text)
	}
	r.body(&out)
	more := r.Page()
	if r.More != "" {
		more += ", " + r.More
	}
	fmt.Fprintf(&out, "\nMore: %s\n", more)
	return out.String()
}

// Markdown returns the page of a layer.
func (l *Layer) Markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n", l.Title)
	for i := range l.Rules {
		r := &l.Rules[i]
		fmt.Fprintf(&out, "\n## %s\n\n**%s**\n\n", r.ID, r.Title)
		r.body(&out)
		if r.More != "" {
			fmt.Fprintf(&out, "\nMore: [%s](../../%s)\n", r.More, r.More)
		}
	}
	return out.String()
}

// body writes everything but the title.
func (r *Rule) body(out *strings.Builder) {
	if r.Planned {
		out.WriteString("Planned; not built yet.\n\n")
	}
	if r.Kind != KindRule {
		fmt.Fprintf(out, "%s of Scout-and-Wave. ", capitalised(string(r.Kind)))
	}
	fmt.Fprintf(out, "%s\n", r.Text)
	if codes := r.TouchedBy(); len(codes) > 0 {
		fmt.Fprintf(out, "\nTouched by: %s.\n", quoted(codes))
	}
	if len(r.Codes) > 0 {
		out.WriteString("\nCodes:\n\n")
	}
	for _, c := range r.Codes {
		fmt.Fprintf(out, "- `%s` (%s): %s%s\n", c.Code, c.Severity, c.Text, touches(c.Touches))
	}
	if len(r.Gates) > 0 {
		out.WriteString("\nGates:\n\n")
	}
	for _, g := range r.Gates {
		fmt.Fprintf(out, "- `%s`: %s\n", g.Gate, strings.Join(g.Answers, ", "))
	}
	if len(r.Settings) > 0 {
		fmt.Fprintf(out, "\nSettings: %s.\n", quoted(r.Settings))
	}
}

func touches(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " Touches " + strings.Join(ids, ", ") + "."
}

func quoted(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

func capitalised(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
