package secretleak

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// SARIF names the weakness of each way in which a credential leaves.
func TestEveryWayNamesItsWeakness(t *testing.T) {
	made, err := Detector.New(rules.Checked(nil))
	require.NoError(t, err)
	d := made.(*instance)
	for w, want := range map[way]int{wayLogged: 532, waySent: 201, wayCopied: 201, wayShown: 200, wayEncoded: 200, wayCommit: 540} {
		found := d.finding(&sessionevents.Segment{Kind: sessionevents.SegmentTool}, &leak{way: w, what: ".env"})
		require.Equal(t, want, found.CWE, string(w))
	}
	require.Len(t, d.config.CWE, 6)
}
