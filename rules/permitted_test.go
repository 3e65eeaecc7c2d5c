package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A workspace switches loops off and adds rules; security, budget and thresholds are
// the operator's.
func TestLoadPermitted(t *testing.T) {
	const text = `constraints: []
rules:
  detectors:
    B1: {mode: off}
    C1:
      mode: observe
  dispatch: {budget: 0}
`
	set, applied, refused, err := LoadPermitted("ws.yaml", []byte(text), "rules")
	require.NoError(t, err)
	require.Equal(t, ModeOn, set.Mode("B1"))
	require.Equal(t, ModeObserve, set.Mode("C1"))
	require.Equal(t, []Change{{"detectors.C1.mode", "observe", 6}}, applied)
	require.Equal(t, []Change{{"detectors.B1.mode", "off", 4}, {"dispatch.budget", "0", 7}}, refused)

	set, applied, refused, err = LoadPermitted("ws.yaml", []byte("detectors: {B2: {mode: off}}"), "")
	require.NoError(t, err)
	require.Nil(t, set, "nothing is in force")
	require.Empty(t, applied)
	require.Len(t, refused, 1)

	for text, wants := range map[string]string{
		"rules: {refech: {}}":                    `ws.yaml:1: unknown section "refech"; did you mean "refetch"?`,
		"rules: {detectors: {C1: {mode: loud}}}": "ws.yaml:1",
		"rules: 7":                               "want a mapping",
	} {
		_, _, _, err := LoadPermitted("ws.yaml", []byte(text), "rules")
		require.ErrorContains(t, err, wants)
	}
	require.Equal(t, `"a.b: x\ny"`, Change{Path: "a.b", Value: "x\ny"}.Text())
}
