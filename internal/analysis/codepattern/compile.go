package codepattern

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// compiled is a rule made ready for one language.
type compiled struct {
	*Rule
	trigger *pattern.Regexp
	also    *pattern.Regexp
	unless  *pattern.Regexp
	words   *pattern.Regexp
	calls   []compiledCall
	pairs   []compiledPair
	models  models
	query   *syntax.Query
	when    []compiledCondition
	plain   *pattern.Regexp
	direct  [Request + 1]float64
	built   [Request + 1]float64
	text    *pattern.Regexp
	strong  *pattern.Regexp
	source  *pattern.Regexp
	vector  *pattern.Regexp
	// remote says that nothing below input matters: without a source in the hunk
	// there is nothing to find.
	remote bool
}

type compiledCall struct {
	*Call
	callee, not globs
	when        []compiledCondition
}

type compiledPair struct {
	key  globs
	when []compiledCondition
}

type compiledCondition struct {
	*Condition
	matches *pattern.Regexp
}

// modelsOnly reports whether nothing but calls of models matches.
func (c *compiled) modelsOnly() bool {
	return c.models != nil && len(c.calls)+len(c.pairs) == 0 && c.query == nil
}

// compileRule makes a rule ready for the languages it names.
func compileRule(from pattern.Compiler, r *Rule, number int) (*compiled, error) {
	c := &compiled{Rule: r, models: indexModels(r.Models)}
	r.patterns = map[string]*pattern.Regexp{}
	for name, text := range r.Labels {
		r.patterns[name] = pattern.Must(text)
	}
	for _, e := range []struct {
		key  string
		list []string
		into **pattern.Regexp
	}{{"triggers", append(slices.Clone(r.Triggers), some(calledExpression(r.Models))...), &c.trigger}, {"also", r.Also, &c.also}, {"unless", r.Unless, &c.unless}, {"regex", some(r.Regex), &c.plain}} {
		compiledList, err := overText(from, e.list)
		if err != nil {
			return nil, invalid(r, number, e.key, err)
		}
		*e.into = compiledList
	}
	if c.trigger == nil {
		return nil, invalid(r, number, "triggers", fmt.Errorf("needs at least one, an expression that stands wherever the rule can match"))
	}
	for i := range r.Calls {
		call, err := compileCall(from, &r.Calls[i])
		if err != nil {
			return nil, invalid(r, number, "calls", err)
		}
		c.calls = append(c.calls, call)
	}
	for i := range r.Pairs {
		key, err := compileGlobs(from, r.Pairs[i].Key)
		if err != nil {
			return nil, invalid(r, number, "pairs", err)
		}
		when, err := compileConditions(from, r.Pairs[i].When)
		if err != nil {
			return nil, invalid(r, number, "pairs", err)
		}
		c.pairs = append(c.pairs, compiledPair{key, when})
	}
	var err error
	if c.when, err = compileConditions(from, r.When); err != nil {
		return nil, invalid(r, number, "when", err)
	}
	if r.Query != "" && len(r.Languages) > 0 {
		c.query = syntax.NewQuery(r.Languages[0], r.Query)
		if from.Checks() {
			if err := c.query.Check(); err != nil {
				return nil, invalid(r, number, "query", err)
			}
		}
	}
	if len(c.calls)+len(c.pairs)+len(c.models) == 0 && c.query == nil {
		return nil, invalid(r, number, "calls", fmt.Errorf("needs calls, pairs, models or a query"))
	}
	return c, c.compileFlow(from, number)
}

func (c *compiled) compileFlow(from pattern.Compiler, number int) error {
	f := c.Flow
	if f == nil {
		return nil
	}
	c.remote = true
	for _, table := range []struct {
		key  string
		list map[string]float64
		into *[Request + 1]float64
	}{{"direct", f.Direct, &c.direct}, {"built", f.Built, &c.built}} {
		for name, confidence := range table.list {
			origin, ok := originNames[name]
			if !ok {
				return invalid(c.Rule, number, "flow", fmt.Errorf("unknown origin %q, use one of request, input, cli, parameter, unknown, internal", name))
			}
			table.into[origin] = confidence
			c.remote = c.remote && (origin >= CLI || confidence == 0)
		}
	}
	if f.Built == nil {
		c.built = c.direct
	}
	var err error
	if c.words, err = overText(from, f.Words); err != nil {
		return invalid(c.Rule, number, "flow", err)
	}
	for _, e := range []struct {
		text string
		into **pattern.Regexp
	}{{f.Text, &c.text}, {f.Strong, &c.strong}, {f.Source, &c.source}, {f.Vector, &c.vector}} {
		if *e.into, err = anyOf(from, "", some(e.text)); err != nil {
			return invalid(c.Rule, number, "flow", err)
		}
	}
	return nil
}

func compileCall(from pattern.Compiler, c *Call) (compiledCall, error) {
	out := compiledCall{Call: c}
	var err error
	if len(c.Callee) == 0 {
		return out, fmt.Errorf("a call needs callee")
	}
	if out.callee, err = compileGlobs(from, c.Callee); err != nil {
		return out, err
	}
	if out.not, err = compileGlobs(from, c.Not); err != nil {
		return out, err
	}
	out.when, err = compileConditions(from, c.When)
	return out, err
}

func compileConditions(from pattern.Compiler, list []Condition) ([]compiledCondition, error) {
	var out []compiledCondition
	for i := range list {
		expression, err := anyOf(from, "", some(list[i].Matches))
		if err != nil {
			return nil, fmt.Errorf("matches: %w", err)
		}
		out = append(out, compiledCondition{&list[i], expression})
	}
	return out, nil
}

func some(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// invalid places an error at a rule's key, see [rules.Invalid].
func invalid(r *Rule, number int, key string, err error) error {
	step := r.ID
	if step == "" {
		step = fmt.Sprint(number)
	}
	why := err.Error()
	var bad *rules.Invalid
	if errors.As(err, &bad) {
		why = bad.Why
	}
	return &rules.Invalid{Path: []string{"rules", step, key}, Why: strings.TrimSpace(why)}
}

// Validate checks rules without making an engine; a section's Validate method calls it, so that
// errors name the line. The list is under the key "rules".
func Validate(list []Rule) error {
	for i := range list {
		if _, err := compileRule(pattern.Checked, &list[i], i); err != nil {
			return err
		}
	}
	return nil
}
