package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter"
	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/quality"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// same publishes input into a running system and holds what it decides against
// the offline chain, event for event, byte for byte (issue 2, section 3).
func same(t *testing.T, input []events.Event) {
	chain := newCore(t).Chain()
	want := map[string][]string{}
	closed := map[string]bool{}
	for _, e := range input {
		e, err := app.Prepare(e)
		require.NoError(t, err)
		for _, decided := range chain.Feed(e) {
			line, err := events.MarshalStructured(decided)
			require.NoError(t, err)
			want[decided.Group()] = append(want[decided.Group()], string(line))
			if decided.Type == events.TypeSessionClosed {
				closed[decided.Subject] = true
			}
		}
	}
	require.Empty(t, chain.DeadLetters)
	s := start(t, nil)
	s.publish(input)
	got := s.decided(len(closed))
	require.Len(t, got, len(want))
	for group, lines := range want {
		require.Len(t, got[group], len(lines), group)
		for i, line := range lines {
			have, err := events.MarshalStructured(got[group][i])
			require.NoError(t, err)
			require.Equal(t, line, string(have), "%s event %d", group, i)
		}
	}
	t.Logf("%d input events, %d groups equal", len(input), len(want))
}

func TestServicesDecideWhatScanDecides(t *testing.T) {
	t.Run("demo", func(t *testing.T) {
		fleet, err := demo.Sessions(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		same(t, flat(fleet))
	})
	t.Run("workload", func(t *testing.T) {
		mix := workload.Mix(11, 12, 30)
		mix.Secret, mix.Creep, mix.Reread = 0.2, 0.2, 0.4
		same(t, flat(workload.Make(mix).Sessions))
	})
	t.Run("real transcripts", func(t *testing.T) {
		data := quality.Data()
		if data == "" {
			t.Skip("no ../shared/data beside the repository (or SCAFFOLDWATCH_DATA)")
		}
		same(t, transcripts(t, filepath.Join(data, "transcripts")))
	})
}

// flat puts sessions side by side, an event each in turn.
func flat(sessions [][]events.Event) []events.Event {
	var all []events.Event
	for round, more := 0, true; more; round++ {
		more = false
		for _, list := range sessions {
			if round < len(list) {
				all, more = append(all, list[round]), true
			}
		}
	}
	return all
}

// transcripts reads every transcript below a folder.
func transcripts(t *testing.T, folder string) []events.Event {
	t.Helper()
	found, err := app.FindTranscripts([]string{folder}, os.Stdin)
	require.NoError(t, err)
	var all []events.Event
	for _, in := range found.List {
		_, err := found.ReadTranscript(t.Context(), in, adapter.Options{}, func(int64) {}, func(e events.Event) error {
			all = append(all, e)
			return nil
		})
		require.NoError(t, err)
	}
	return all
}
