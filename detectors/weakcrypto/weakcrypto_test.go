package weakcrypto

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern/codepatterntest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/detecttest"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestWeakCrypto(t *testing.T) { detecttest.Run(t, Detector) }

func TestExamples(t *testing.T) {
	patterns, err := instanceOf(t).patterns(rules.Default())
	require.NoError(t, err)
	codepatterntest.Examples(t, rules.Default(), section, patterns)
}

func instanceOf(t *testing.T) *instance {
	made, err := newInstance(rules.Default())
	require.NoError(t, err)
	return made.(*instance)
}
