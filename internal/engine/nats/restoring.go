package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// markStream is a stream that exists while a restore is under way. Services do not start
// then: half a system would be decided on.
const markStream = "SCAFFOLDWATCH_RESTORE"

// metaBackup names the backup that is being restored.
const metaBackup = "scaffoldwatch.backup"

// MarkRestore notes that a restore of a backup is under way.
func (b *Broker) MarkRestore(ctx context.Context, backup string) error {
	_, err := b.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: markStream, Subjects: []string{"scaffoldwatch.restore"}, Replicas: b.topology.Replicas, MaxBytes: 1 << 10,
		Description: "a restore is under way", Metadata: map[string]string{metaBackup: backup},
	})
	if err != nil {
		return fmt.Errorf("note that a restore is under way: %w", err)
	}
	return nil
}

// RestoreMark returns the backup of which a restore is under way, or was interrupted; "" if
// none is.
func (b *Broker) RestoreMark(ctx context.Context) (backup string, err error) {
	stream, err := b.js.Stream(ctx, markStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look whether a restore is under way: %w", err)
	}
	return stream.CachedInfo().Config.Metadata[metaBackup], nil
}

// CheckRestored returns an error while a restore is under way: of half a system, a stage would
// read what its source does not hold yet.
func (b *Broker) CheckRestored(ctx context.Context) error {
	backup, err := b.RestoreMark(ctx)
	if err == nil && backup != "" {
		err = fmt.Errorf("the restore of backup %s is under way or was interrupted: see that `scaffoldwatch restore` ends, or run it again", backup)
	}
	return err
}

// UnmarkRestore notes that no restore is under way.
func (b *Broker) UnmarkRestore(ctx context.Context) error { return b.RemoveStream(ctx, markStream) }

// RemoveStream removes a stream with its messages, if it exists.
func (b *Broker) RemoveStream(ctx context.Context, name string) error {
	err := b.js.DeleteStream(ctx, name)
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("remove stream %s: %w", name, err)
	}
	return nil
}

// InputReader is what [Broker.Running] finds of `up`.
const InputReader = "a reader of INPUT"

// Running returns the instances of services that run, by their heartbeats, as stage and name. The
// services of `up`, which is alone, send none: it has a reader of INPUT.
func (b *Broker) Running(ctx context.Context) (instances []string, err error) {
	if instances, err = b.beating(ctx); err != nil || len(instances) > 0 {
		return instances, err
	}
	input, err := b.js.Stream(ctx, string(events.StreamInput))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look which services run: %w", err)
	}
	readers := input.ListConsumers(ctx)
	for reader := range readers.Info() {
		if reader.NumWaiting > 0 || reader.PushBound { // somebody waits for messages
			instances = []string{InputReader}
		}
	}
	if err := readers.Err(); err != nil {
		return nil, fmt.Errorf("look which services run: %w", err)
	}
	return instances, nil
}

// beating lists the heartbeats.
func (b *Broker) beating(ctx context.Context) (instances []string, err error) {
	members, err := b.js.KeyValue(ctx, topology.BucketMembers)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look which services run: %w", err)
	}
	keys, err := members.ListKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("look which services run: %w", err)
	}
	for key := range keys.Keys() {
		instances = append(instances, strings.Replace(key, ".", " ", 1))
	}
	slices.Sort(instances)
	return instances, nil
}

// BackupStreams returns the streams that a backup copies, in the order in which it does.
// Package backup says why it is this one.
func (b *Broker) BackupStreams() []string {
	t := b.topology
	names := []string{
		"KV_" + topology.BucketPositions, "KV_" + topology.BucketControl,
		string(events.StreamDecisions), string(events.StreamSignals), string(events.StreamSegments), string(events.StreamInput), string(events.StreamTimers),
	}
	for _, intake := range t.Intakes {
		names = append(names, intake.Stream())
	}
	return append(names, string(events.StreamDeadLetter), "KV_"+topology.BucketRules)
}
