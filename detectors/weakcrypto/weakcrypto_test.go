package weakcrypto

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestWeakCrypto(t *testing.T) { detecttest.Run(t, Detector) }

// Each firing example of a pattern is a weakness that it finds, each silent one
// none that any pattern finds. Without trees one firing example must do.
func TestExamples(t *testing.T) {
	d := instanceOf(t)
	patterns, err := d.patterns(rules.Default())
	require.NoError(t, err)
	for i := range patterns {
		r := &patterns[i]
		for _, language := range r.Languages {
			t.Run(r.ID+"/"+language, func(t *testing.T) { d.example(t, r, language) })
		}
	}
}

func (d *instance) example(t *testing.T, r *codepattern.Rule, language string) {
	examples := r.Examples[language]
	require.NotEmpty(t, examples.Firing)
	require.NotEmpty(t, examples.Silent)
	found := 0
	for _, code := range examples.Firing {
		if slices.Contains(d.weaknesses(language, code), r.ID) {
			found++
		} else if codepattern.Tier() == "tree" {
			t.Errorf("silent on:\n%s", code)
		}
	}
	if codepattern.Tier() != "tree" {
		require.True(t, found > 0 || r.Regex == "", "the regex finds no firing example")
		return
	}
	for _, code := range examples.Silent {
		require.Empty(t, d.weaknesses(language, code), code)
	}
}

// weaknesses are the rules that find one in code.
func (d *instance) weaknesses(language, code string) []string {
	var out []string
	matches := d.engine.Code(language, code)
	for i := range matches {
		if m := &matches[i]; !d.harmless(d.scene(&events.Segment{}, m), m, false) {
			out = append(out, m.Rule.ID)
		}
	}
	return out
}

func instanceOf(t *testing.T) *instance {
	made, err := newInstance(rules.Default())
	require.NoError(t, err)
	return made.(*instance)
}
