package codepattern

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wasilibs/go-re2/experimental"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// PlainCap limits the confidence of the tier without trees.
const PlainCap = 0.7

// Tier says what finds patterns: "tree" with cgo, else "regex".
func Tier() string { return syntax.Tier() }

// Engine holds compiled rules. It keeps no state and may serve many.
type Engine struct {
	languages map[string]*ruleset
}

// ruleset is the rules of one language.
type ruleset struct {
	*language
	name     string
	rules    []*compiled
	triggers *experimental.Set // one expression a rule
}

// New compiles rules with the language data of set. An error names section and
// rule.
func New(set *rules.Set, section string, list []Rule) (*Engine, error) {
	languages, err := loadLanguages(set)
	if err != nil {
		return nil, err
	}
	e := &Engine{languages: map[string]*ruleset{}}
	for i := range list {
		c, err := compileRule(&list[i], i)
		if err != nil {
			return nil, fmt.Errorf("rules: section %s: %w", section, err)
		}
		for _, name := range list[i].Languages {
			if languages[name] == nil {
				return nil, fmt.Errorf("rules: section %s: rules.%s: nothing is known of the language %q; it needs a section %s%s", section, list[i].ID, name, sectionPrefix, name)
			}
			if e.languages[name] == nil {
				e.languages[name] = &ruleset{language: languages[name], name: name}
			}
			e.languages[name].rules = append(e.languages[name].rules, c)
		}
	}
	for _, r := range e.languages {
		patterns := make([]string, len(r.rules))
		for i, c := range r.rules {
			patterns[i] = c.trigger.String()
		}
		if r.triggers, err = experimental.CompileSet(patterns); err != nil {
			return nil, fmt.Errorf("rules: section %s: compile %d triggers as a set: %w", section, len(patterns), err)
		}
	}
	return e, nil
}

// Languages are the languages that rules stand for, sorted.
func (e *Engine) Languages() []string {
	var out []string
	for name := range e.languages {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// triggered are the rules whose trigger stands in text.
func (r *ruleset) triggered(text string) []*compiled {
	found, err := r.triggers.FindAllStringWithError(text, len(r.rules))
	if err != nil { // a text that the set gives up on: look at each rule
		return r.rules
	}
	slices.Sort(found)
	var out []*compiled
	for _, i := range found {
		out = append(out, r.rules[i])
	}
	return out
}

// worthwhile leaves out the rules that cannot match in this hunk.
func (r *ruleset) worthwhile(list []*compiled, code string, imports []string) []*compiled {
	enters := sync.OnceValue(func() bool { return r.remote != nil && r.remote.MatchString(code) })
	var out []*compiled
	for _, c := range list {
		switch {
		case c.remote && !enters():
		case c.also != nil && !c.also.MatchString(code) && !c.also.MatchString(strings.Join(imports, "\n")):
		case c.unless != nil && c.unless.MatchString(code):
		case c.words != nil && !c.words.MatchString(code) && !enters():
		default:
			out = append(out, c)
		}
	}
	return out
}
