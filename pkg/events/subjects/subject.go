package subjects

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
)

// SubjectKind is the use of a subject (EV-4).
type SubjectKind string

// Subject kinds.
const (
	KindPublished  SubjectKind = "published"  // turn.raw.<group>.<id>, before the stream inserts the partition
	KindStored     SubjectKind = "stored"     // turn.raw.<p>.<group>.<id>, in the type's own stream
	KindForwarded  SubjectKind = "forwarded"  // segments.turn.raw.<p>.<group>.<id>, in a later stream
	KindCheckpoint SubjectKind = "checkpoint" // ckpt.<stage>.<p>
	KindSnapshot   SubjectKind = "snapshot"   // snap.<stage>.<p>.<group>
	KindDeadLetter SubjectKind = "dead"       // dead.<stage>.<p>.<group>.<id>
)

// Subject is a parsed NATS subject of the pipeline. Kind determines which parts are set.
// Class is the first two tokens of a type's subjects: the type's own name, or a class
// that several types share.
type Subject struct {
	Kind      SubjectKind
	Stream    events.Stream // of a stored or forwarded subject
	Class     string
	Stage     string
	Partition int
	Group     string
	ID        string
}

// String returns the subject as NATS writes it.
func (s Subject) String() string {
	p := strconv.Itoa(s.Partition)
	switch s.Kind {
	case KindPublished:
		return s.Class + "." + s.Group + "." + s.ID
	case KindForwarded:
		return streamPrefix(s.Stream) + "." + s.Class + "." + p + "." + s.Group + "." + s.ID
	case KindCheckpoint:
		return "ckpt." + s.Stage + "." + p
	case KindSnapshot:
		return "snap." + s.Stage + "." + p + "." + s.Group
	case KindDeadLetter:
		return "dead." + s.Stage + "." + p + "." + s.Group + "." + s.ID
	default:
		return s.Class + "." + p + "." + s.Group + "." + s.ID
	}
}

func streamPrefix(s events.Stream) string { return strings.ToLower(string(s)) }

// PublishedSubject returns the subject to which a publisher sends an input event; the
// stream's subject
// transform then inserts the partition (EV-4). It fails for types other than input and
// for ids that
// cannot be part of a subject.
//
// A run event that requires the infrastructure's or the operator's role, but whose
// actor claims neither, goes to run.raw as a claim: sending it with a more
// powerful credential must not prove what nobody claimed (EV-10).
func PublishedSubject(e events.Event) (string, error) {
	d, err := events.Describe(e.Type)
	if err != nil {
		return "", err
	}
	if d.Direction != events.DirectionInput {
		return "", &invalid.Error{Code: invalid.BadValue, Field: "type", Problem: fmt.Sprintf("%s is derived by %s, it cannot be published", e.Type, d.Role)}
	}
	if err := e.CheckRouting(); err != nil {
		return "", err
	}
	return Subject{Kind: KindPublished, Class: publishedClass(d, e), Group: e.Group(), ID: e.Subject}.String(), nil
}

func publishedClass(d events.Descriptor, e events.Event) string {
	if d.RunEvent && ProvenRole(e.Type, d.SubjectClass) != events.ClaimedRole(e) {
		return events.ClassRunRaw
	}
	return d.SubjectClass
}

// StoredSubject returns the subject of an event in a stream with n partitions: under its
// class in its own stream, under the stream's prefix in a stream it was forwarded to
// (JetStream streams cannot share subjects).
func StoredSubject(in events.Stream, e events.Event, n int) (string, error) {
	d, err := events.Describe(e.Type)
	if err != nil {
		return "", err
	}
	if err := e.CheckRouting(); err != nil {
		return "", err
	}
	s := Subject{Kind: KindStored, Stream: in, Class: d.SubjectClass, Partition: Partition(e.Group(), n), Group: e.Group(), ID: e.Subject}
	if d.Stream != in {
		if !forwards(in) {
			return "", &invalid.Error{Code: invalid.BadSubject, Field: "type", Problem: fmt.Sprintf("%s has no place in stream %s", e.Type, in)}
		}
		s.Kind = KindForwarded
	}
	return s.String(), nil
}

func forwards(in events.Stream) bool {
	return in == events.StreamSegments || in == events.StreamSignals || in == events.StreamDecisions
}

// CheckpointSubject returns the subject of a stage's checkpoint of a partition.
func CheckpointSubject(stage string, partition int) string {
	return Subject{Kind: KindCheckpoint, Stage: stage, Partition: partition}.String()
}

// SnapshotSubject returns the subject of a stage's snapshot of a group's state.
func SnapshotSubject(stage string, partition int, group string) string {
	return Subject{Kind: KindSnapshot, Stage: stage, Partition: partition, Group: group}.String()
}

// DeadLetterSubject returns the subject for input that a stage refuses. Group and id may be
// hostile: parts that are not valid in a subject are replaced by their hash.
func DeadLetterSubject(stage string, partition int, group, id string) string {
	return Subject{Kind: KindDeadLetter, Stage: stage, Partition: partition, Group: safeToken(group), ID: safeToken(id)}.String()
}

func safeToken(s string) string {
	if events.ValidID(s) {
		return s
	}
	return "invalid-" + events.HashID("token", s)
}

// DefaultPartitions is the default number of partitions; the number is fixed when the streams are
// created (EV-4).
const DefaultPartitions = 16

// Partition returns the partition of a group among n, the same that nats-server's
// {{partition(n,3)}} computes for the group's token (EV-4). n < 1 counts as 1.
func Partition(group string, n int) int {
	if n < 1 {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(group))
	return int(h.Sum32() % uint32(n))
}
