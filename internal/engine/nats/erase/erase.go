// Package erase removes what the streams hold of a session or run that is purged (AU-40).
package erase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Belongings are the messages of one group in one stream (AU-40).
type Belongings struct {
	runevents.Erasure
	IDs    []string // sessions and runs that the messages are about
	Events int      // messages that are not the stage's own: no snapshots or skips
	// Lasting are those without snapshots of the group's state, which the stage replaces when it
	// receives a purge: what is left to erase then.
	Lasting runevents.Erasure
	made    time.Time // when the stream was made
	held    []held
}

// held is one message in a stream.
type held struct {
	sequence uint64
	event    bool
}

// Find returns what the streams hold of a group, without its tombstones. If before is not "",
// only what precedes the event with that id is returned of a stream that holds it.
func Find(ctx context.Context, b *natsengine.Broker, group, before string) (all []Belongings, err error) {
	for _, place := range places(b, group) {
		found, err := findIn(ctx, b, place, before)
		if err != nil {
			return nil, fmt.Errorf("look for %s in %s: %w", group, place.stream, err)
		}
		if found.Messages > 0 {
			all = append(all, found)
		}
	}
	return all, nil
}

// place is where a stream holds messages of a group.
type place struct {
	stream  string
	filters []string
	// ordered: the group's events come in their order, the tombstone among them.
	ordered bool
}

// places returns where streams can hold messages of a group.
func places(b *natsengine.Broker, group string) []place {
	partition := subjects.Partition(group, b.Topology().Partitions)
	p := strconv.Itoa(partition)
	all := []place{
		{stream: string(events.StreamInput), filters: []string{topology.InputFilter(partition, group)}, ordered: true},
		{stream: string(events.StreamTimers), filters: []string{subjects.TimerSubject + ".*." + group + ".>", string(events.TypeTimerExpired) + "." + group + ".*"}},
		{stream: string(events.StreamDeadLetter), filters: []string{"dead.*." + p + "." + group + ".*"}},
	}
	for _, intake := range b.Topology().Intakes {
		all = append(all, place{stream: intake.Stream(), filters: []string{"intake." + intake.Account + ".*.*." + group + ".*"}})
	}
	for _, stream := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		stage := subjects.StageOf(stream)
		filters := append(topology.GroupFilters(partition, group), topology.SkipSubject(stage, partition, group), subjects.SnapshotSubject(stage, partition, group))
		all = append(all, place{stream: string(stream), filters: filters, ordered: true})
	}
	return all
}

