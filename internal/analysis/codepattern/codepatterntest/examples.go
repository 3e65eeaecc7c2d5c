// Package codepatterntest runs the examples that rules of codepattern carry.
package codepatterntest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Rules are the rules of every section <prefix>_<language>, in order of the
// sections' names.
func Rules(t testing.TB, set *rules.Set, prefix string) []codepattern.Rule {
	t.Helper()
	var out []codepattern.Rule
	for _, name := range codepattern.Names(set, prefix) {
		var section struct {
			Rules []codepattern.Rule `yaml:"rules"`
		}
		require.NoError(t, set.Decode(prefix+"_"+name, &section))
		out = append(out, section.Rules...)
	}
	return out
}

// Examples requires that each rule has a firing and a silent example for each of
// its languages, that each firing one matches its rule, and that no silent one
// matches any rule of the list. Without cgo, rules with a regex are tried on it:
// each must find one of its firing examples at least.
func Examples(t *testing.T, set *rules.Set, section string, list []codepattern.Rule) {
	t.Helper()
	engine, err := codepattern.New(set, section, list)
	require.NoError(t, err)
	for i := range list {
		r := &list[i]
		for _, language := range r.Languages {
			t.Run(r.ID+"/"+language, func(t *testing.T) { examples(t, engine, r, language) })
		}
	}
}

func examples(t *testing.T, engine *codepattern.Engine, r *codepattern.Rule, language string) {
	given := r.Examples[language]
	require.NotEmpty(t, given.Firing, "rule %s has no firing example for %s", r.ID, language)
	require.NotEmpty(t, given.Silent, "rule %s has no silent example for %s", r.ID, language)
	if codepattern.Tier() == "regex" {
		plain(t, engine, r, language, given)
		return
	}
	for _, code := range given.Firing {
		require.Contains(t, found(engine, language, code), r.ID, code)
	}
	for _, code := range given.Silent {
		require.Empty(t, found(engine, language, code), code)
	}
}

// plain tries the tier without trees.
func plain(t *testing.T, engine *codepattern.Engine, r *codepattern.Rule, language string, given codepattern.Examples) {
	if r.Regex == "" {
		t.Skip("the rule has no expression for the tier without trees")
	}
	hits := 0
	for _, code := range given.Firing {
		for _, m := range engine.Code(language, code) {
			if m.Rule.ID == r.ID {
				require.LessOrEqual(t, m.Confidence, codepattern.PlainCap)
				hits++
			}
		}
	}
	require.NotZero(t, hits, fmt.Sprintf("%s: the regex finds no firing example for %s", r.ID, language))
}

func found(engine *codepattern.Engine, language, code string) []string {
	var out []string
	for _, m := range engine.Code(language, code) {
		out = append(out, m.Rule.ID)
	}
	return out
}
