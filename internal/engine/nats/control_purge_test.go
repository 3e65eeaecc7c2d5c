package nats_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natscontrol "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	natsread "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// tombstone is the tombstone of a group, for what DECISIONS holds of it now.
func tombstone(t testing.TB, b *natsengine.Broker, group, id string) (events.Event, []erase.Belongings) {
	t.Helper()
	found, err := erase.Find(context.Background(), b, group, "")
	require.NoError(t, err)
	of := &runevents.ContentPurged{By: "mara", Why: "request 4711", IDs: []string{group}}
	for _, one := range found {
		of.IDs, of.Erased = append(of.IDs, one.IDs...), append(of.Erased, one.Erasure)
	}
	return events.Event{
		ID: id, Source: "/test", Type: runevents.TypeContentPurged, Subject: group, PartitionKey: group,
		Time: time.Unix(1_700_000_000, 0).UTC(), Data: of,
	}, found
}

// AU-40: a purge that is killed after the last event it removes leaves no control state, although nobody
// runs it again and no dispatcher starts again: the tombstone decides that the keys go.
func TestAPurgeKilledAtItsEndLeavesNoControlState(t *testing.T) {
	ctx := context.Background()
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	decide(t, b, control("r", "", runevents.ControlHalted, "a"), control("r", "s", runevents.ControlHalted, "b"),
		control("r", "q", runevents.ControlRunning, "c"))
	decide(t, b, control("other", "", runevents.ControlHalted, "d"))
	stop := keepControl(t, b)
	defer stop()
	stone, found := tombstone(t, b, "r", "tombstone")
	decide(t, b, stone)
	require.NoError(t, erase.Remove(ctx, b, found, func() {})) // and it is killed here
	agree(t, b)
	require.Equal(t, map[string]string{"run.other": "halted/d"}, states(t, b))
	decide(t, b, control("r", "s", runevents.ControlPaused, "e"))
	awaitState(t, b, "session.s", "paused/e")
	agree(t, b)
}

// The same wherever the purge is killed, with the dispatcher down and started again: before the first event
// was removed, between two, and after the first messages of DECISIONS went. What the tombstone does not name
// stays, and so does what a forged one names.
func TestAPurgeKilledAnywhereLeavesNoControlState(t *testing.T) {
	for _, removed := range []int{0, 1, 2, 3} {
		t.Run(fmt.Sprint(removed), func(t *testing.T) {
			broker := natstest.Run(t)
			b := open(t, broker.Conn, natsengine.Keys{}, nil)
			decide(t, b, control("r", "", runevents.ControlHalted, "a"), control("r", "s", runevents.ControlHalted, "b"),
				control("r", "s", runevents.ControlDraining, "c"))
			decide(t, b, control("later", "", runevents.ControlHalted, "d"), control("forged", "", runevents.ControlHalted, "e"))
			stone, found := tombstone(t, b, "r", "tombstone")
			keepControl(t, b)() // it stops before the tombstone is committed
			decide(t, b, control("r", "q", runevents.ControlHalted, "f"))
			decide(t, b, stone)
			untrue, _ := tombstone(t, b, "forged", "forged")
			header, data, err := events.EncodeBinary(untrue)
			require.NoError(t, err)
			subject, err := subjects.StoredSubject(events.StreamDecisions, untrue, partitions)
			require.NoError(t, err)
			newForger(t, broker).message(subject, header, data)
			killed, kill := context.WithCancel(context.Background())
			if removed == 0 {
				kill()
			}
			done := 0
			err = erase.Remove(killed, b, found, func() {
				if done++; done == removed {
					kill()
				}
			})
			require.Equal(t, removed < 3, err != nil)
			kill()
			want := map[string]string{"run.later": "halted/d", "run.forged": "halted/e", "session.q": "halted/f"}
			for _, when := range []string{"started", "started again"} {
				if when == "started" {
					behind, err := natscontrol.Check(context.Background(), b)
					require.NoError(t, err)
					require.ElementsMatch(t, []string{"run.r", "session.q", "session.s"}, behind, "and doctor says so until then")
				}
				keepControl(t, b)()
				require.Equal(t, want, states(t, b), when)
				agree(t, b)
			}
		})
	}
}

// A reader that begins before a tombstone, as a reporter that makes its database again, finds the gaps that a purge
// left before it knows of the purge. They are no damage; one that no tombstone names is.
func TestWhatWasPurgedIsNotReportedAsErased(t *testing.T) {
	ctx := context.Background()
	broker := natstest.Run(t)
	skipped := &heard{}
	b := open(t, broker.Conn, natsengine.Keys{}, skipped)
	decide(t, b, control("r", "", runevents.ControlHalted, "a"), control("other", "", runevents.ControlHalted, "b"))
	decide(t, b, control("r", "s", runevents.ControlHalted, "c"))
	stone, found := tombstone(t, b, "r", "tombstone")
	decide(t, b, stone)
	require.NoError(t, erase.Remove(ctx, b, found, func() {}))
	read := func() (ids []string) {
		t.Helper()
		all := natsread.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions}
		require.NoError(t, natsread.All(ctx, b, all, func(a natsread.Accepted) error {
			if !a.Idle {
				ids = append(ids, a.Input.Event.ID)
			}
			return nil
		}))
		return ids
	}
	require.Equal(t, []string{"b", "tombstone"}, read())
	require.Empty(t, skipped.all())

	decisions, err := b.JetStream().Stream(ctx, "DECISIONS")
	require.NoError(t, err)
	require.NoError(t, decisions.Purge(ctx, jetstream.WithPurgeSubject("control.changed.*.other.other")))
	require.Equal(t, []string{"tombstone"}, read())
	require.Positive(t, skipped.all()[proof.ReasonErased])
}