func findIn(ctx context.Context, b *natsengine.Broker, at place, before string) (found Belongings, err error) {
	found.Stream = at.stream
	stream, err := b.JetStream().Stream(ctx, at.stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.made = natsengine.CreatedAt(stream.CachedInfo())
	messages, err := read.On(ctx, b, proof.NewStore(stream), events.Stream(at.stream), at.filters, stream.CachedInfo().State.LastSeq)
	if err != nil {
		return found, err
	}
	if before != "" && at.ordered {
		end := slices.IndexFunc(messages, func(m *proof.Message) bool { return m.Header.Get("ce-id") == before })
		if end >= 0 {
			messages = messages[:end]
		}
	}
	messages = slices.DeleteFunc(messages, func(m *proof.Message) bool {
		return m.Header.Get("ce-type") == string(runevents.TypeContentPurged)
	})
	lasting := slices.DeleteFunc(slices.Clone(messages), func(m *proof.Message) bool {
		return strings.HasPrefix(m.Subject, "snap.")
	})
	found.Erasure, found.Lasting = erasure(at.stream, messages), erasure(at.stream, lasting)
	for _, m := range messages {
		event := !strings.HasPrefix(m.Subject, "snap.") && !strings.HasPrefix(m.Subject, "skip.")
		if found.held = append(found.held, held{m.Sequence, event}); event {
			found.Events++
		}
		if s, err := subjects.ParseSubject(m.Subject); err == nil && s.ID != "" && !slices.Contains(found.IDs, s.ID) {
			found.IDs = append(found.IDs, s.ID)
		}
	}
	slices.SortFunc(found.IDs, cmp.Compare)
	return found, nil
}

// erasure returns the description of erased messages that a tombstone holds.
func erasure(stream string, messages []*proof.Message) runevents.Erasure {
	of := runevents.Erasure{Stream: stream, Messages: len(messages)}
	var hashes [][32]byte
	var sequences []uint64
	for _, m := range messages {
		sequences, hashes = append(sequences, m.Sequence), append(hashes, m.Hash())
		of.Bytes += int64(len(m.Subject) + len(m.Data))
	}
	of.Digest, of.Sequences = proof.Digest(hashes), runevents.Sequences(sequences)
	return of
}

// erasedAtOnce are the most messages that are erased at the same time: each is a round of its own
// among the replicas, and a long session has tens of thousands. A short one is erased one by one.
const (
	erasedAtOnce = 32
	erasedByOne  = 100 // messages for each that is erased at the same time
)

// Remove overwrites and removes the messages that were found, and calls each after every one,
// never twice at the same time. A message that is gone counts as removed. The copy for agents
// of a message is removed before the message, so that what an interruption leaves in the copy
// is found again in the stream by the tombstone that names it.
func Remove(ctx context.Context, b *natsengine.Broker, found []Belongings, each func()) error {
	copies := copies(ctx, b)
	for _, of := range found {
		stream, err := eraser(ctx, b.JetStream(), of.Stream)
		if err != nil {
			return err
		}
		var copied jetstream.Stream
		if copies != nil && of.Stream == string(events.StreamDecisions) {
			if copied, err = eraser(ctx, copies, of.Stream); err != nil {
				return fmt.Errorf("in the copy for agents: %w", err)
			}
		}
		var one sync.Mutex
		remove := func(ctx context.Context, sequence uint64) error {
			if err := erase(ctx, copied, sequence); err != nil {
				return fmt.Errorf("in the copy for agents: %w", err)
			}
			if err := erase(ctx, stream, sequence); err != nil {
				return err
			}
			one.Lock()
			defer one.Unlock()
			each()
			return nil
		}
		group, all := errgroup.WithContext(ctx)
		group.SetLimit(min(1+len(of.held)/erasedByOne, erasedAtOnce))
		for _, m := range of.held {
			group.Go(func() error { return remove(all, m.sequence) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// copies returns the JetStream context of the agents' account, nil if there is none.
func copies(ctx context.Context, b *natsengine.Broker) jetstream.JetStream {
	agents, err := topology.Agents(ctx, b.JetStream())
	if err != nil {
		return nil
	}
	return agents // an interface: nil where there is no such account
}

// eraser returns the stream to erase messages of, nil if it does not exist.
func eraser(ctx context.Context, js jetstream.JetStream, name string) (jetstream.Stream, error) {
	stream, err := js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up stream %s: %w", name, err)
	}
	return stream, nil
}

// erase overwrites and removes one message. It does nothing if from is nil.
func erase(ctx context.Context, from jetstream.Stream, sequence uint64) error {
	if from == nil {
		return nil
	}
	err := from.SecureDeleteMsg(ctx, sequence)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("erase message %d of %s: %w", sequence, from.CachedInfo().Config.Name, err)
	}
	return nil
}

// alreadyGone is how the broker says that a message is not there: a single server, a cluster,
// and in answer to a read.
var alreadyGone = []string{
	"description=no message found", "description=deleted message", "err_code=10043 ", "err_code=10037 ",
}

// gone reports whether the message had been removed before. A purge that was interrupted has
// removed it from the copy for agents and finds it again in the stream. The client library
// keeps the broker's error only as text.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) &&
		slices.ContainsFunc(alreadyGone, func(said string) bool { return strings.Contains(err.Error(), said) })
}
