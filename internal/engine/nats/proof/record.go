package proof

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Record is what a stage states of a partition's chain: which builds wrote it (AU-12),
// how long its messages are kept and where it begins (AU-42). It is an output of the
// batch that it is in, so the checkpoint of that batch signs it. It is not part of the
// checkpoint because readers refuse a checkpoint with a field that they do not know.
type Record struct {
	Version int `json:"v"` // 1
	// Builds are the builds that wrote what is kept, the one that wrote this record last.
	Builds []BuildSpan `json:"builds"`
	// Age is how long the stage is configured to keep messages, 0 for ever.
	Age time.Duration `json:"age,omitempty"`
	// Begins is where the chain may begin: what is from there on does not age out before
	// the next record is due. Nil: nothing ages out until then.
	Begins *Beginning `json:"begins,omitempty"`
	// Milestones are the checkpoints of the batches with records, within the age. They
	// show of a missing checkpoint how old it was.
	Milestones []Milestone `json:"milestones,omitempty"`
}

// BuildSpan is a build and the first checkpoint that it wrote, 0 for that of the batch
// that the record is in.
type BuildSpan struct {
	From  uint64          `json:"from,omitempty"`
	Build buildinfo.Build `json:"build"`
}

// Beginning binds the first checkpoint of a chain and, by its digest, the one before.
type Beginning struct {
	Sequence uint64    `json:"sequence"`
	Digest   string    `json:"digest"`
	Fence    uint64    `json:"fence"`    // of the one before
	Previous string    `json:"previous"` // digest of the one before
	Time     time.Time `json:"time"`
	// Adopted is true if no record was there before: what is gone before it can have aged
	// out or have been removed.
	Adopted bool `json:"adopted,omitempty"`
}

// Milestone is a checkpoint and when the broker stored it.
type Milestone struct {
	Sequence uint64    `json:"s"`
	Digest   string    `json:"d"`
	Time     time.Time `json:"t"`
}

// recordGroup is the group in the subject of records; no session or run has such an id.
const recordGroup = "~chain"

// RecordSubject returns where a stage puts the records of a partition. They share the
// class of skips, so that streams, credentials and readers of earlier versions permit
// them.
func RecordSubject(stage, partition string) string {
	return "skip." + stage + "." + partition + "." + recordGroup
}

// IsRecord reports whether a subject is that of records.
func IsRecord(subject string) bool {
	return strings.HasPrefix(subject, "skip.") && strings.HasSuffix(subject, "."+recordGroup)
}

// ReadRecord decodes a record, nil for what is not one of a known version.
func ReadRecord(data []byte) *Record {
	r := &Record{}
	if json.Unmarshal(data, r) != nil || r.Version != 1 || len(r.Builds) == 0 {
		return nil
	}
	return r
}

// steps are into how many parts an age is divided: a record is due after each, and what
// is removed too early is found to that precision.
const steps = 128

// Interval returns how often a record is due with an age.
func Interval(age time.Duration) time.Duration { return max(age/steps, shortest) }

// shortest bounds the interval of ages of seconds, which only tests have.
const shortest = 250 * time.Millisecond

// Stored completes a record with the checkpoint that ended its batch.
func (r *Record) Stored(m Milestone) {
	if last := &r.Builds[len(r.Builds)-1]; last.From == 0 {
		last.From = m.Sequence
	}
	if r.Age > 0 {
		r.Milestones = append(slices.Clip(r.Milestones), m)
	}
}

// maxBuilds bounds the builds that a record names.
const maxBuilds = 32

// Next returns the record that follows one, which may be nil.
func (r *Record) Next(build buildinfo.Build, age time.Duration, now time.Time) *Record {
	next := &Record{Version: 1, Age: age}
	if r == nil {
		next.Builds = []BuildSpan{{Build: build}}
		return next
	}
	next.Begins = r.Begins
	next.Builds = slices.Clone(r.Builds)
	if next.Builds[len(next.Builds)-1].Build != build {
		next.Builds = append(next.Builds, BuildSpan{Build: build})
	}
	next.Builds = text.Newest(next.Builds, maxBuilds)
	if age > 0 {
		old := now.Add(-max(age, r.Age) - Interval(age))
		next.Milestones = slices.DeleteFunc(slices.Clone(r.Milestones), func(m Milestone) bool { return m.Time.Before(old) })
	}
	return next
}

// Begin moves the beginning on to a later checkpoint. It returns false, and leaves
// the beginning where it is, if messages are gone before it that have not aged out:
// bound is when messages were stored that had to be kept.
func (r *Record) Begin(at Beginning, bound time.Time) bool {
	after := uint64(0)
	if r.Begins != nil {
		after = r.Begins.Sequence
	}
	if at.Sequence <= after {
		return true
	}
	for _, m := range r.Milestones {
		if m.Sequence >= after && m.Sequence < at.Sequence && m.Time.After(bound) {
			return false
		}
	}
	r.Begins = &at
	for len(r.Builds) > 1 && r.Builds[1].From > 0 && r.Builds[1].From <= at.Sequence {
		r.Builds = r.Builds[1:]
	}
	return true
}
