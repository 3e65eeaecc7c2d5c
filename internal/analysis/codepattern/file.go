package codepattern

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

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
