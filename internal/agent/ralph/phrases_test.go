package ralph

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Every phrase of rules/loops.yaml does what its examples say.
func TestExamplesOfPhrases(t *testing.T) {
	for name, list := range embedded().lists() {
		require.NotEmpty(t, list, name)
		for _, p := range list {
			require.NotEmpty(t, p.Matches, p.Pattern)
			require.NotEmpty(t, p.Not, p.Pattern)
			for _, text := range p.Matches {
				require.Regexp(t, p.Pattern, look(text).bare, "%s should match", name)
			}
			for _, text := range p.Not {
				require.NotRegexp(t, p.Pattern, look(text).bare, "%s should not match", name)
			}
		}
	}
}

// A user's own phrases replace ours; one that is no pattern is refused by its place.
func TestOwnPhrases(t *testing.T) {
	set, err := rules.Load("mine.yaml", []byte("loops:\n  gives_up:\n    - pattern: 'no more donuts'\n"))
	require.NoError(t, err)
	p, err := Load(set)
	require.NoError(t, err)
	require.NotNil(t, match(p.GivesUp, look("no more donuts")))
	require.Nil(t, match(p.GivesUp, look("Max iterations reached")))

	set, err = rules.Load("mine.yaml", []byte("loops:\n  waits:\n    - pattern: '('\n"))
	require.NoError(t, err)
	_, err = Load(set)
	require.ErrorContains(t, err, "mine.yaml:3")
}

// lists returns the kinds of phrases by name.
func (p *Phrases) lists() map[string][]*Pattern {
	return map[string][]*Pattern{
		"begins": p.Begins, "ends": p.Ends, "exits": p.Exits, "gives_up": p.GivesUp,
		"succeeds": p.Succeeds, "waits": p.Waits, "promises": p.Promises, "stillborn": p.Stillborn,
	}
}
