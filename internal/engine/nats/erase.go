package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Belongings are the messages of one group in one stream (AU-40).
type Belongings struct {
	runevents.Erasure
	IDs       []string // sessions and runs that the messages are about
	Events    int      // messages that are not the stage's own: no snapshots or skips
	sequences []uint64
	events    []uint64 // those of events
}

// Belongings finds what the streams hold of a group. Where a stream holds the event with
// the id before, only what came before that; with an id of "", everything. Tombstones are
// not part of it.
func (b *Broker) Belongings(ctx context.Context, group, before string) (all []Belongings, err error) {
	for _, place := range b.places(group) {
		found, err := b.belongings(ctx, place, before)
		if err != nil {
			return nil, fmt.Errorf("look for %s in %s: %w", group, place.stream, err)
		}
		if found.Messages > 0 {
			all = append(all, found)
		}
	}
	return all, nil
}

// place is where messages of a group are in a stream.
type place struct {
	stream  string
	filters []string
	// ordered: the group's events come in their order, the tombstone among them.
	ordered bool
}

// places lists the streams that hold messages of groups.
func (b *Broker) places(group string) []place {
	partition := subjects.Partition(group, b.topology.Partitions)
	p := strconv.Itoa(partition)
	all := []place{
		{stream: string(events.StreamInput), filters: []string{inputFilter(partition, group)}, ordered: true},
		{stream: string(events.StreamTimers), filters: []string{subjects.TimerSubject + ".*." + group + ".>", string(events.TypeTimerExpired) + "." + group + ".*"}},
		{stream: string(events.StreamDeadLetter), filters: []string{"dead.*." + p + "." + group + ".*"}},
	}
	for _, intake := range b.topology.Intakes {
		all = append(all, place{stream: intake.Stream(), filters: []string{"intake." + intake.Account + ".*.*." + group + ".*"}})
	}
	for _, stream := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		stage := subjects.StageOf(stream)
		filters := append(groupFilters(partition, group), skipSubject(stage, partition, group), subjects.SnapshotSubject(stage, partition, group))
		all = append(all, place{stream: string(stream), filters: filters, ordered: true})
	}
	return all
}

