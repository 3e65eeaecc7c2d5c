package codepattern

import (
	"fmt"
	"slices"
	"strings"

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
	remote := -1
	var out []*compiled
	for _, c := range list {
		if c.remote {
			if remote < 0 {
				remote = 0
				if r.remote != nil && r.remote.MatchString(code) {
					remote = 1
				}
			}
			if remote == 0 {
				continue
			}
		}
		if c.also != nil && !c.also.MatchString(code) && !c.also.MatchString(strings.Join(imports, "\n")) {
			continue
		}
		if c.unless != nil && c.unless.MatchString(code) {
			continue
		}
		out = append(out, c)
	}
	return out
}
