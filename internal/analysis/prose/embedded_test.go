package prose

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// A start trusts the embedded data, so that it is checked here.
func TestEmbeddedRules(t *testing.T) {
	require.NoError(t, rules.Checked(nil).Decode("prose", &tables{}))
}