func (b *Broker) belongings(ctx context.Context, at place, before string) (found Belongings, err error) {
	found.Stream = at.stream
	stream, err := b.js.Stream(ctx, at.stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	messages, err := b.about(ctx, proof.NewStore(stream), events.Stream(at.stream), at.filters, stream.CachedInfo().State.LastSeq)
	if err != nil {
		return found, err
	}
	if before != "" && at.ordered {
		end := slices.IndexFunc(messages, func(m *message) bool { return m.Header.Get("ce-id") == before })
		if end >= 0 {
			messages = messages[:end]
		}
	}
	var hashes [][32]byte
	for _, m := range messages {
		if typ := m.Header.Get("ce-type"); typ == string(runevents.TypeContentPurged) {
			continue
		}
		found.sequences = append(found.sequences, m.Sequence)
		hashes = append(hashes, m.Hash())
		found.Bytes += int64(len(m.Subject) + len(m.Data))
		if !strings.HasPrefix(m.Subject, "snap.") && !strings.HasPrefix(m.Subject, "skip.") {
			found.Events++
			found.events = append(found.events, m.Sequence)
		}
		if s, err := subjects.ParseSubject(m.Subject); err == nil && s.ID != "" && !slices.Contains(found.IDs, s.ID) {
			found.IDs = append(found.IDs, s.ID)
		}
	}
	found.Messages, found.Digest = len(found.sequences), proof.Digest(hashes)
	found.Sequences = runevents.Sequences(found.sequences)
	slices.SortFunc(found.IDs, cmp.Compare)
	return found, nil
}

// Erase overwrites and removes messages that were found, and calls each for every one.
// What is gone already counts as removed. The copy for agents is erased first: a message
// that is still in the stream is found again after an interruption.
func (b *Broker) Erase(ctx context.Context, found []Belongings, each func()) error {
	copies := b.copies(ctx)
	for _, of := range found {
		for _, sequence := range of.sequences {
			if copies != nil && of.Stream == string(events.StreamDecisions) {
				if err := erase(ctx, copies, of.Stream, sequence); err != nil {
					return fmt.Errorf("in the copy for agents: %w", err)
				}
			}
			if err := erase(ctx, b.js, of.Stream, sequence); err != nil {
				return err
			}
			each()
		}
	}
	return nil
}

// copies returns the JetStream of the agents' account, nil if there is none.
func (b *Broker) copies(ctx context.Context) jetstream.JetStream {
	agents, err := topology.Agents(ctx, b.js)
	if err != nil {
		return nil
	}
	return agents // an interface: nil where there is no such account
}

func erase(ctx context.Context, js jetstream.JetStream, name string, sequence uint64) error {
	stream, err := js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	if err == nil {
		err = stream.SecureDeleteMsg(ctx, sequence)
	}
	if gone := (*jetstream.APIError)(nil); errors.As(err, &gone) && (gone.ErrorCode == jetstream.JSErrCodeMessageNotFound || gone.ErrorCode == sequenceNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("erase message %d of %s: %w", sequence, name, err)
	}
	return nil
}

// sequenceNotFound is the broker's error for a message that is gone already.
const sequenceNotFound jetstream.ErrorCode = 10043

// EraseControl removes the keys of sessions and runs from CONTROL. A bucket permits no
// message to be overwritten, so the broker keeps the old values in its files until it
// compacts them: who stopped what, and why.
func (b *Broker) EraseControl(ctx context.Context, ids []string) (removed int, err error) {
	name := "KV_" + topology.BucketControl
	stream, err := b.js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look up %s: %w", name, err)
	}
	store := proof.NewStore(stream)
	for _, id := range ids {
		for _, key := range []string{runevents.RunControlKey(id), runevents.SessionControlKey(id)} {
			m, err := store.Last(ctx, controlPrefix+key)
			if err != nil {
				return removed, err
			}
			if m == nil || m.Header.Get(headerOperation) != "" {
				continue
			}
			if err := b.removeKey(ctx, key, m.Sequence); err != nil {
				return removed, err
			}
			removed++
		}
	}
	return removed, nil
}

// removeKey marks a key as deleted, which watchers and copies see, and purges what is
// before the mark.
func (b *Broker) removeKey(ctx context.Context, key string, revision uint64) error {
	header := nats.Header{headerOperation: {"PURGE"}}
	header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	header.Set(jetstream.MsgTTLHeader, topology.ControlMarkAge.String())
	_, err := b.js.PublishMsg(ctx, &nats.Msg{Subject: controlPrefix + key, Header: header}, jetstream.WithExpectLastSequencePerSubject(revision))
	if err != nil {
		return fmt.Errorf("remove %s from %s: %w", key, topology.BucketControl, err)
	}
	return nil
}

// Recorded reports whether DECISIONS holds an event of a group by its id, on the subjects
// of its type: then every stage has read it.
func (b *Broker) Recorded(ctx context.Context, e events.Event) (bool, error) {
	subject, err := subjects.StoredSubject(events.StreamDecisions, e, b.topology.Partitions)
	if err != nil {
		return false, err
	}
	store, err := b.store(ctx, events.StreamDecisions)
	if err != nil {
		return false, err
	}
	m, err := store.Last(ctx, subject)
	for ; m != nil && err == nil; m, err = store.Before(ctx, subject, m.Sequence) {
		if m.Header.Get("ce-id") == e.ID {
			return true, nil
		}
	}
	return false, err
}

// GroupOf returns the group that a session or run belongs to, "" if no stream knows it.
func (b *Broker) GroupOf(ctx context.Context, id string) (string, error) {
	for _, stream := range []events.Stream{events.StreamDecisions, events.StreamSegments, events.StreamInput} {
		store, err := b.store(ctx, stream)
		if err != nil {
			return "", err
		}
		known, err := store.Subjects(ctx, []string{"*.*.*.*." + id, "*.*.*.*.*." + id})
		if err != nil {
			return "", err
		}
		for _, subject := range known {
			if s, err := subjects.ParseSubject(subject); err == nil && s.ID == id {
				return s.Group, nil
			}
		}
	}
	return "", nil
}
