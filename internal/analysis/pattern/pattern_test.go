package pattern

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestPatternsCompileWhenTheyAreFirstUsed(t *testing.T) {
	r := Must("(")
	require.Equal(t, "(", r.String())
	require.Panics(t, func() { r.MatchString("x") })

	var wait sync.WaitGroup
	shared := MustRE2("a+")
	for range 8 {
		wait.Go(func() { shared.MatchString("baab") })
	}
	wait.Wait()
	require.Equal(t, "aa", shared.FindString("baab"))
}

func TestSetFindsInOrder(t *testing.T) {
	for _, from := range []Compiler{Checked, Trusted} {
		s, err := from.Set("words", []string{"c", "b", "a", "d"})
		require.NoError(t, err)
		require.Equal(t, []int{0, 1, 2}, s.Find("a b c"))
	}
}

// What is embedded is trusted until it is used; a user's section is checked, and
// the error names file, line and key.
func TestOnlyWhatAUserChangesIsChecked(t *testing.T) {
	set, err := rules.Load("mine.yaml", []byte("stuckloop:\n  sleep: (\n"))
	require.NoError(t, err)
	_, err = For(set, "outofscope").RE2("moves", "(")
	require.NoError(t, err)
	_, err = For(set, "outofscope").Set("moves", []string{"("})
	require.NoError(t, err)

	from := For(set, "stuckloop")
	_, err = from.RE2("sleep", "(")
	require.ErrorContains(t, err, "mine.yaml:2: stuckloop.sleep: error parsing regexp: missing closing )")
	_, err = from.Go("sleep", "(")
	require.ErrorContains(t, err, "mine.yaml:2: stuckloop.sleep: error parsing regexp: missing closing )")
	_, err = from.Set("sleep", []string{"a", "("})
	require.ErrorContains(t, err, "mine.yaml:2: stuckloop.sleep: error parsing regexp: missing closing )")
	_, err = from.Go("sleep", "(?P<a>a)", "a", "b")
	require.ErrorContains(t, err, "mine.yaml:2: stuckloop.sleep: pattern (?P<a>a) has no group `b`")
	_, err = from.Go("sleep", "(?P<a>a)", "a")
	require.NoError(t, err)
}

func TestCheckedNamesTheKey(t *testing.T) {
	_, err := Checked.Go("words.first", "[")
	var bad *rules.Invalid
	require.ErrorAs(t, err, &bad)
	require.Equal(t, []string{"words", "first"}, bad.Path)
}
