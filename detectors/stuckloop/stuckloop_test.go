package stuckloop

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/detecttest"
)

func TestStuckLoop(t *testing.T) { detecttest.Run(t, Detector) }
