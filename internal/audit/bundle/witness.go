package bundle

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Times in a bundle, and the claim that no key was replaced after the last record in it, are only the word
// of the bundle's maker. Another key has to prove them: with an anchor, or with a checkpoint that names the
// earlier ones (ADR 14).

// use is what one key signed in a partition here.
type use struct {
	key         string
	line        int // line of the first signature
	first, last uint64
	batches     int
}

// uses maps each key to its use of one partition.
type uses map[string]*use

func (u uses) add(key string, line int, sequence uint64) {
	if u[key] == nil {
		u[key] = &use{key: key, line: line, first: sequence}
	}
	u[key].last = sequence
	u[key].batches++
}

// head is a checkpoint in this part of the chain.
type head struct {
	digest string
	key    string
	stored time.Time
	source uint64 // checkpoint of the previous stage's stream that it names, if it is here
}

// place is a partition of a stream.
type place struct {
	stream    events.Stream
	partition int
}

// doubts judges what each key signed, once everything was read.
func (v *verification) doubts() {
	if len(v.records) == 0 {
		v.report.NotProven = append(v.report.NotProven, "that no key had been replaced before: an earlier build made the bundle, without records of keys")
	}
	said := map[string]int{} // batches
	for _, stream := range Streams {
		for _, partition := range slices.Sorted(maps.Keys(v.uses[stream])) {
			of := v.uses[stream][partition]
			for _, key := range slices.Sorted(maps.Keys(of)) {
				if line := v.doubt(place{stream, partition}, key, of[key]); line != "" {
					said[line] += of[key].batches
				}
			}
		}
	}
	for _, line := range slices.Sorted(maps.Keys(said)) {
		v.report.NotProven = append(v.report.NotProven, fmt.Sprintf(line, said[line]))
	}
}

// doubt returns what is not proven about a key's signatures, worded for the number of batches. It is a
// fault if only the revoked key itself vouches for them.
func (v *verification) doubt(at place, key string, of *use) string {
	since, revoked := v.options.Keys.Revoked[key]
	signer := v.report.SignedBy
	if signer == key {
		signer = ""
	}
	switch {
	case revoked && v.anchored(at, key, of.last, since):
	case revoked && signer == "" && v.signedOn(at, key) < of.last:
		v.fault(&Fault{File: fileOf(at.stream), Line: of.line, Sequence: of.first, What: fmt.Sprintf("%s: %s", chain.RevokedKey, chain.Doubt(key, since))})
	case revoked:
		return fmt.Sprintf("%s: that %s signed before it was revoked at %s (batches: %%d): the times are vouched for only by %s; an earlier anchor by another key would prove them",
			at.stream, key, since.UTC().Format(time.RFC3339), whose(signer))
	case signer == "" && v.replaceable(at, key, of) && !v.anchored(at, key, of.last, time.Time{}) && v.signedOn(at, key) < of.last:
		return fmt.Sprintf("%s: that %s had not been replaced when it signed (batches: %%d): its holder could have made them later; the signature of the manifest or an anchor by another key would prove it", at.stream, key)
	}
	return ""
}

func whose(signer string) string {
	if signer == "" {
		return "the maker of the bundle"
	}
	return signer
}

// replaceable reports whether a key may have been replaced: a record after its signatures here says so, or
// the stage has another trusted key that no record places before it.
func (v *verification) replaceable(at place, key string, of *use) bool {
	var all records
	for _, known := range v.records[at.stream] {
		all = append(all, known...)
	}
	earlier := map[string]bool{key: true}
	for range all { // a chain of keys cannot be longer than its records
		for _, r := range all {
			if r.key == key && r.sequence > of.last {
				return true
			}
			earlier[r.key] = earlier[r.key] || earlier[r.successor]
		}
	}
	trusted := v.options.Keys.Trusted[subjects.StageOf(at.stream)]
	return slices.ContainsFunc(trusted, func(other string) bool { return !earlier[other] })
}

// good reports whether a key can vouch for another: it is trusted by name and not revoked.
func (v *verification) good(stream events.Stream, key, other string) bool {
	_, revoked := v.options.Keys.Revoked[key]
	return key != other && !revoked && slices.Contains(v.options.Keys.Trusted[subjects.StageOf(stream)], key)
}

// signedOn returns the last sequence of a partition that later checkpoints by other keys bind: its own, or
// those of the next streams, which name heads of the previous one.
func (v *verification) signedOn(at place, key string) uint64 {
	return v.bound(at, func(stream events.Stream, _ headKey, of head) bool { return v.good(stream, of.key, key) })
}

// anchored reports whether an anchor by another key contains a checkpoint of a partition of the chain, or a
// later one, and is older than a time, if one is given.
func (v *verification) anchored(at place, key string, sequence uint64, before time.Time) bool {
	heads := map[events.Stream]map[headKey]string{}
	for _, a := range v.anchors {
		if !a.Revoked.IsZero() || a.Signer == key || !before.IsZero() && !a.Time.Before(before) {
			continue
		}
		for _, h := range a.Heads {
			if heads[h.Stream] == nil {
				heads[h.Stream] = map[headKey]string{}
			}
			heads[h.Stream][headKey{h.Partition, h.Sequence}] = h.Digest
		}
	}
	return v.bound(at, func(stream events.Stream, h headKey, of head) bool { return heads[stream][h] == of.digest }) >= sequence
}

// bound returns the last checkpoint of a partition that one of the chosen checkpoints binds: each binds
// those before it and, through the head that it names, those of the previous stream.
func (v *verification) bound(at place, chosen func(events.Stream, headKey, head) bool) (reach uint64) {
	for i := len(Streams) - 1; i >= 0; i-- {
		stream := Streams[i]
		own, source := reach, uint64(0)
		for h, of := range v.heads[stream] {
			if h.partition == at.partition && chosen(stream, h, of) {
				own = max(own, h.sequence)
			}
		}
		for h, of := range v.heads[stream] {
			if h.partition == at.partition && h.sequence <= own {
				source = max(source, of.source)
			}
		}
		if stream == at.stream {
			return own
		}
		reach = source
	}
	return 0
}
