package chain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Report is the result of a verification.
type Report struct {
	Verified bool           `json:"verified"` // every fault found was acknowledged
	Events   int            `json:"events"`
	Batches  int            `json:"batches"`
	Anchors  AnchorCount    `json:"anchors"`
	Streams  []StreamReport `json:"streams"`
	Findings []Finding      `json:"findings"`
	Limits   []string       `json:"limits"` // what is not proven (AU-4)
	// Purged lists what operators erased (AU-40).
	Purged []Purged `json:"purged,omitempty"`
	// Announced lists the purges of which no tombstone is recorded: nothing is erased.
	Announced []Purged `json:"announced,omitempty"`
	// Unfinished lists batches that a stage could not finish writing and committed again later.
	Unfinished []Unfinished `json:"unfinished,omitempty"`
	// Acknowledged lists the faults that an operator acknowledged: known damage.
	Acknowledged []Acknowledged `json:"acknowledged,omitempty"`

	faults []Finding // all faults, including those that are not listed
}

// AnchorCount counts the anchored heads that were looked up.
type AnchorCount struct {
	Heads  int `json:"heads"`
	Proven int `json:"proven"`
	Aged   int `json:"aged"`            // heads older than what is kept
	Bound  int `json:"bound,omitempty"` // of the aged heads, those that records of the chain name
}

// StreamReport describes the content of a stream.
type StreamReport struct {
	proof.Stream
	Messages   uint64            `json:"messages"`
	Replaced   uint64            `json:"replaced_snapshots"`
	From       time.Time         `json:"from,omitzero"`
	To         time.Time         `json:"to,omitzero"`
	Partitions []PartitionReport `json:"partitions"`
}

// PartitionReport describes the content of one partition of a stream.
type PartitionReport struct {
	Partition int       `json:"partition"`
	Batches   int       `json:"batches"`
	Events    int       `json:"events"`
	From      time.Time `json:"from,omitzero"`
	To        time.Time `json:"to,omitzero"`
	Head      Head      `json:"head"`
	// Begins is the first checkpoint kept, if older ones have aged out.
	Begins uint64 `json:"begins,omitempty"`
	// Beginning is the signed record of that checkpoint (AU-42).
	Beginning *proof.Beginning `json:"beginning,omitempty"`
	Keys      []KeyUse         `json:"keys"`
	// Builds lists the builds that wrote it, as far as they recorded themselves (AU-12).
	Builds []BuildUse `json:"builds,omitempty"`
}

// Head is the last checkpoint of a partition.
type Head struct {
	Stream    events.Stream `json:"stream"`
	Partition int           `json:"partition"`
	Sequence  uint64        `json:"sequence"`
	Digest    string        `json:"digest"` // SHA-256, in hexadecimal
}

func (v *verification) report() *Report {
	faults, known := v.judged()
	r := &Report{
		Findings: listed(faults), Anchors: v.anchored.count, Verified: len(faults) == 0, Purged: v.purged,
		Announced: v.announced, Unfinished: v.left, Acknowledged: known, faults: faults,
	}
	for _, name := range Streams {
		s := v.streams[name]
		out := StreamReport{Stream: s.Stream, Messages: s.messages, Replaced: s.replaced, From: s.begin, To: s.end, Partitions: []PartitionReport{}}
		for number := range v.options.Partitions {
			p := s.partitions[number]
			if p == nil {
				continue
			}
			out.Partitions = append(out.Partitions, PartitionReport{
				Partition: number, Batches: p.batches, Events: p.events, From: p.first, To: p.last, Begins: p.begins, Beginning: p.beginning(), Keys: p.keys.used, Builds: p.builds(),
				Head: Head{Stream: name, Partition: number, Sequence: p.valid, Digest: p.head},
			})
			r.Batches += p.batches
			r.Events += p.events
		}
		r.Streams = append(r.Streams, out)
	}
	r.Limits = v.limits()
	return r
}

// limits lists what the report does not prove.
func (v *verification) limits() (limits []string) {
	for _, name := range Streams {
		s := v.streams[name]
		if len(s.trusted) == 0 {
			limits = append(limits, string(name)+": consistent, not authentic: no key of the "+s.stage+" is trusted, so anybody who can write to the broker's disk can write a chain that verifies (security.trusted_keys)")
		}
		limits = append(limits, s.agedLimits()...)
	}
	if input := v.streams[events.StreamInput]; !input.Missing && input.First > 1 && !v.purgedBefore(events.StreamInput, input.First) {
		limits = append(limits, "INPUT: "+input.inputGone())
	}
	limits = append(limits, v.appliedLimits()...)
	doubted, anchored := v.anchored.limits()
	if limits = append(limits, doubted...); !anchored {
		limits = append(limits, "DECISIONS: without an anchor (--anchor FILE) a removed tail of the last stream, or a restored older history of all streams, does not show")
	}
	return limits
}

