package keep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// markStream exists while a restore is in progress. Services do not start then: they would
// decide on half a system.
const markStream = "SCAFFOLDWATCH_RESTORE"

// metaBackup names the backup that is being restored.
const metaBackup = "scaffoldwatch.backup"

// MarkRestore records that a backup is being restored. It fails if another restore is recorded.
func MarkRestore(ctx context.Context, b *natsengine.Broker, backup string) error {
	_, err := b.JetStream().CreateStream(ctx, jetstream.StreamConfig{
		Name: markStream, Subjects: []string{"scaffoldwatch.restore"}, Replicas: b.Topology().Replicas, MaxBytes: 1 << 10,
		Description: "a restore is under way", Metadata: map[string]string{metaBackup: backup},
	})
	if err != nil {
		return fmt.Errorf("note that a restore is under way: %w", err)
	}
	return nil
}

// RestoreMark returns the backup that is being restored, or whose restore was interrupted, ""
// if there is none.
func RestoreMark(ctx context.Context, b *natsengine.Broker) (backup string, err error) {
	stream, err := b.JetStream().Stream(ctx, markStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look whether a restore is under way: %w", err)
	}
	return stream.CachedInfo().Config.Metadata[metaBackup], nil
}

// Restoring is the error of a system that does not hold all of a backup yet.
type Restoring struct{ Backup string }

// Error says what to do about it.
func (r Restoring) Error() string {
	return "the restore of backup " + r.Backup +
		" is under way or was interrupted: see that `scaffoldwatch restore` ends, or run it again"
}

// CheckRestored returns [Restoring] while a backup is being restored: a stage would read what its
// source does not hold yet.
func CheckRestored(ctx context.Context, b *natsengine.Broker) error {
	backup, err := RestoreMark(ctx, b)
	if err == nil && backup != "" {
		err = Restoring{backup}
	}
	return err
}

// UnmarkRestore records that the restore is over.
func UnmarkRestore(ctx context.Context, b *natsengine.Broker) error {
	return topology.RemoveStream(ctx, b.JetStream(), markStream)
}

// The stream of the bucket of heartbeats, and how its subjects begin.
const (
	membersStream = "KV_" + topology.BucketMembers
	membersPrefix = "$KV." + topology.BucketMembers + "."
)

// Reporter is the name of the service that sends heartbeats only for `doctor` to see. It writes no stream of a backup,
// so it does not count as running while one is restored.
const Reporter = "reporter"

// InputReader is the instance that [Running] returns for `up`.
const InputReader = "a reader of INPUT"

// Running returns the instances of services that are running, as stage and name, from their
// heartbeats. The services of `up`, which runs alone, send none, but one of them reads INPUT.
func Running(ctx context.Context, b *natsengine.Broker) (instances []string, err error) {
	if instances, err = beating(ctx, b); err != nil || len(instances) > 0 {
		return instances, err
	}
	input, err := b.JetStream().Stream(ctx, string(events.StreamInput))
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

// Instances counts the instances of each stage, and of the reporter, that sent a heartbeat within three of them. One that was stopped
// counts until then, as its farewell does. It asks only for a description of the bucket, which an auditor may read.
func Instances(ctx context.Context, b *natsengine.Broker) (map[string]int, error) {
	bucket, err := b.JetStream().Stream(ctx, membersStream)
	if err != nil {
		return nil, fmt.Errorf("look which services run: %w", err)
	}
	info, err := bucket.Info(ctx, jetstream.WithSubjectFilter(membersPrefix+">"))
	if err != nil {
		return nil, fmt.Errorf("look which services run: %w", err)
	}
	counts := map[string]int{}
	for subject := range info.State.Subjects {
		stage, _, _ := strings.Cut(strings.TrimPrefix(subject, membersPrefix), ".")
		counts[stage]++
	}
	return counts, nil
}

// beating returns the instances of stages with a heartbeat, sorted.
func beating(ctx context.Context, b *natsengine.Broker) (instances []string, err error) {
	members, err := b.JetStream().KeyValue(ctx, topology.BucketMembers)
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
		if stage, name, _ := strings.Cut(key, "."); stage != Reporter {
			instances = append(instances, stage+" "+name)
		}
	}
	slices.Sort(instances)
	return instances, nil
}
