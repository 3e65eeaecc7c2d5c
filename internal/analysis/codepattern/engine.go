// Package codepattern finds patterns of code that a YAML rule describes: calls,
// assignments and key-value pairs with conditions on their arguments, and flows
// of data from a source to a sink within a function (B2, B3).
//
// It reads the new side of a hunk, which is not a whole file. Nothing is parsed unless an added
// line contains a rule's trigger; then only the function around it is read with tree-sitter, and a
// small interpreter follows values through assignments, string building, calls that pass values on
// and helpers of the same hunk. A name that the hunk does not define is of unknown origin, and a
// rule sets the confidence of that. Without cgo the rules' regular expressions replace it, with a
// confidence of at most [PlainCap]; [Tier] reports which is in use.
//
// A rule is a value of [Rule]; the facts about a language are in rules/codepattern_<language>.yaml.
package codepattern

import (
	"fmt"
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
		section, from := prefix+"_"+name, set
		atOnce := checkAll || set.Checks(section)
		if !atOnce {
			from = set.Unwatched() // several goroutines may read what nobody changed, long after the start
		}
		files = append(files, &file{
			section: section, check: atOnce, also: check, languages: languagesOf(name),
			read: func() ([]Rule, error) {
				var content ruleSection
				err := from.Decode(section, &content)
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

// ruleSection is a section of rule data.
type ruleSection struct {
	Rules []Rule `yaml:"rules"`
}

// Validate checks the rules, see [Validate].
func (s *ruleSection) Validate() error { return Validate(s.Rules) }

// file is one section of rules.
type file struct {
	section   string
	check     bool              // before it is used
	also      func(*Rule) error // the user's own check, nil for none
	languages []string          // that its rules are for
	read      func() ([]Rule, error)
	rules     func() []*compiled // reads it at the first call
}

// modelled begins the name of a section whose rules are compiled from models.
const modelled = "models_"

// languagesOf are the languages whose rules the embedded section of a name holds:
// its own and its dialects, which a test checks.
func languagesOf(name string) []string {
	name = strings.TrimPrefix(name, modelled)
	if name == "javascript" {
		return []string{name, "typescript"}
	}
	return []string{name}
}

// Names are the names of the sections <prefix>_<name>, sorted.
func Names(set *rules.Set, prefix string) (names []string) {
	for _, section := range set.Sections() {
		if name, ok := strings.CutPrefix(section, prefix+"_"); ok {
			names = append(names, name)
		}
	}
	return names
}

// open prepares the file and, where it has to be checked, reads it.
func (f *file) open(known map[string]func() *language) error {
	f.rules = sync.OnceValue(func() []*compiled {
		list, err := f.read()
		if err != nil {
			panic(err) // embedded data is checked by tests, the user's by open
		}
		out := make([]*compiled, len(list))
		for i := range list {
			if out[i], err = compileRule(pattern.Trusted, &list[i], i); err != nil {
				panic(fmt.Errorf("rules: section %s: %w", f.section, err))
			}
		}
		return out
	})
	if !f.check {
		return nil
	}
	list, err := f.read()
	if err != nil {
		return err
	}
	for i := range list {
		if err := f.checkRule(&list[i], i, known); err != nil {
			return err
		}
		for _, name := range list[i].Languages {
			if !slices.Contains(f.languages, name) {
				f.languages = append(slices.Clone(f.languages), name)
			}
		}
	}
	return nil
}

func (f *file) checkRule(r *Rule, number int, known map[string]func() *language) error {
	if _, err := compileRule(pattern.Checked, r, number); err != nil {
		return fmt.Errorf("rules: section %s: %w", f.section, err)
	}
	for _, name := range r.Languages {
		if known[name] == nil {
			return fmt.Errorf("rules: section %s: rules.%s: nothing is known of the language %q; it needs a section %s%s", f.section, r.ID, name, sectionPrefix, name)
		}
	}
	if f.also == nil {
		return nil
	}
	if err := f.also(r); err != nil {
		return fmt.Errorf("rules: %s: rules.%s: %w", f.section, r.ID, err)
	}
	return nil
}
