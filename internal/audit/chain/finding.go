package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Kind is the kind of a finding.
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
	WrongBeginning   Kind = "wrong beginning" // a record names another history than the one kept
	ForeignFile      Kind = "foreign file"    // in the directory of a backup
	LetterGone       Kind = "dead letter gone"
	RulesGone        Kind = "rules gone"   // the bucket RULES no longer holds what events name
	RulesEdited      Kind = "edited rules" // an entry does not match its key
)

// WholeStream is the partition of a finding about a whole stream.
const WholeStream = -1

// Finding is one fault with its place.
type Finding struct {
	Kind      Kind   `json:"kind"`
	File      string `json:"file,omitempty"` // for a finding in a file instead of a stream
	Stream    string `json:"stream"`
	Partition int    `json:"partition"`          // WholeStream for all
	Sequence  uint64 `json:"sequence,omitempty"` // in the stream
	Through   uint64 `json:"through,omitempty"`  // last sequence, if the finding is about several
	What      string `json:"what"`
	Expected  string `json:"expected,omitempty"`
	Found     string `json:"found,omitempty"`
	// Digest is the SHA-256 (hex) of the message concerned, or of the other places that show the same
	// fault; empty without any.
	Digest string `json:"digest,omitempty"`
	// More counts further findings of this kind in the partition that are not listed.
	More int `json:"more,omitempty"`

	parts []Finding // the single places of a combined finding, which can be acknowledged separately
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

// Mark identifies the fault with everything that shows it, so that an acknowledgement covers this fault and
// no later one in the same place. It does not depend on the wording.
func (f Finding) Mark() string {
	what := f
	what.What = ""
	data, err := json.Marshal(what)
	if err != nil {
		return "" // has no such fields
	}
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:])
}

// also adds another place that shows the same fault to the digest.
func (f *Finding) also(place string) {
	digest := sha256.Sum256([]byte(f.Digest + "\n" + place))
	f.Digest = hex.EncodeToString(digest[:])
}

// Of many findings of one kind in a partition, only the first are listed; more are kept so that they can be
// acknowledged.
const (
	maxListed = 20
	maxKept   = 10000
)

// findings collects findings.
type findings struct {
	list []Finding
	of   map[finder]int // number of findings
	last map[finder]int // index of the last one kept
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
	key := found.key()
	f.of[key]++
	if f.of[key] > maxKept {
		f.list[f.last[key]].More++
		return
	}
	f.last[key] = len(f.list)
	f.list = append(f.list, found)
}

func (f Finding) key() finder { return finder{f.Stream, f.Partition, f.Kind} }

// listed returns the first findings of each kind in each partition; the last one counts the rest.
func listed(all []Finding) []Finding {
	short, of, last := []Finding{}, map[finder]int{}, map[finder]int{}
	for _, f := range all {
		key := f.key()
		if of[key]++; of[key] > maxListed {
			short[last[key]].More += 1 + f.More
			continue
		}
		last[key] = len(short)
		short = append(short, f)
	}
	return short
}
