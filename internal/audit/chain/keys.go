package chain

import (
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// keys tracks who signed a partition so far (AU-3).
type keys struct {
	Succession
	used []KeyUse
}

// Succession tracks which key signs a partition: each key names the next in a checkpoint (AU-3).
type Succession struct {
	current  string
	next     string            // the key that the current one named
	replaced map[string]uint64 // replaced keys, with the sequence of the record that ended each
}

// Begin sets which key signs what comes next, if that is known.
func (s *Succession) Begin(key string) { s.current = key }

// Named records that a key named its successor at a sequence.
func (s *Succession) Named(key, successor string, at uint64) {
	if s.replaced == nil {
		s.replaced = map[string]uint64{}
	}
	s.replaced[key], s.current, s.next = at, key, successor
}

// Replaced returns the finding, without a place, for a key that signs after it named its successor.
func Replaced(key string, at uint64) Finding {
	return Finding{Kind: ReplacedKey, What: fmt.Sprintf("signed by %s, which named its successor at %d", key, at)}
}

// Signed records who signed a checkpoint. It returns a finding without a place if that is not the key in
// use at that time. Follows means that the previous key is known.
func (s *Succession) Signed(c *proof.Checkpoint, sequence uint64, follows bool) (f Finding) {
	if since, ok := s.replaced[c.Key]; ok {
		return Replaced(c.Key, since)
	}
	if follows && c.Key != s.current && c.Key != s.next {
		f = Finding{
			Kind: UnrecordedKey, What: "the key changes here, and the one before did not name it",
			Expected: named(s.current), Found: named(c.Key),
		}
	}
	s.current = c.Key
	if c.Successor != "" {
		s.Named(c.Key, c.Successor, sequence)
	}
	return f
}

// RevokedBy returns a finding without a place if a checkpoint was stored after its key was
// revoked.
func (k Keys) RevokedBy(key string, stored time.Time) (f Finding) {
	if since, ok := k.Revoked[key]; ok && !stored.Before(since) {
		f = Finding{Kind: RevokedKey, What: fmt.Sprintf("signed by %s, which was revoked at %s", key, clock(since))}
	}
	return f
}

// KeyUse is the part of a partition that one key signed.
type KeyUse struct {
	Key   string    `json:"key"` // "" if unsigned
	First uint64    `json:"first"`
	Last  uint64    `json:"last"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// unsigned returns why a checkpoint's signature does not count, "" if it does.
func (x *examiner) unsigned(c *proof.Checkpoint) string {
	switch {
	case len(x.trusted) > 0 && c.Key == "":
		return "it is not signed"
	case len(x.trusted) > 0 && !slices.Contains(x.trusted, c.Key):
		return "it is signed by " + clip(c.Key) + ", a key that is not trusted"
	case c.Key != "" && c.CheckSignature() != nil:
		return "its signature does not match its content"
	}
	return ""
}

// expects reports whether a signature by this key would be accepted.
func (p *partition) expects(key string) bool {
	if trusted := p.stream.trusted; len(trusted) > 0 {
		return slices.Contains(trusted, key)
	}
	return key == p.keys.current
}

// checkKey checks that a valid signature is by the key in use at that time.
func (p *partition) checkKey(c *proof.Checkpoint, m proof.Message) {
	changed := p.keys.Signed(c, m.Sequence, p.batches > 1 && p.begins != m.Sequence)
	for _, f := range []Finding{p.stream.v.options.Keys.RevokedBy(c.Key, m.Time), changed} {
		if f.Kind != "" {
			f.Sequence = m.Sequence
			p.fault(f)
		}
	}
	if changed.Kind != ReplacedKey {
		p.keys.note(c, m)
		p.stream.elsewhere(p, c, m.Sequence)
	}
}

// lateUse is a checkpoint by a key that had named its successor in another partition.
type lateUse struct {
	partition *partition
	sequence  uint64
	key       string
}

// elsewhere notes where keys named their successors, and which keys signed afterwards. The stage does not
// write while its key is replaced, partition by partition; a partition that was never written has no
// record.
func (s *stream) elsewhere(p *partition, c *proof.Checkpoint, sequence uint64) {
	if c.Successor != "" {
		if s.succeeded == nil {
			s.succeeded = map[string]uint64{}
		}
		s.succeeded[c.Key] = sequence
		return
	}
	if _, is := s.succeeded[c.Key]; is && len(s.late) < proof.MaxBatch {
		s.late = append(s.late, lateUse{p, sequence, c.Key})
	}
}

// settleLate reports what keys signed after they had been replaced for good.
func (s *stream) settleLate() {
	for _, l := range s.late {
		if at := s.succeeded[l.key]; l.sequence > at {
			f := Replaced(l.key, at)
			f.Sequence = l.sequence
			l.partition.fault(f)
		}
	}
}

func (k *keys) note(c *proof.Checkpoint, m proof.Message) {
	if len(k.used) == 0 || c.Key != k.used[len(k.used)-1].Key {
		k.used = append(k.used, KeyUse{Key: c.Key, First: m.Sequence, Since: m.Time})
	}
	use := &k.used[len(k.used)-1]
	use.Last, use.Until = m.Sequence, m.Time
}

func named(key string) string {
	if key == "" {
		return "no signature"
	}
	return key
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }
