package shadow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConcernsInOtherWords(t *testing.T) {
	c := defaultConfig(t).compiled.concerns
	for _, pair := range [][2]string{
		{"What happens when the database is down?", "How does this behave if the DB is unavailable?"},
		{"The retry policy has no upper bound.", "Retries are unbounded."},
		{"The cache may serve stale data.", "Outdated data could be served from the cache."},
		{"Concurrent writers may lose updates.", "Updates can get lost with parallel writers."},
		{"This will not scale.", "Scalability is a concern."},
		{"The cache may become stale.", "The cache could become stale."},
		{"x", "x"},
	} {
		require.True(t, c.saySame(c.read(pair[0]), c.read(pair[1])), pair)
		require.True(t, c.saySame(c.read(pair[1]), c.read(pair[0])), pair)
	}
	for _, pair := range [][2]string{
		{"Cache invalidation is missing.", "Cache size is missing."},
		{"The handler for orders leaks connections.", "The handler for users leaks connections."},
		{"What happens when the database is down?", "Why is there no index on the database?"},
		{"The retry policy has no upper bound.", "Why is the timeout thirty seconds?"},
		{"", ""},
		{"t1", "t2"},
	} {
		require.False(t, c.saySame(c.read(pair[0]), c.read(pair[1])), pair)
	}
}
