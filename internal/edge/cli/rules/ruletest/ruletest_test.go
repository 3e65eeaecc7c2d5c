package ruletest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestExamplesOfRules(t *testing.T) {
	set, err := rules.Load("ours.yaml", []byte(`userrules:
  detectors:
    - id: U-empty-plan
      title: T
      class: C
      on: plan
      when: int(text) > 1
      message: Look.
      cost: 2
      p: 0.2
      confidence: 0.5
      examples:
        firing:
          - {name: suppressed while priming, script: "turn\nplan 2"}
          - {name: holds, script: "turn\nuser a\nturn\nuser b\nturn\nuser c\nturn\nplan 2"}
          - {name: wrong words, script: "turn\nfly away"}
        silent:
          - {name: fails, script: "turn\nplan x"}
          - {name: speaks, script: "turn\nuser a\n----\n\nturn\nuser b\n----\n\nturn\nuser c\n----\n\nturn\nplan 2\n----\n"}
          - {name: holds, script: "opened {\"task\":\"t\"}\nturn at=3m\nplan 1"}
`))
	require.NoError(t, err)
	tests, err := Run(set)
	require.NoError(t, err)
	var got []string
	for _, r := range tests {
		got = append(got, r.Failed)
	}
	require.Equal(t, []string{
		"it does not fire; turn 1 was suppressed: priming", "", `the script: line 2: unknown statement "fly"`,
	}, got[:3])
	require.Contains(t, got[3], "the rule failed: ")
	require.Equal(t, "it fires in turn 4: Look.", got[4])
	require.Empty(t, got[5])
	require.Equal(t, 14, tests[0].Line)
}
