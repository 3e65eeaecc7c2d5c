package preflight_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// BenchmarkNew is what a checker adds to the start of a service.
func BenchmarkNew(b *testing.B) {
	set := rules.Default()
	suite, err := detect.NewSuite(nil, set)
	require.NoError(b, err)
	for b.Loop() {
		_, err := preflight.New(preflight.Options{Rules: set, Suite: suite})
		require.NoError(b, err)
	}
}
