package featurecreep

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/detecttest"
)

func TestFeatureCreep(t *testing.T) { detecttest.Run(t, Detector) }
