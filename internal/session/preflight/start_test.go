package preflight_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// BenchmarkNew is what a checker adds to the start of a service.
func BenchmarkNew(b *testing.B) {
	set := rules.Default()
	for b.Loop() {
		_, err := preflight.New(preflight.Options{Rules: set})
		require.NoError(b, err)
	}
}
