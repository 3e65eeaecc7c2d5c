package natsio

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// KV buckets beside the streams.
const (
	BucketControl   = "CONTROL"   // run and session → state (EV-8)
	BucketMembers   = "MEMBERS"   // heartbeats of instances
	BucketPositions = "POSITIONS" // how far keepers have read
)

// timerClass begins the subjects of scheduled messages in INPUT:
// timer.at.<stage>.<group>.<id>.<name>. With six tokens they can neither be
// taken for an event nor be moved by the stream's transform.
const timerClass = "timer.at"

// Topology is what the broker must hold, as data. The zero value is the default.
type Topology struct {
	Partitions int           // 16; fixed once the streams exist (EV-4)
	Replicas   int           // 1
	InputAge   time.Duration // 24 h, of INPUT (EV-5)
	// Ages of other streams by name; what is not named is kept forever.
	Ages map[events.Stream]time.Duration
	Beat time.Duration // between heartbeats, 3 s; they are forgotten after three
}

func (t Topology) withDefaults() Topology {
	if t.Partitions == 0 {
		t.Partitions = events.DefaultPartitions
	}
	if t.Replicas == 0 {
		t.Replicas = 1
	}
	if t.InputAge == 0 {
		t.InputAge = 24 * time.Hour
	}
	if t.Beat == 0 {
		t.Beat = 3 * time.Second
	}
	return t
}

// Streams are the stream configurations, in the order of the pipeline.
func (t Topology) Streams() []jetstream.StreamConfig {
	t = t.withDefaults()
	return []jetstream.StreamConfig{
		t.input(), t.derived(events.StreamSegments), t.derived(events.StreamSignals), t.derived(events.StreamDecisions),
		t.stream(events.StreamDeadLetter, events.StreamSubjects(events.StreamDeadLetter)),
	}
}

// Buckets are the KV configurations.
func (t Topology) Buckets() []jetstream.KeyValueConfig {
	t = t.withDefaults()
	return []jetstream.KeyValueConfig{
		{Bucket: BucketControl, Description: "states of runs and sessions, a projection of DECISIONS (EV-8)", History: 1, Storage: jetstream.FileStorage, Replicas: t.Replicas},
		{Bucket: BucketMembers, Description: "heartbeats of instances", History: 1, TTL: max(3*t.Beat, time.Second), Storage: jetstream.MemoryStorage, Replicas: t.Replicas},
		{Bucket: BucketPositions, Description: "positions of keepers", History: 1, Storage: jetstream.FileStorage, Replicas: t.Replicas},
	}
}

// input is the stream of everything that comes in. It inserts the partition
// into the subject (EV-4) and schedules timers (EV-9).
func (t Topology) input() jetstream.StreamConfig {
	c := t.stream(events.StreamInput, append(events.StreamSubjects(events.StreamInput), timerClass+".*.*.*.*"))
	c.MaxAge = t.InputAge
	c.AllowMsgSchedules = true
	c.AllowMsgTTL = true // a timer may lie longer than an event does
	c.AllowRollup = true // a timer set again replaces itself
	c.Duplicates = min(2*time.Minute, t.InputAge)
	c.SubjectTransform = &jetstream.SubjectTransformConfig{
		Source:      "*.*.*.*",
		Destination: fmt.Sprintf("{{wildcard(1)}}.{{wildcard(2)}}.{{partition(%d,3)}}.{{wildcard(3)}}.{{wildcard(4)}}", t.Partitions),
	}
	return c
}

// derived is the stream that one stage writes in atomic batches.
func (t Topology) derived(name events.Stream) jetstream.StreamConfig {
	c := t.stream(name, append(events.StreamSubjects(name), "skip."+events.StageOf(name)+".>"))
	c.AllowAtomicPublish = true
	c.AllowRollup = true // snapshots
	return c
}

func (t Topology) stream(name events.Stream, subjects []string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: string(name), Subjects: subjects, Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy,
		Discard: jetstream.DiscardOld, MaxAge: t.Ages[name], Replicas: t.Replicas,
		// A replica that lags may answer a direct get, and a state rebuilt from
		// stale answers would be wrong: with replicas only the leader is asked.
		AllowDirect: t.Replicas == 1,
	}
}
