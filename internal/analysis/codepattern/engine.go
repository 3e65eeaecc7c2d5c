package codepattern

import (
	"slices"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// PlainCap limits the confidence of the tier without trees.
const PlainCap = 0.7

// Tier returns the method that finds patterns: "tree" with cgo, else "regex".
func Tier() string { return syntax.Tier() }

// Engine finds the patterns of rules. It keeps no state and may serve many.
type Engine struct {
	languages map[string]func() *ruleset // made ready when code in it is first seen
}

// ruleset is the rules of one language.
type ruleset struct {
	*language
	name     string
	rules    []*compiled
	triggers *pattern.Set // one expression a rule
}

// New makes an engine of a list of rules, which it checks. An error names section
// and rule.
func New(set *rules.Set, section string, list []Rule) (*Engine, error) {
	f := &file{section: section, check: true, read: func() ([]Rule, error) { return list, nil }}
	return newEngine(set, []*file{f})
}

// Open makes an engine of the sections <prefix>_<name>, each of which is read when code in one of
// its languages is first seen. Sections that have to be checked, or all of them if checkAll is set,
// are read at once and passed to check, which may be nil.
func Open(set *rules.Set, prefix string, names []string, checkAll bool, check func(*Rule) error) (*Engine, error) {
	var files []*file
	for _, name := range names {
		section := prefix + "_" + name
		files = append(files, &file{
			section: section, check: checkAll || set.Checks(section), also: check, languages: languagesOf(name),
			read: func() ([]Rule, error) {
				var content ruleSection
				err := set.Decode(section, &content)
				return content.Rules, err
			},
		})
	}
	return newEngine(set, files)
}

func newEngine(set *rules.Set, files []*file) (*Engine, error) {
	known, err := loadLanguages(set)
	if err != nil {
		return nil, err
	}
	e := &Engine{languages: map[string]func() *ruleset{}}
	for _, f := range files {
		if err := f.open(known); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		for _, name := range f.languages {
			if e.languages[name] == nil {
				e.languages[name] = sync.OnceValue(func() *ruleset { return newRuleset(name, known[name](), files) })
			}
		}
	}
	return e, nil
}

// newRuleset collects the rules of a language.
func newRuleset(name string, l *language, files []*file) *ruleset {
	r := &ruleset{language: l, name: name}
	var triggers []string
	for _, f := range files {
		if !slices.Contains(f.languages, name) {
			continue
		}
		for _, c := range f.rules() {
			if slices.Contains(c.Languages, name) {
				r.rules, triggers = append(r.rules, c), append(triggers, c.trigger.String())
			}
		}
	}
	r.triggers, _ = pattern.Trusted.Set("triggers", triggers) // never fails
	return r
}

// ruleset is the rules of a language, nil for none.
func (e *Engine) ruleset(language string) *ruleset {
	if ready := e.languages[language]; ready != nil {
		return ready()
	}
	return nil
}

// triggered returns the rules whose trigger occurs in text.
func (r *ruleset) triggered(text string) []*compiled {
	var out []*compiled
	for _, i := range r.triggers.Find(text) {
		out = append(out, r.rules[i])
	}
	return out
}

// worthwhile leaves out the rules that cannot match in this hunk.
func (r *ruleset) worthwhile(list []*compiled, code string, imports []string, known *owners) []*compiled {
	enters := sync.OnceValue(func() bool {
		return r.remote != nil && r.remote.MatchString(code) || known.reach(r.config.Entering, code)
	})
	var out []*compiled
	for _, c := range list {
		switch {
		case c.remote && !enters():
		case c.modelsOnly() && !known.reach(c.Models, code):
		case c.also != nil && !c.also.MatchString(code) && !c.also.MatchString(strings.Join(imports, "\n")):
		case c.words != nil && !c.words.MatchString(code) && !enters():
		default:
			out = append(out, c)
		}
	}
	return out
}
