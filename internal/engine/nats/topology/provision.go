package topology

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Difference is one setting in which the broker differs from the topology.
type Difference struct {
	Name  string // of the stream or bucket
	Field string
	Want  string
	Have  string
}

// String returns one line for people.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s is %s, wanted %s", d.Name, d.Field, d.Have, d.Want)
}

// Divides reports whether the difference is about the partitions of INPUT: a stage
// that counts others leaves some unread.
func (d Difference) Divides() bool { return d.Field == transformField }

// Provision creates what is missing, the copies for agents in their own account
// included, and returns how the rest differs. It needs the rights of an
// administrator.
func Provision(ctx context.Context, js jetstream.JetStream, t Topology) ([]Difference, error) {
	all, err := ProvisionOwn(ctx, js, t)
	if err != nil {
		return nil, err
	}
	copies, err := provisionCopies(ctx, js, t)
	return append(all, copies...), err
}

// ProvisionOwn creates what is missing in the account of the connection and returns
// how the rest differs. It never changes or removes anything: differences are for a
// person to act on.
func ProvisionOwn(ctx context.Context, js jetstream.JetStream, t Topology) ([]Difference, error) {
	var all []Difference
	for _, want := range t.Streams() {
		differences, err := provisionStream(ctx, js, want)
		if err != nil {
			return nil, err
		}
		all = append(all, differences...)
	}
	for _, want := range t.Buckets() {
		differences, err := provisionBucket(ctx, js, want)
		if err != nil {
			return nil, err
		}
		all = append(all, differences...)
	}
	return all, nil
}

// Check compares without creating; a missing stream is a difference too.
func Check(ctx context.Context, js jetstream.JetStream, t Topology) ([]Difference, error) {
	var all []Difference
	for _, want := range t.Streams() {
		have, err := js.Stream(ctx, want.Name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			all = append(all, Difference{want.Name, "stream", "there", "missing"})
		case err != nil:
			return nil, fmt.Errorf("look up stream %s: %w", want.Name, err)
		default:
			all = append(all, compareStream(want, have.CachedInfo().Config)...)
			all = append(all, stillCompressed(ctx, js.Conn(), have.CachedInfo().Config)...)
		}
	}
	for _, want := range t.Buckets() {
		have, err := js.Stream(ctx, "KV_"+want.Bucket)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			all = append(all, Difference{want.Bucket, "bucket", "there", "missing"})
		case err != nil:
			return nil, fmt.Errorf("look up bucket %s: %w", want.Bucket, err)
		default:
			all = append(all, compareBucket(want, have.CachedInfo().Config)...)
		}
	}
	return all, nil
}

// subjectsOverlap is the broker's error for a stream whose subjects another stream
// has; the client library has no name for it.
const subjectsOverlap jetstream.ErrorCode = 10065

func provisionStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) ([]Difference, error) {
	have, err := js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		have, err = js.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another instance was faster
			have, err = js.Stream(ctx, want.Name)
		}
	}
	if overlaps := (*jetstream.APIError)(nil); errors.As(err, &overlaps) && overlaps.ErrorCode == subjectsOverlap {
		return []Difference{{want.Name, "stream", "there", "missing: another stream has its subjects"}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("provision stream %s: %w", want.Name, err)
	}
	return append(compareStream(want, have.CachedInfo().Config), stillCompressed(ctx, js.Conn(), have.CachedInfo().Config)...), nil
}

func provisionBucket(ctx context.Context, js jetstream.JetStream, want jetstream.KeyValueConfig) ([]Difference, error) {
	have, err := js.Stream(ctx, "KV_"+want.Bucket)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if _, err = js.CreateKeyValue(ctx, want); err == nil || errors.Is(err, jetstream.ErrBucketExists) {
			have, err = js.Stream(ctx, "KV_"+want.Bucket)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("provision bucket %s: %w", want.Bucket, err)
	}
	return compareBucket(want, have.CachedInfo().Config), nil
}

