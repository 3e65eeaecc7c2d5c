package userrules

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// builtins are the functions that conditions may call. Functions that lengthen text or
// depend on the clock are excluded.
var builtins = []string{
	"all", "none", "any", "one", "filter", "map", "find", "count", "len", "sum", "first", "last", "min", "max", "abs",
	"int", "string", "lower", "upper", "trim", "trimPrefix", "trimSuffix", "hasPrefix", "hasSuffix", "indexOf",
}

// program is a rule with its conditions compiled, once.
type program struct {
	rule                 *Rule
	uses                 uses
	when                 *vm.Program
	at                   *regexp.Regexp // nil: the whole segment
	subject, message     template
	reason               template
	suppress             []*vm.Program
	add, reset           []*vm.Program // one for each counter; reset may be nil
	corrected, committed *vm.Program   // may be nil
}

// compiler compiles the conditions of one rule and keeps the first problem.
type compiler struct {
	limits   Limits
	counters map[string]bool
	uses     uses
	problem  *rules.Invalid
}

// compile checks a rule and compiles its conditions.
func compile(r *Rule, l Limits) (*program, *rules.Invalid) {
	if problem := r.check(l); problem != nil {
		return nil, problem
	}
	c := &compiler{limits: l, counters: map[string]bool{}, uses: uses{}}
	p := &program{rule: r, uses: c.uses}
	c.declare(r.Counters)
	for i, counter := range r.Counters {
		step := []string{"counters", strconv.Itoa(i)}
		p.add = append(p.add, c.condition(counter.Add, expr.AsAny(), sub(step, "add")...))
		p.reset = append(p.reset, c.optional(counter.Reset, sub(step, "reset")...))
	}
	p.when = c.condition(r.When, expr.AsBool(), "when")
	p.at = c.pattern(r.At)
	p.subject = c.template(r.Subject, "subject")
	p.message = c.template(r.Message, "message")
	p.reason = c.template(r.Reason, "reason")
	for i, s := range r.Suppress {
		step := []string{"suppress", strconv.Itoa(i)}
		if strings.TrimSpace(s.Reason) == "" {
			c.fail(&rules.Invalid{Path: step, Why: "has no reason; the reason is recorded with every signal it suppresses"})
		}
		p.suppress = append(p.suppress, c.condition(s.When, expr.AsBool(), sub(step, "when")...))
	}
	p.corrected = c.optional(r.Corrected, "corrected")
	p.committed = c.optional(r.Committed, "committed")
	return p, c.problem
}

func sub(path []string, step string) []string { return append(path[:len(path):len(path)], step) }

func (c *compiler) fail(problem *rules.Invalid) {
	if c.problem == nil {
		c.problem = problem
	}
}

func (c *compiler) declare(list []Counter) {
	for i, counter := range list {
		step := []string{"counters", strconv.Itoa(i)}
		switch {
		case !counterName.MatchString(counter.Name):
			c.fail(&rules.Invalid{Path: sub(step, "name"), Why: strconv.Quote(counter.Name) + " is not a name; write lower-case letters, digits and _"})
		case c.counters[counter.Name]:
			c.fail(&rules.Invalid{Path: sub(step, "name"), Why: strconv.Quote(counter.Name) + " is used twice here, keep one"})
		}
		c.counters[counter.Name] = true
	}
}

func (c *compiler) pattern(text string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		c.fail(&rules.Invalid{Path: []string{"at"}, Why: err.Error() + "; it takes a regular expression (RE2)"})
	}
	return re
}

func (c *compiler) optional(e Expression, key ...string) *vm.Program {
	if strings.TrimSpace(e.Text) == "" {
		return nil
	}
	return c.condition(e, expr.AsBool(), key...)
}

// condition compiles a whole expression.
func (c *compiler) condition(e Expression, kind expr.Option, key ...string) *vm.Program {
	if strings.TrimSpace(e.Text) == "" {
		c.fail(&rules.Invalid{Path: key[:len(key)-1], Why: "has no " + key[len(key)-1] + "; give a condition such as: kind == \"diff\""})
		return nil
	}
	p, err := c.expression(e.Text, kind)
	if err != nil && e.comment {
		err = errComment
	}
	if err != nil {
		c.fail(e.problem(err, 0, key...))
	}
	return p
}

// errComment reports a condition that YAML has cut off at a comment.
var errComment = errors.New("YAML reads what follows # as a comment; write the condition in quotes, or below when: |")

func (c *compiler) expression(text string, kind expr.Option) (*vm.Program, error) {
	guard := &guard{counters: c.counters, uses: c.uses, loops: c.limits.Loops}
	options := []expr.Option{
		expr.Env(environment{}), kind, expr.MaxNodes(uint(c.limits.Nodes)), expr.DisableAllBuiltins(), expr.Patch(guard),
	}
	for _, name := range builtins {
		options = append(options, expr.EnableBuiltin(name))
	}
	p, err := expr.Compile(text, options...)
	if err != nil {
		return nil, cure(err)
	}
	return p, guard.problem(text)
}
