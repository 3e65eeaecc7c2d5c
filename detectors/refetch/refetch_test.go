package refetch

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect/detecttest"
)

func TestRefetch(t *testing.T) { detecttest.Run(t, Detector) }