// transformField names the setting that divides INPUT into partitions.
const transformField = "subject transform"

func compareStream(want, have jetstream.StreamConfig) []Difference {
	var d differences
	d.add(want.Name, "subjects", sorted(want.Subjects), sorted(have.Subjects))
	d.add(want.Name, "storage", want.Storage, have.Storage)
	d.add(want.Name, "retention", want.Retention, have.Retention)
	d.add(want.Name, "discard", want.Discard, have.Discard)
	d.add(want.Name, "max age", want.MaxAge, have.MaxAge)
	d.add(want.Name, "max messages", want.MaxMsgs, have.MaxMsgs)
	d.add(want.Name, "max bytes", want.MaxBytes, have.MaxBytes)
	d.add(want.Name, "max messages per subject", want.MaxMsgsPerSubject, have.MaxMsgsPerSubject)
	d.add(want.Name, "new messages of a full subject refused", want.DiscardNewPerSubject, have.DiscardNewPerSubject)
	if decidesDuplicates(want) {
		d.add(want.Name, "duplicate window", want.Duplicates, have.Duplicates)
	}
	d.add(want.Name, "compression", want.Compression, have.Compression)
	d.add(want.Name, "replicas", want.Replicas, have.Replicas)
	d.add(want.Name, "direct get", want.AllowDirect, have.AllowDirect)
	d.add(want.Name, "atomic batches", want.AllowAtomicPublish, have.AllowAtomicPublish)
	d.add(want.Name, "rollup", want.AllowRollup, have.AllowRollup)
	d.add(want.Name, "schedules", want.AllowMsgSchedules, have.AllowMsgSchedules)
	d.add(want.Name, "message TTL", want.AllowMsgTTL, have.AllowMsgTTL)
	d.add(want.Name, transformField, transform(want.SubjectTransform), transform(have.SubjectTransform))
	d.add(want.Name, "sources", sources(want), sources(have))
	return d
}

// decidesDuplicates reports whether the duplicate window is ours to decide: in a stream
// that copies from none, 0 means the server's own. The streams of stages have that,
// and no message in them has an id.
func decidesDuplicates(want jetstream.StreamConfig) bool {
	return want.Duplicates > 0 || len(want.Sources) > 0
}

func compareBucket(want jetstream.KeyValueConfig, have jetstream.StreamConfig) []Difference {
	var d differences
	d.add(want.Bucket, "history", int64(want.History), have.MaxMsgsPerSubject)
	d.add(want.Bucket, "ttl", want.TTL, have.MaxAge)
	d.add(want.Bucket, "message TTL", want.LimitMarkerTTL > 0, have.AllowMsgTTL)
	d.add(want.Bucket, "storage", want.Storage, have.Storage)
	d.add(want.Bucket, "replicas", want.Replicas, have.Replicas)
	return d
}

type differences []Difference

func (d *differences) add(name, field string, want, have any) {
	if w, h := fmt.Sprint(want), fmt.Sprint(have); w != h {
		*d = append(*d, Difference{Name: name, Field: field, Want: w, Have: h})
	}
}

func transform(t *jetstream.SubjectTransformConfig) string {
	if t == nil {
		return "none"
	}
	return t.Source + " → " + t.Destination
}

// sources describes the streams that a stream copies from, with everything that
// decides what is copied.
func sources(c jetstream.StreamConfig) string {
	if len(c.Sources) == 0 {
		return "none"
	}
	var all []string
	for _, s := range c.Sources {
		line := fmt.Sprintf("%s from %d", s.Name, s.OptStartSeq)
		if s.OptStartTime != nil {
			line += " at " + s.OptStartTime.String()
		}
		if s.FilterSubject != "" {
			line += " only " + s.FilterSubject
		}
		if s.External != nil {
			line += " of " + s.External.APIPrefix
		}
		for _, t := range s.SubjectTransforms {
			line += " " + transform(&t)
		}
		all = append(all, line)
	}
	return strings.Join(sorted(all), ", ")
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}
