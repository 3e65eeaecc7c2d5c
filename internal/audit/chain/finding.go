package chain

import "fmt"

// Kind names what a finding is.
type Kind string

// Kinds of findings.
const (
	EditedEvent      Kind = "edited event"
	ErasedEvent      Kind = "erased event"
	MovedEvent       Kind = "moved event"
	ForgedEvent      Kind = "forged event" // in no batch
	WrongType        Kind = "wrong type"
	WrongPartition   Kind = "wrong partition"
	EditedCheckpoint Kind = "edited checkpoint"
	ForgedCheckpoint Kind = "forged checkpoint"
	CopiedCheckpoint Kind = "copied checkpoint"
	MovedBatch       Kind = "moved batch"
	DroppedBatch     Kind = "dropped batch"
	Renumbered       Kind = "renumbered stream"
	Gap              Kind = "gap"
	HeadCut          Kind = "head cut"
	TailCut          Kind = "tail cut"
	PartitionGone    Kind = "partition gone"
	StreamGone       Kind = "stream gone"
	Recreated        Kind = "recreated stream"
	Restored         Kind = "older history"
	Rewritten        Kind = "rewritten history"
	WentBack         Kind = "position went back"
	ReplacedKey      Kind = "replaced key"
	RevokedKey       Kind = "revoked key"
	UnrecordedKey    Kind = "unrecorded key"
	WrongBeginning   Kind = "wrong beginning" // a record names another history than is kept
	ForeignFile      Kind = "foreign file"    // in the directory of a backup
)

// WholeStream is the partition of a finding about a whole stream.
const WholeStream = -1

// Finding is one fault with its place.
type Finding struct {
	Kind      Kind   `json:"kind"`
	File      string `json:"file,omitempty"` // instead of a stream
	Stream    string `json:"stream"`
	Partition int    `json:"partition"`          // WholeStream: all
	Sequence  uint64 `json:"sequence,omitempty"` // in the stream
	Through   uint64 `json:"through,omitempty"`  // last sequence, if it is about several
	What      string `json:"what"`
	Expected  string `json:"expected,omitempty"`
	Found     string `json:"found,omitempty"`
	// More counts further findings of the kind in this partition that are not listed.
	More int `json:"more,omitempty"`
}

// Place returns the stream, partition and sequence.
func (f Finding) Place() string {
	if f.File != "" {
		return f.File
	}
	place := f.Stream
	if f.Partition != WholeStream {
		place += fmt.Sprintf(" partition %d", f.Partition)
	}
	if f.Sequence > 0 {
		place += fmt.Sprintf(" sequence %d", f.Sequence)
	}
	if f.Through > f.Sequence {
		place += fmt.Sprintf("–%d", f.Through)
	}
	return place
}

// String returns the finding on one line.
func (f Finding) String() string {
	line := fmt.Sprintf("%s: %s: %s", f.Place(), f.Kind, f.What)
	switch {
	case f.Expected != "" && f.Found != "":
		line += fmt.Sprintf(" (expected %s, found %s)", f.Expected, f.Found)
	case f.Found != "":
		line += " (" + f.Found + ")"
	}
	if f.More > 0 {
		line += fmt.Sprintf("; and %d more", f.More)
	}
	return line
}

// maxListed is how many findings of one kind are listed for a partition.
const maxListed = 20

// findings collects findings; of many of one kind in one partition it lists the first.
type findings struct {
	list []Finding
	of   map[finder]int // how many there are
	last map[finder]int // index of the last listed
}

type finder struct {
	stream    string
	partition int
	kind      Kind
}

func (f *findings) add(found Finding) {
	if f.of == nil {
		f.of, f.last = map[finder]int{}, map[finder]int{}
	}
	key := finder{found.Stream, found.Partition, found.Kind}
	f.of[key]++
	if f.of[key] > maxListed {
		f.list[f.last[key]].More++
		return
	}
	f.last[key] = len(f.list)
	f.list = append(f.list, found)
}
