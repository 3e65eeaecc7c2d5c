package outofscope

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/detecttest"
)

func TestOutOfScope(t *testing.T) { detecttest.Run(t, Detector) }
