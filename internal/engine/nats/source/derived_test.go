package source

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A group of which every message has aged out has no subject left to read: its state is rebuilt
// from the snapshot alone.
func TestTheTailOfAGroupThatAgedOutIsEmpty(t *testing.T) {
	for range merged(t.Context(), nil, nil, 3, 9) {
		require.Fail(t, "there is nothing to read")
	}
}
