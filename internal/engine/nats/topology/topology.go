// Package topology describes the streams and buckets that a broker must hold, as
// data, and compares a broker with that: [Provision] creates what is missing,
// [Check] changes nothing, [AddSubjects] upgrades the streams of an earlier
// version.
package topology

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// KV buckets beside the streams.
const (
	BucketControl   = "CONTROL"   // run and session → state (EV-8)
	BucketMembers   = "MEMBERS"   // heartbeats of instances
	BucketPositions = "POSITIONS" // how far keepers have read
	BucketRules     = "RULES"     // configuration hash → rules and configuration (AU-12)
)

// expiredAge is how long TIMERS keeps expired timers. INPUT has copied them long
// before, unless it could not be reached.
const expiredAge = 24 * time.Hour

// ControlMarkAge is how long CONTROL remembers that a key was removed: longer than
// a watcher that resumes where it was is away.
const ControlMarkAge = time.Hour

// Topology is what the broker must hold. The zero value is the default.
type Topology struct {
	Partitions int           // 16; fixed once the streams exist (EV-4)
	Replicas   int           // 1
	InputAge   time.Duration // 24 h, of INPUT (EV-5)
	// Ages of other streams by name; what is not named is kept forever.
	Ages map[events.Stream]time.Duration
	// Bytes are the sizes at which streams accept no more; what is not named, or 0,
	// has no limit. DEADLETTER removes its oldest letters instead.
	Bytes map[events.Stream]int64
	// InputQuota is how many messages of one type INPUT holds of one session or run
	// before it accepts no more of them, 0: no limit.
	InputQuota int64
	// Intakes bound accounts of publishers.
	Intakes []Intake
	Beat    time.Duration // between heartbeats, 3 s; they are forgotten after three
}

