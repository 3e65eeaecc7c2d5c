package codeindex

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// A start trusts the embedded data, so that it is checked here.
func TestEmbeddedRules(t *testing.T) {
	_, err := load(rules.Checked(nil))
	require.NoError(t, err)
}
