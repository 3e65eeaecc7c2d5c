package pattern_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

type expressions struct {
	Plain   *pattern.Regexp   `yaml:"plain"`
	Folded  *pattern.Regexp   `yaml:"folded" pattern:"fold,optional"`
	Lines   *pattern.Regexp   `yaml:"lines" pattern:"lines,long,optional"`
	Grouped *pattern.Regexp   `yaml:"grouped" pattern:"group=name,optional"`
	Begins  *pattern.Regexp   `yaml:"begins" pattern:"fold,begin,optional"`
	Word    *pattern.Regexp   `yaml:"word" pattern:"word,optional"`
	Each    []*pattern.Regexp `yaml:"each" pattern:"fold"`
}

func decode(text string) (expressions, error) {
	var e expressions
	return e, rules.DecodeFile("mine.yaml", []byte(text), &e)
}

func TestFieldsOfRuleDataAreExpressions(t *testing.T) {
	e, err := decode("plain: ab+\nfolded: [a|b, cd]\nlines: ^x$\nbegins: [p, q]\nword: ten|eleven\neach: [one, two]\n")
	require.NoError(t, err)
	require.True(t, e.Plain.MatchString("abb"))
	require.False(t, e.Plain.MatchString("ABB"))
	for _, text := range []string{"A", "B", "CD"} {
		require.True(t, e.Folded.MatchString(text), "a list matches where one of its expressions does: %s", text)
	}
	require.False(t, e.Folded.MatchString("c d"))
	require.True(t, e.Lines.MatchString("y\nx\nz"))
	require.Nil(t, e.Grouped)
	require.True(t, e.Begins.MatchString("Qp"))
	require.False(t, e.Begins.MatchString("aq"))
	require.True(t, e.Word.MatchString("of ten,"))
	require.False(t, e.Word.MatchString("often elevens"))
	require.True(t, e.Each[1].MatchString("TWO"))
}

// The alternatives of a list do not share flags, and a list of none matches nothing.
func TestListsOfExpressions(t *testing.T) {
	e, err := decode("plain: ['(?i)ab', cd]\nfolded: []\n")
	require.NoError(t, err)
	require.True(t, e.Plain.MatchString("AB"))
	require.False(t, e.Plain.MatchString("CD"))
	for _, text := range []string{"", "a", "\x00", "\U0010ffff", "a\nb"} {
		require.False(t, e.Folded.MatchString(text), "%q", text)
	}
}

func TestRefusalsOfExpressions(t *testing.T) {
	for text, want := range map[string]string{
		"plain: (a\n":                        "mine.yaml:1: plain: error parsing regexp: missing closing ): `(a`",
		"plain:\n  - a\n  - b)\n":            "mine.yaml:3: plain.1: error parsing regexp: unexpected ): `b)`",
		"folded: a\n":                        "mine.yaml:1: plain: is missing; give an expression",
		"plain: ''\n":                        "mine.yaml:1: plain: is missing; give an expression",
		"plain: a\ngrouped: (?P<nme>b)\n":    "mine.yaml:2: grouped: pattern (?P<nme>b) has no group `name`",
		"plain: a\neach:\n  - a\n  - '[b'":   "mine.yaml:4: each.1: error parsing regexp: missing closing ]: `[b`",
		"plain: {a: b}\n":                    `mine.yaml:1: plain: want text, got a mapping`,
		"plain: a\nlines: '(?<!x)y'\n":       "mine.yaml:2: lines: error parsing regexp: invalid named capture: `(?<!x)y`",
		"plain: a\neach: ['(?P<a>x){1001}']": "mine.yaml:2: each.0: error parsing regexp: invalid repeat count: `{1001}`",
	} {
		_, err := decode(text)
		require.EqualError(t, err, want, text)
	}
}