// agedLimits lists what is not proven about messages that have aged out.
func (s *stream) agedLimits() (limits []string) {
	aged, unsigned, late := false, false, false
	for _, p := range s.partitions {
		aged, unsigned, late = aged || p.begins > 0, unsigned || p.unsigned, late || p.late
	}
	name := string(s.Name)
	if aged {
		limits = append(limits, name+": older messages have aged out (streams.output_max_age); what they held is proven by anchors and exports alone")
	}
	if unsigned {
		limits = append(limits, name+": no signed beginning: the removal of the oldest messages cannot be distinguished from their ageing out, except by an anchor")
	}
	if late {
		limits = append(limits, name+": messages have aged out since the last beginning was signed, because the stage has not committed since; a removal among these shows only if a record names them")
	}
	return limits
}

// Heads returns the last checkpoints of all partitions.
func (r *Report) Heads() (all []Head) {
	for _, s := range r.Streams {
		for _, p := range s.Partitions {
			if p.Head.Sequence > 0 {
				all = append(all, p.Head)
			}
		}
	}
	return all
}

// inputGone explains what the missing beginning of INPUT means. Removed messages can be distinguished from
// aged ones only while the stream is younger than its maximum age.
func (s *stream) inputGone() string {
	if s.canAge() {
		return "messages before " + clock(s.Now.Add(-s.MaxAge)) + " have aged out: what ingest derived from them can no longer be replayed, but its outputs are bound by the chain"
	}
	return fmt.Sprintf("the messages before %d are gone, although the stream is younger than its age (%s): they were removed, or its age was shorter; `scaffoldwatch replay --stage ingest` names the events whose input is missing", s.First, s.MaxAge)
}

// BuildUse is the part of a partition, or of a stream, that one build wrote (AU-12).
type BuildUse struct {
	Build buildinfo.Build `json:"build"`
	First uint64          `json:"first"` // first checkpoint
	Last  uint64          `json:"last"`
}

// builds returns which builds wrote a partition, according to its newest record.
func (p *partition) builds() (all []BuildUse) {
	if p.record == nil {
		return nil
	}
	for i, b := range p.record.Builds {
		last := p.valid
		if i+1 < len(p.record.Builds) {
			last = p.record.Builds[i+1].From - 1
		}
		all = append(all, BuildUse{Build: b.Build, First: b.From, Last: last})
	}
	return all
}

// Builds returns which builds wrote the stream, in the order in which they started.
func (s StreamReport) Builds() (all []BuildUse) {
	for _, p := range s.Partitions {
		for _, use := range p.Builds {
			i := slices.IndexFunc(all, func(known BuildUse) bool { return known.Build == use.Build })
			if i < 0 {
				all = append(all, use)
				continue
			}
			all[i].First, all[i].Last = min(all[i].First, use.First), max(all[i].Last, use.Last)
		}
	}
	slices.SortStableFunc(all, func(a, b BuildUse) int { return cmp.Compare(a.First, b.First) })
	return all
}

// buildText writes which builds wrote a stream.
func (s StreamReport) buildText(b *strings.Builder) {
	var spans []string
	for _, use := range s.Builds() {
		spans = append(spans, fmt.Sprintf("%s from %d to %d", use.Build, use.First, use.Last))
	}
	if len(spans) > 0 {
		fmt.Fprintf(b, "%-9s  written by %s\n", s.Name, strings.Join(spans, ", "))
	}
}

// beginText writes where a stream begins if older messages have aged out.
func (s StreamReport) beginText(b *strings.Builder) {
	begun, first, last := 0, uint64(0), uint64(0)
	for _, p := range s.Partitions {
		if p.Beginning == nil || p.Begins == 0 {
			continue
		}
		if begun++; first == 0 || p.Begins < first {
			first = p.Begins
		}
		last = max(last, p.Begins)
	}
	if begun > 0 {
		fmt.Fprintf(b, "%-9s  has a signed beginning in %s, at %d to %d: what preceded it has aged out\n", s.Name, text.Count(begun, "partition"), first, last)
	}
}

// beginning returns the signed beginning of a partition from which messages aged out.
func (p *partition) beginning() *proof.Beginning {
	if p.record == nil || p.begins == 0 {
		return nil
	}
	return p.record.Begins
}
