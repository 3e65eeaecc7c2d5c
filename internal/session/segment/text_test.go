package segment

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// The text of a DIFF is that of its added lines, whatever its hunks hold.
func TestTextOfADiffIsItsAddedLines(t *testing.T) {
	lines := rapid.SliceOf(rapid.SampledFrom([]string{"+a", "+", "-b", " c", "", "+++", "+é\n"}))
	rapid.Check(t, func(r *rapid.T) {
		d := &sessionevents.Diff{}
		for range rapid.IntRange(0, 3).Draw(r, "hunks") {
			d.Hunks = append(d.Hunks, sessionevents.Hunk{Lines: lines.Draw(r, "lines")})
		}
		var want []string
		for _, l := range d.Added() {
			want = append(want, l.Text)
		}
		require.Equal(r, strings.Join(want, "\n"), Text(&sessionevents.Segment{Kind: sessionevents.SegmentDiff, Diff: d}))
	})
}