// WithDefaults returns t with the defaults of what is not set.
func (t Topology) WithDefaults() Topology {
	if t.Partitions == 0 {
		t.Partitions = subjects.DefaultPartitions
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

// Streams returns the stream configurations, in the order of the pipeline; a
// stream comes after what it copies from.
func (t Topology) Streams() []jetstream.StreamConfig {
	t = t.WithDefaults()
	var all []jetstream.StreamConfig
	for _, i := range t.Intakes {
		all = append(all, t.intake(i))
	}
	return append(
		all, t.timers(), t.input(), t.derived(events.StreamSegments), t.derived(events.StreamSignals), t.derived(events.StreamDecisions),
		t.stream(events.StreamDeadLetter, subjects.StreamSubjects(events.StreamDeadLetter)),
	)
}

// Buckets returns the KV configurations.
func (t Topology) Buckets() []jetstream.KeyValueConfig {
	t = t.WithDefaults()
	return []jetstream.KeyValueConfig{
		{Bucket: BucketControl, Description: "states of runs and sessions, a projection of DECISIONS (EV-8)", History: 1, LimitMarkerTTL: ControlMarkAge, Storage: jetstream.FileStorage, Replicas: t.Replicas},
		{Bucket: BucketMembers, Description: "heartbeats of instances", History: 1, TTL: max(3*t.Beat, time.Second), Storage: jetstream.MemoryStorage, Replicas: t.Replicas},
		{Bucket: BucketPositions, Description: "positions of keepers", History: 1, Storage: jetstream.FileStorage, Replicas: t.Replicas},
		{Bucket: BucketRules, Description: "what each configuration hash names (AU-12)", History: 1, Storage: jetstream.FileStorage, Replicas: t.Replicas},
	}
}

// Names returns the names of the streams of a topology, those of its buckets included.
func Names(t Topology) []string {
	var names []string
	for _, c := range t.Streams() {
		names = append(names, c.Name)
	}
	for _, c := range t.Buckets() {
		names = append(names, "KV_"+c.Bucket)
	}
	return names
}

// timers is the stream in which scheduled messages wait (EV-9). It is not INPUT: a
// client that may write to a stream with schedules can make the broker write to
// each of its subjects and, by a roll-up, empty it (EV-10).
func (t Topology) timers() jetstream.StreamConfig {
	c := t.stream(events.StreamTimers, subjects.StreamSubjects(events.StreamTimers))
	c.MaxAge = expiredAge
	c.AllowMsgSchedules = true
	c.AllowMsgTTL = true // a timer may wait longer than the stream's age
	c.AllowRollup = true // a timer set again replaces itself
	return c
}

// input is the stream of everything that comes in. It inserts the partition
// into the subject (EV-4) and copies expired timers from TIMERS (EV-9).
// It obeys no header that could write or remove another message (EV-10), nor one
// that could keep another out: it has no duplicate window. Message ids are chosen by
// senders, and a window is shared by all subjects and accounts, so whoever knew an id
// in advance could have the broker acknowledge an event of somebody else without
// storing it. Ingest recognises what is repeated (SW-1a).
func (t Topology) input() jetstream.StreamConfig {
	c := t.stream(events.StreamInput, subjects.StreamSubjects(events.StreamInput))
	c.MaxAge = t.InputAge
	c.Compression = t.compression()
	if t.InputQuota > 0 {
		c.MaxMsgsPerSubject, c.Discard, c.DiscardNewPerSubject = t.InputQuota, jetstream.DiscardNew, true
	}
	c.SubjectTransform = t.Transform(events.StreamInput)
	c.Sources = []*jetstream.StreamSource{t.Source(string(events.StreamTimers))}
	for _, i := range t.Intakes {
		c.Sources = append(c.Sources, t.Source(i.Stream()))
	}
	return c
}

// Transform is how a stream changes the subjects of what it takes, nil for one that does not.
func (t Topology) Transform(stream events.Stream) *jetstream.SubjectTransformConfig {
	if stream != events.StreamInput {
		return nil
	}
	return &jetstream.SubjectTransformConfig{
		Source:      "*.*.*.*",
		Destination: fmt.Sprintf("{{wildcard(1)}}.{{wildcard(2)}}.{{partition(%d,3)}}.{{wildcard(3)}}.{{wildcard(4)}}", t.Partitions),
	}
}

// Source is how INPUT copies from a stream, nil for one that it copies nothing from.
func (t Topology) Source(stream string) *jetstream.StreamSource {
	account, intake := strings.CutPrefix(stream, intakePrefix)
	switch {
	case intake:
		return t.copied(Intake{Account: account})
	case stream != string(events.StreamTimers):
		return nil
	}
	return &jetstream.StreamSource{
		Name: stream,
		// An INPUT that no longer holds a timer would continue from the time of its
		// last message and miss earlier ones; a repeated one is known by its id.
		OptStartSeq: 1,
		SubjectTransforms: []jetstream.SubjectTransformConfig{{
			Source:      string(events.TypeTimerExpired) + ".*.*",
			Destination: fmt.Sprintf("%s.{{partition(%d,1)}}.{{wildcard(1)}}.{{wildcard(2)}}", events.TypeTimerExpired, t.Partitions),
		}},
	}
}

// derived is the stream that one stage writes in atomic batches.
func (t Topology) derived(name events.Stream) jetstream.StreamConfig {
	c := t.stream(name, append(subjects.StreamSubjects(name), "skip."+subjects.StageOf(name)+".>"))
	c.AllowAtomicPublish = true
	c.AllowRollup = true               // snapshots
	c.AllowMsgTTL = true               // ingest's snapshots outlive the stream's age
	if name == events.StreamSegments { // like INPUT mostly text; of the others single messages are read
		c.Compression = t.compression()
	}
	return c
}

func (t Topology) stream(name events.Stream, subjects []string) jetstream.StreamConfig {
	bytes, discard := int64(-1), jetstream.DiscardOld
	if limit := t.Bytes[name]; limit > 0 {
		bytes = limit
		if name != events.StreamDeadLetter {
			discard = jetstream.DiscardNew
		}
	}
	return jetstream.StreamConfig{
		Name: string(name), Subjects: subjects, Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy,
		Discard: discard, MaxBytes: bytes, MaxMsgs: -1, MaxMsgsPerSubject: -1, MaxAge: t.Ages[name], Replicas: t.Replicas,
		// A replica that lags may answer a direct get, and a state rebuilt from
		// stale answers would be wrong: with replicas only the leader answers.
		AllowDirect: t.Replicas == 1,
	}
}
