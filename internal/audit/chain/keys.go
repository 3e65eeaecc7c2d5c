package chain

import (
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// keys are who signed a partition so far (AU-3).
type keys struct {
	current  string
	next     string            // that the current key named
	replaced map[string]uint64 // keys by the sequence of the record that ended them
	used     []KeyUse
}

// KeyUse is the part of a partition that one key signed.
type KeyUse struct {
	Key   string    `json:"key"` // "" for unsigned
	First uint64    `json:"first"`
	Last  uint64    `json:"last"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// unsigned returns why a checkpoint's signature does not count, "" for one that does.
func (s *stream) unsigned(c *proof.Checkpoint) string {
	trusted := s.trusted()
	switch {
	case len(trusted) > 0 && c.Key == "":
		return "it is not signed"
	case len(trusted) > 0 && !slices.Contains(trusted, c.Key):
		return "it is signed by " + clip(c.Key) + ", a key that is not trusted"
	case c.Key != "" && c.CheckSignature() != nil:
		return "its signature does not fit its content"
	}
	return ""
}

func (s *stream) trusted() []string { return s.v.options.Keys.Trusted[s.stage] }

// expects reports whether a key would be believed.
func (p *partition) expects(key string) bool {
	if trusted := p.stream.trusted(); len(trusted) > 0 {
		return slices.Contains(trusted, key)
	}
	return key == p.keys.current
}

// checkKey checks that a valid signature is by the key that signed at that time.
func (p *partition) checkKey(c *proof.Checkpoint, m proof.Message) {
	k := &p.keys
	if since, ok := p.stream.v.options.Keys.Revoked[c.Key]; ok && !m.Time.Before(since) {
		p.fault(Finding{Kind: RevokedKey, Sequence: m.Sequence, What: fmt.Sprintf("signed by %s, which was revoked at %s", c.Key, clock(since))})
	}
	if since, ok := k.replaced[c.Key]; ok {
		p.fault(Finding{Kind: ReplacedKey, Sequence: m.Sequence, What: fmt.Sprintf("signed by %s, which named its successor at %d", c.Key, since)})
		return
	}
	if p.batches > 1 && p.begins != m.Sequence && c.Key != k.current && c.Key != k.next {
		p.fault(Finding{
			Kind: UnrecordedKey, Sequence: m.Sequence, What: "the key changes here, and the one before did not name it",
			Expected: named(k.current), Found: named(c.Key),
		})
	}
	k.note(c, m)
	if c.Successor != "" {
		if k.replaced == nil {
			k.replaced = map[string]uint64{}
		}
		k.replaced[c.Key], k.next = m.Sequence, c.Successor
	}
}

func (k *keys) note(c *proof.Checkpoint, m proof.Message) {
	if c.Key != k.current || len(k.used) == 0 {
		k.used = append(k.used, KeyUse{Key: c.Key, First: m.Sequence, Since: m.Time})
	}
	k.current = c.Key
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
