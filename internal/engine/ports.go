package engine

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// ErrFenced is what Commit returns (wrapped) when another owner of the
// partition committed first. Nothing was written.
var ErrFenced = errors.New("another owner committed first")

// Position is how far a partition of the source has been consumed.
type Position struct {
	// Sequence is the source sequence of the last input consumed; 0: none.
	Sequence uint64 `json:"sequence"`
	// Anchor and Head are the sequence and digest of the last checkpoint of the
	// source that was consumed wholly: where acceptance resumes (EV-6), and the
	// anchor of the source's chain outside of it (EV-7). Empty for INPUT.
	Anchor uint64 `json:"anchor,omitempty"`
	Head   string `json:"head,omitempty"`
}

// Record is one message of the source.
type Record struct {
	// Position is the reader's once this record is consumed.
	Position Position
	Stream   string // where it was read
	Group    string // from its subject (EV-4)
	Input    step.Input
	// Fault says why the message cannot be folded (undecodable, unknown type …);
	// Input is then as far as it was understood.
	Fault string
	// Refused is what can be reported of an input with a Fault: its envelope, with
	// the subject and group of its message. Nil: nothing.
	Refused *step.Input
	// Skip is the recorded reason for which a replay skips the record.
	Skip string
	// Data is what was received, for a dead letter to describe.
	Data []byte
	// Idle is true if the record carries a new position only.
	Idle bool
}

// Source is the stream a stage reads.
type Source interface {
	// Read starts an ordered read of a partition after a position.
	Read(ctx context.Context, partition int, from Position) (Reading, error)
	// Tail yields the records of a group with after < sequence ≤ through.
	Tail(ctx context.Context, partition int, group string, after, through uint64) iter.Seq2[Record, error]
	// Options returns what the source can do besides.
	Options() SourceOptions
}

// SourceOptions are what a source can do beyond its interface.
type SourceOptions struct {
	// Groups returns the groups of the records of a partition with after < sequence ≤ through,
	// each with where they are, and the oldest sequence that the source still holds: after a
	// restart it is known by them which groups have inputs after their snapshot. Nil: it is not
	// known, and no list of unsaved groups is kept.
	Groups func(ctx context.Context, partition int, after, through uint64) (spans map[string]Span, oldest uint64, err error)
	// Age is the time after which the source can lose a record, 0 for never.
	Age time.Duration
}

// Reading is an ordered read of one partition, used by one goroutine.
type Reading interface {
	// Next waits for a record. A recorded source ends with io.EOF.
	Next(ctx context.Context) (Record, error)
	// Ready is Next without waiting; it returns false when nothing is at hand.
	Ready() (Record, bool, error)
	Close()
}

// Sink is the stream a stage writes.
type Sink interface {
	// Open reads the last valid checkpoint of a partition.
	Open(ctx context.Context, partition int) (Log, error)
}

// Log writes one partition of the sink for one owner. It is used by one goroutine.
type Log interface {
	// Position returns that of the last checkpoint.
	Position() Position
	// Encode returns the message of an event that was derived in group. An error
	// means that the event can never be written: too large, or malformed.
	Encode(group string, ev events.Event) (Message, error)
	// Commit writes a batch and the checkpoint, all or nothing. After an error
	// the log must not be used again; see ErrFenced.
	Commit(ctx context.Context, batch Batch) error
	// Snapshot returns the latest committed one of a group, nil if there is none.
	Snapshot(ctx context.Context, group string) (*Snapshot, error)
	// Skipped returns the reasons of a group's committed skips by source sequence.
	Skipped(ctx context.Context, group string) (map[uint64]string, error)
	// DeadLetter stores the letter of a skipped input. It is idempotent and
	// precedes the commit that skips it.
	DeadLetter(ctx context.Context, letter DeadLetter) error
	// Options returns what the log can do besides, and its limits as they are now.
	Options() LogOptions
}

// LogOptions are what a log can do beyond its interface.
type LogOptions struct {
	// MaxSnapshot is how many bytes of data a snapshot can have, 0: any number. A state that is
	// larger is rebuilt from the source.
	MaxSnapshot int
	// Refresh commits what is due without input, because what the log states of its chain ages,
	// or because the owner leaves. After an error the log must not be used again. Nil: nothing
	// is ever due.
	Refresh func(ctx context.Context, leaving bool) error
	// Uncovered returns those of the groups, and of all with outputs after the latest snapshot
	// of mark, that have no snapshot after it and after their outputs. Nil: no group is given up.
	Uncovered func(ctx context.Context, mark string, groups []string) ([]string, error)
}

// Message is an encoded event.
type Message struct {
	Subject string
	Header  map[string][]string
	Data    []byte
}

// Size returns about how many bytes the message has.
func (m Message) Size() int {
	size := len(m.Subject) + len(m.Data)
	for name, values := range m.Header {
		for _, value := range values {
			size += len(name) + len(value) + 4
		}
	}
	return size
}

// Batch is what one commit writes besides its checkpoint.
type Batch struct {
	Position  Position // of the last input folded
	Messages  []Message
	Skips     []Skip
	Snapshots []Snapshot
}

// Skip records that an input was skipped, so that a rebuilt state equals the one
// it replaces.
type Skip struct {
	Group    string `json:"group"`
	Sequence uint64 `json:"sequence"` // in the source
	Reason   string `json:"reason"`
}

// Snapshot is a state's stored form.
type Snapshot struct {
	Group    string
	Version  int    // of the state's schema (EV-11)
	Sequence uint64 // last source sequence it covers
	Folded   int    // inputs folded into it so far
	Data     []byte // zstd of Machine.Encode
	// Keep says that the snapshot must outlive the age of the stream: what it covers
	// is needed as long as the group can get inputs.
	Keep bool
}

// DeadLetter describes a skipped input. It holds the input's data only if the
// machine offers a redacted form (SW-7).
type DeadLetter struct {
	Stage     string      `json:"stage"`
	Partition int         `json:"partition"`
	Group     string      `json:"group"`
	Stream    string      `json:"stream"`
	Sequence  uint64      `json:"sequence"`
	Reason    string      `json:"reason"`
	Type      events.Type `json:"type,omitempty"`
	ID        string      `json:"id,omitempty"`
	Source    string      `json:"source,omitempty"`
	Subject   string      `json:"subject,omitempty"`
	Arrived   time.Time   `json:"arrived,omitzero"`
	Hash      string      `json:"hash"`   // SHA-256 of the data, hex
	Length    int         `json:"length"` // bytes
	Redacted  []byte      `json:"redacted,omitempty"`
}
