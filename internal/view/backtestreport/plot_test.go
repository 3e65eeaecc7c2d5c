package backtestreport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Points of several lines at one place show their label once; others keep theirs.
func TestLabelsOfLinesDoNotOverlap(t *testing.T) {
	at := func(x float64, label string) plotPoint { return plotPoint{X: x, Y: 100, Label: label} }
	line := plotLine{Points: []plotPoint{at(10, "1"), at(60, "2"), at(200, "4")}}
	line.yield(plotLine{Points: []plotPoint{at(10, "1"), at(62, "2"), at(120, "4")}})
	require.Empty(t, line.Points[0].Label)
	require.Empty(t, line.Points[1].Label)
	require.Equal(t, "4", line.Points[2].Label)
}
