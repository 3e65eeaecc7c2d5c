package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
	"github.com/scaffoldwatch/scaffoldwatch/test/replayed"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// same publishes input into a running system and compares its decisions with the offline chain, event for
// event, byte for byte (EV-2), and what it recorded with what is derived from that again (AU-10).
func same(t *testing.T, input []events.Event) {
	chain := newCore(t).Chain()
	want := map[string][]string{}
	for _, e := range input {
		e, err := publish.Prepare(e)
		require.NoError(t, err)
		for _, decided := range chain.Feed(e) {
			if line, compared := shown(t, decided); compared {
				want[decided.Group()] = append(want[decided.Group()], line)
			}
		}
	}
	require.Empty(t, chain.DeadLetters)
	s := start(t, nil)
	s.publish(input)
	got := s.decidedAs(want)
	require.Len(t, got, len(want))
	for group, lines := range want {
		require.Len(t, got[group], len(lines), group)
		for i, line := range lines {
			require.Equal(t, line, got[group][i], "%s event %d", group, i)
		}
	}
	t.Logf("%d input events, %d groups equal", len(input), len(want))
	s.replays()
}

// replays derives again what each stage has recorded.
func (s *running) replays() {
	s.t.Helper()
	settings := config.Default()
	core, err := machines.New(machines.Options{Rules: rules.Default(), IdleTimeout: settings.Session.IdleTimeout})
	require.NoError(s.t, err)
	recordings := func(stage string) (engine.Recording, error) { return source.Recording(s.t.Context(), s.broker, stage) }
	stages, err := replayed.Stages(s.t.Context(), core, core.Identity, recordings, partitions)
	require.NoError(s.t, err)
	for _, stage := range stages {
		require.Empty(s.t, stage.Result.First, stage.Name)
		require.Zero(s.t, stage.Differ(), stage.Name)
		require.NotZero(s.t, stage.Result.Same, stage.Name)
		s.t.Logf("%s: %d events derived again", stage.Name, stage.Result.Same)
	}
}

// shown returns an event as it must be, through NATS as offline, and false where
// the clocks differ: timers count from when the broker recorded their cause,
// offline from the events' own times (EV-9), so a timer's due time and what an
// expired one leads to (the reminder of an escalation, RW-41) are left out. What is
// decided about several runs (RW-15, PL-10) is caused by the news that came last, and runs
// in different partitions have no order: which event that is, and so its time, is left out.
func shown(t *testing.T, e events.Event) (line string, compared bool) {
	t.Helper()
	if escalation, is := e.Data.(*runevents.EscalationRaised); e.Type == events.TypeTimerSet || is && escalation.Reminder {
		return "", false
	}
	if e.Correlation != "" && e.Correlation != e.Group() { // in the group of a project or workspace
		e.ID, e.CausationID, e.Time = "left-out", "", time.Time{}
	}
	text, err := events.MarshalStructured(e)
	require.NoError(t, err)
	return string(text), true
}

// decidedAs waits until as much has been decided of every group as is wanted, and returns it.
func (s *running) decidedAs(want map[string][]string) map[string][]string {
	s.t.Helper()
	missing := map[string]int{}
	for group, lines := range want {
		missing[group] = len(lines)
	}
	s.awaitEach(missing)
	got := map[string][]string{}
	s.decisions(func(e events.Event) {
		if line, compared := shown(s.t, e); compared {
			got[e.Group()] = append(got[e.Group()], line)
		}
	})
	return got
}

// awaitEach waits until each group has that many decisions, not counting timers.
func (s *running) awaitEach(missing map[string]int) {
	s.t.Helper()
	defer func() {
		if s.t.Failed() {
			s.t.Logf("still missing: %v", missing)
		}
	}()
	s.await(func(e events.Event) bool {
		_, compared := shown(s.t, e)
		if n, is := missing[e.Group()]; is && compared {
			missing[e.Group()]--
			if n == 1 {
				delete(missing, e.Group())
			}
		}
		return len(missing) == 0
	})
}

func TestServicesDecideWhatScanDecides(t *testing.T) {
	t.Run("demo", func(t *testing.T) {
		play, err := demo.NewPlay(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
		require.NoError(t, err)
		same(t, play.Events)
	})
	t.Run("workload", func(t *testing.T) {
		mix := workload.Mix(11, 12, 30)
		mix.Secret, mix.Creep, mix.Reread = 0.2, 0.2, 0.4
		same(t, flat(workload.Make(mix).Sessions))
	})
	t.Run("runs", func(t *testing.T) { // with every break and shadow, by harnesses that continue after a halt
		var all []events.Event
		every := proofs.Size(4, 1)
		for i, pair := range workload.Fleet(5, workload.Dysfunctions()) {
			if pair.Sick.Offline || i%every != every-1 {
				continue
			}
			all = append(append(all, pair.Sick.Events...), pair.Clean.Events...)
		}
		slices.SortStableFunc(all, func(a, b events.Event) int { return a.Time.Compare(b.Time) })
		same(t, all)
	})
	t.Run("real transcripts", func(t *testing.T) {
		proofs.NeedsFull(t, "reads hundreds of transcripts")
		same(t, inputsBelow(t, filepath.Join(shareddata.Require(t), "transcripts")))
	})
}

// flat interleaves sessions, one event of each in turn.
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

// inputsBelow reads every transcript below a folder.
func inputsBelow(t *testing.T, folder string) []events.Event {
	t.Helper()
	found, err := transcripts.Find([]string{folder}, os.Stdin)
	require.NoError(t, err)
	var all []events.Event
	for _, in := range found.List {
		_, err := found.Read(t.Context(), in, transcript.Options{}, func(int64) {}, func(e events.Event) error {
			all = append(all, e)
			return nil
		})
		require.NoError(t, err)
	}
	return all
}
