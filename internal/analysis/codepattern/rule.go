package codepattern

import "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"

// Rule is one pattern. A section of rule data holds a list of rules under its own key; overrides
// merge by id.
type Rule struct {
	ID        string   `yaml:"id"`
	Title     string   `yaml:"title"`
	Languages []string `yaml:"languages"` // names as in rules/syntax.yaml
	CWE       int      `yaml:"cwe"`       // 89 is CWE-89
	// Triggers are RE2 expressions over the added lines, comments and strings
	// included; one must match, or the rule is not looked at. Also, where given,
	// must match as well, anywhere in the hunk or its imports.
	Triggers []string `yaml:"triggers"`
	Also     []string `yaml:"also"`
	// Unless are expressions of which none may match in the place's function: what
	// makes all of it harmless.
	Unless []string `yaml:"unless"`

	// What is looked for: any of these.
	Calls []Call `yaml:"calls"`
	Pairs []Pair `yaml:"pairs"`
	// Models are functions of known types; their names are triggers.
	Models []Model `yaml:"models"`
	// Query is a tree-sitter query for shapes that the others cannot say. Its
	// @hit is the place, @value, where given, what Flow and When look at.
	// It holds for the rule's first language.
	Query string      `yaml:"query"`
	When  []Condition `yaml:"when"` // of Query: on its @value
	// Handler: only in a function that a decorator of the language's handlers marks.
	Handler bool `yaml:"handler"`

	// Flow asks where the value comes from; without it the pattern is enough.
	Flow *Flow `yaml:"flow"`
	// Confidence of a pattern without flow, 0–1.
	Confidence float64 `yaml:"confidence" range:"0..1"`

	// Regex is the tier without cgo: an expression over single lines whose
	// comments are left out. PlainConfidence is at most 0.7.
	Regex           string  `yaml:"regex"`
	PlainConfidence float64 `yaml:"plain_confidence" range:"0..0.7"`

	Message string `yaml:"message"` // what is wrong, for people: "SQL is built from strings"
	Fix     string `yaml:"fix"`     // what to do: "use a parameterised query"
	// Labels are the detector's own.
	Labels map[string]string `yaml:"labels"`
	// Examples per language: each firing one must match this rule, each silent
	// one must match no rule of the list.
	Examples map[string]Examples `yaml:"examples"`

	patterns map[string]*pattern.Regexp // of Labels
}

// Pattern is a label that is a regular expression, nil where the rule has none.
func (r *Rule) Pattern(label string) *pattern.Regexp { return r.patterns[label] }

// Examples are pieces of code.
type Examples struct {
	Firing []string `yaml:"firing"`
	Silent []string `yaml:"silent"`
}

// Call is a call of one of several functions. Callees are globs over the dotted
// name, whose first part is replaced by what the hunk imports it as: "*.execute",
// "subprocess.{run,call}", "hashlib.md5", "Cipher.getInstance". "->", "::" and "?."
// are written "."; arguments of earlier calls in a chain are left out, "db().query".
// A constructor is its type's name.
type Call struct {
	Callee []string `yaml:"callee"`
	// Not are callees that are left out.
	Not []string `yaml:"not"`
	// Argument is the position, from 0, of the value Flow looks at; -1 the
	// receiver. Keyword names it where it is passed by name. Rest looks at all
	// arguments from that position on.
	Argument int         `yaml:"argument" range:"-1..20"`
	Keyword  []string    `yaml:"keyword"`
	Rest     bool        `yaml:"rest"`
	When     []Condition `yaml:"when"` // all must hold
}

// Pair is a key with a value: in a dictionary, object, struct or hash literal, a
// keyword argument, or an assignment to a member, an index or a variable.
type Pair struct {
	// Key is globs over the key, quotes and leading colons left out; of an
	// assignment over the dotted target and its last part.
	Key  []string    `yaml:"key"`
	When []Condition `yaml:"when"` // on the value
}

// Condition is about one value: an argument of the call, or the value of a pair
// or query where neither Argument nor Keyword is given. All that is set must hold.
// A variable whose value the hunk shows to be constant counts as that value.
type Condition struct {
	Argument *int     `yaml:"argument"`
	Keyword  []string `yaml:"keyword"` // by name, or as a key of an options object
	// Is lists literals, quotes left out, letters' case ignored: "false", "ECB", "0".
	Is []string `yaml:"is"`
	// Matches is an RE2 expression over the literal or, without one, the code.
	Matches string   `yaml:"matches"`
	Below   *float64 `yaml:"below"` // a number less than this
	// Constant says that the value is built from literals only (true), or not (false).
	Constant *bool `yaml:"constant"`
	// Absent: there is no such argument.
	Absent bool `yaml:"absent"`
	// Not turns the condition round; a missing argument then meets it.
	Not bool `yaml:"not"`
}

// Flow says which origins of a value matter. Figures are confidences by origin:
// request, input, cli, parameter, unknown, internal; what is not named is silent.
type Flow struct {
	// Category is what sanitizers and guards are listed under: sql, shell, code,
	// html, path, data.
	Category string `yaml:"category"`
	// Direct: the value reaches the sink as it is. Built: it was put into a text
	// with other constant parts.
	Direct map[string]float64 `yaml:"direct" range:"0..1"`
	Built  map[string]float64 `yaml:"built" range:"0..1"`
	// Text must match the constant part of a built text, holes written as ‹›.
	Text string `yaml:"text"`
	// Words are expressions over the hunk of which one matches wherever Text can.
	// Where none does and nothing enters from outside either, the hunk is not
	// parsed.
	Words []string `yaml:"words"`
	// Strong matches the text before a hole in which a value does harm; a table's name, which no
	// parameter can replace, is harmless. If it does not match before any hole, an origin below input
	// counts as unknown.
	Strong string `yaml:"strong"`
	// Vector must match a value that is a list, its items with a space between:
	// an argument vector does harm only where it starts a shell. Where it has a
	// group, the group is the script, and that says whether the value is built.
	Vector string `yaml:"vector"`
	// Source must match the code of the value's source, where it is given.
	Source string `yaml:"source"`
}
