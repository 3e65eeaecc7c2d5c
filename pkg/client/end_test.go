package client_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// TestEndMissesNothing starts to read long after the place was taken.
func TestEndMissesNothing(t *testing.T) {
	b := newBench(t)
	s := newSubscriber(t, b.conn, nil)
	end, err := s.End(t.Context())
	require.NoError(t, err)
	require.Equal(t, client.Start{Sequence: 1}, end)
	b.decide(t, fired("", "s1", "before"))
	end, err = s.End(t.Context())
	require.NoError(t, err)
	b.decide(t, fired("", "s1", "after"))
	got, _ := take(t, s, client.Filter{}, end, 1)
	require.Equal(t, []string{"after"}, got)
}

// TestText leaves the reason to people (DP-20).
func TestText(t *testing.T) {
	i := client.Interrupt{Fired: &sessionevents.InterruptFired{Headline: "⚡ SCAFFOLD-WATCH INTERRUPT [CLASS-A | URGENCY: 4.0]", Message: "pay() repeats charge().", Reason: "for people"}}
	require.Equal(t, "⚡ SCAFFOLD-WATCH INTERRUPT [CLASS-A | URGENCY: 4.0]\npay() repeats charge().", i.Text())
	i.Fired.Layer, i.Fired.Detector, i.Fired.ID = sessionevents.LayerSession, "C1", "k3f9a2bcdefg"
	require.True(t, strings.HasSuffix(i.Text(), "\npay() repeats charge(). (C1 · k3f9a2)"), "CO-7: %s", i.Text())
}
