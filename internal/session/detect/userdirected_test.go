package detect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// SW-42: what the user asked for is not signaled, for the object named, until
// the task changes.
func TestUserDirected(t *testing.T) {
	cases := []struct {
		name, detector, subject, path string
		said                          []string
		want                          bool
	}{
		{"named object", "A1", "AuthService", "", []string{"Rewrite the auth service from scratch."}, true},
		{"half of the name", "C2", "AuthService", "", []string{"please rewrite the auth from scratch"}, true},
		{"other object", "A1", "BillingService", "", []string{"Rewrite the auth service from scratch."}, false},
		{"other act", "A1", "AuthService", "", []string{"Document the auth service."}, false},
		{"negated", "A1", "AuthService", "", []string{"Please do not rewrite the auth service."}, false},
		{"negation elsewhere", "A1", "AuthService", "", []string{"Tests do not pass at all today, so rewrite the auth service."}, true},
		{"curly apostrophe", "A1", "AuthService", "", []string{"Don’t rewrite the auth service"}, false},
		{"file named", "D1", "rename variables", "src/util/dates.py", []string{"Also clean up dates.py while you are there"}, true},
		{"general words name nothing", "D1", "src/index.js", "", []string{"clean up the src files"}, false},
		{"task changed since", "A1", "AuthService", "", []string{"Rewrite the auth service.", "Forget that. Fix the footer."}, false},
		{"asked again after", "A1", "AuthService", "", []string{"Forget that.", "Rewrite the auth service."}, true},
		{"object in another sentence", "A1", "AuthService", "", []string{"Rewrite the footer. The auth service is fine."}, false},
		{"one word of a feature's two", "D2", "report export", "", []string{"Add a stock report."}, false},
		{"the feature itself", "D2", "stock report", "", []string{"Add a stock report."}, true},
		{"inflected", "C2", "parseConfig", "", []string{"the config parse needs rewriting"}, true},
		{"a detector without phrases", "B2", "query", "", []string{"rewrite the query"}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := finding(c.subject, 0)
			f.Evidence[0].Path = c.path
			s := suite(t, "", always(c.detector, f))
			p := turn(5, sessionevents.Segment{Kind: sessionevents.SegmentUser, Text: c.said[len(c.said)-1]})
			for _, earlier := range c.said[:len(c.said)-1] {
				p.Before.Baseline.Requests = append(p.Before.Baseline.Requests, registry.Request{Text: earlier})
			}
			got := s.Evaluate(p, s.NewMemory()).Signals[0].Suppressed
			require.Equal(t, c.want, got == detect.UserDirected, got)
		})
	}
}

func TestTheTaskItselfDirects(t *testing.T) {
	s := suite(t, "", always("A1", finding("AuthService", 0)))
	p := turn(5)
	p.Before.Baseline.Task = "Rebuild the auth service"
	require.Equal(t, detect.UserDirected, s.Evaluate(p, s.NewMemory()).Signals[0].Suppressed)
}

// A detector's own reason stays.
func TestOwnReasonOfSuppressionStays(t *testing.T) {
	f := finding("AuthService", 0)
	f.Suppressed = "test file"
	s := suite(t, "", always("C2", f))
	p := turn(1, sessionevents.Segment{Kind: sessionevents.SegmentUser, Text: "Rewrite the auth service"})
	require.Equal(t, "test file", s.Evaluate(p, s.NewMemory()).Signals[0].Suppressed)
}
