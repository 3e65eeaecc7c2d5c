package shell

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A text that is parsed again gives the same tree, also where another has taken its place since, and
// the same error.
func TestParseKeepsTrees(t *testing.T) {
	one, err := parse("make test | tail -3")
	require.NoError(t, err)
	again, err := parse("make test | tail -3")
	require.NoError(t, err)
	require.Same(t, one, again)
	for i := range 10 * keptTrees {
		_, err = parse(fmt.Sprint("echo ", i))
		require.NoError(t, err)
	}
	later, err := parse("make test | tail -3")
	require.NoError(t, err)
	require.Equal(t, one, later)
	for range 2 {
		part, err := parse("ls; echo 'open")
		require.ErrorContains(t, err, "quote")
		require.Len(t, part.Stmts, 1)
	}
}

// Readers in several goroutines share trees.
func TestParseIsSafeForConcurrentUse(t *testing.T) {
	p := parser(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 200 {
				found := p.Invocations(fmt.Sprintf("for f in a b; do cat $f > out%d; done; bash -c 'rm x%d'", i%7, i%7))
				if len(found) == 0 {
					t.Error("nothing found")
				}
			}
		})
	}
	all.Wait()
}
