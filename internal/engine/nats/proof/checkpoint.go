// Package proof distinguishes what a stage committed from what another client made
// the broker store (EV-6): the checkpoint that ends each batch, its signature and
// its place in the stream (EV-7), and the check of a single message against it.
//
// Readers of whole streams and the public client share it, so that both accept
// the same messages.
package proof

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
)

// MarkSize is how many bytes of a message's hash a checkpoint keeps.
const MarkSize = 16

// MaxBatch is how many messages an atomic batch has at most, the broker's limit.
const MaxBatch = 1000

// Checkpoint ends every batch that a stage commits (EV-6) and is a link of the
// audit chain (EV-7). In the stream it is the last of Count+1 messages of
// consecutive sequences: Outputs events and skips, then snapshots (which a later
// rollup may remove), then itself.
type Checkpoint struct {
	Version   int             `json:"v"` // 1
	Stage     string          `json:"stage"`
	Partition int             `json:"partition"`
	Source    string          `json:"source"`   // the stream that was consumed
	Position  engine.Position `json:"position"` // up to here
	// Fence is the sequence of the message before it on its subject. It ties the
	// checkpoint to its place: a copy stored elsewhere does not fit.
	Fence   uint64 `json:"fence"`
	Count   int    `json:"count"`
	Outputs int    `json:"outputs"`
	// Digest is SHA-256 (hex) over the hashes of the outputs, in order; Marks
	// holds the first 16 bytes of the hash of each of the Count messages, so
	// that one of them can be checked without the others.
	Digest string `json:"digest"`
	Marks  []byte `json:"marks,omitempty"`
	// Previous is the digest of the valid checkpoint before, see [Checkpoint.Head].
	Previous string `json:"previous,omitempty"`
	// Successor is the public nkey that signs from the next checkpoint on (AU-3).
	Successor string `json:"successor,omitempty"`
	Key       string `json:"key,omitempty"` // public nkey of the signer
	Signature string `json:"signature,omitempty"`

	sealed []byte // the stored form it was opened from
}

// Seal signs the checkpoint if there is a key and returns its stored form.
func (c *Checkpoint) Seal(key nkeys.KeyPair) ([]byte, error) {
	c.Key, c.Signature = "", ""
	if key != nil {
		public, err := key.PublicKey()
		if err != nil {
			return nil, fmt.Errorf("read the public part of the stage's key: %w", err)
		}
		c.Key = public
		unsigned, err := json.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("encode a checkpoint: %w", err)
		}
		signature, err := key.Sign(unsigned)
		if err != nil {
			return nil, fmt.Errorf("sign a checkpoint: %w", err)
		}
		c.Signature = base64.RawURLEncoding.EncodeToString(signature)
	}
	return json.Marshal(c)
}

// Head returns the digest by which the next checkpoint, and the next stage, refer
// to a stored checkpoint.
func Head(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Reasons for which a message is not accepted.
const (
	ReasonNoCheckpoint = "not a checkpoint"            // on a checkpoint's subject
	ReasonSignature    = "signature not valid"         // missing, by a stranger, or wrong
	ReasonCopied       = "checkpoint in another place" // its fence does not fit
	ReasonChain        = "checkpoint off the chain"    // its previous digest does not fit
	ReasonOutside      = "outside of any batch"
	ReasonContent      = "content differs from its checkpoint"
	ReasonType         = "type does not fit its subject"
	ReasonTimer        = "timer cannot be scheduled"
	ReasonForeign      = "not written by a service" // of a bucket or of DEADLETTER
	ReasonErased       = "erased"                   // a message of a valid batch is gone
	// ReasonCut is that of a checkpoint before which messages are gone that have not aged
	// out: no beginning is signed there (AU-42).
	ReasonCut = "the beginning was cut"
)

// Verifier knows what a valid checkpoint of a stage looks like.
type Verifier struct {
	Stage   string
	Trusted []string // public keys; without any, signatures are not checked
	// Revoked are keys that sign no more from a time on (AU-3).
	Revoked map[string]time.Time
}

// Read is Open for a stored message, whose time shows if its key was revoked before.
func (v Verifier) Read(partition int, m *Message) (*Checkpoint, string) {
	c, reason := v.Open(partition, m.Data)
	if reason != "" {
		return nil, reason
	}
	if since, revoked := v.Revoked[c.Key]; revoked && c.Key != "" && !m.Time.Before(since) {
		return nil, ReasonSignature
	}
	return c, ""
}

// Open decodes a message on a checkpoint's subject. A reason other than "" says why
// it is not valid. The caller checks its place and its link in the chain. Whatever the decoder
// makes of the data, only a checkpoint whose canonical form is the data passes.
func (v Verifier) Open(partition int, data []byte) (*Checkpoint, string) {
	c := &Checkpoint{}
	if jsonv1.Unmarshal(data, c) != nil || c.Version != 1 || c.Stage != v.Stage || c.Partition != partition ||
		c.Count < 0 || c.Count > MaxBatch || c.Outputs < 0 || c.Outputs > c.Count || len(c.Marks) != c.Count*MarkSize {
		return nil, ReasonNoCheckpoint
	}
	if canonical, err := json.Marshal(c); err != nil || !bytes.Equal(canonical, data) {
		return nil, ReasonNoCheckpoint
	}
	c.sealed = data
	if len(v.Trusted) > 0 && v.checkSignature(*c) != nil {
		return nil, ReasonSignature
	}
	return c, ""
}

func (v Verifier) checkSignature(c Checkpoint) error {
	if !slices.Contains(v.Trusted, c.Key) {
		return errors.New("not a trusted key")
	}
	return c.CheckSignature()
}

// CheckSignature checks that the key that the checkpoint names has signed it.
func (c Checkpoint) CheckSignature() error {
	signature, err := base64.RawURLEncoding.DecodeString(c.Signature)
	if err != nil {
		return fmt.Errorf("decode the signature: %w", err)
	}
	public, err := nkeys.FromPublicKey(c.Key)
	if err != nil {
		return fmt.Errorf("read the public key: %w", err)
	}
	unsigned, err := c.unsigned()
	if err != nil {
		return fmt.Errorf("encode the checkpoint: %w", err)
	}
	return public.Verify(unsigned, signature)
}

// unsigned returns what the signature is over: the canonical form without it, of which it
// is the last member.
func (c Checkpoint) unsigned() ([]byte, error) {
	if form, is := bytes.CutSuffix(c.sealed, []byte(`,"signature":"`+c.Signature+`"}`)); is {
		return append(slices.Clip(form), '}'), nil
	}
	c.Signature = ""
	return json.Marshal(c)
}

// mark returns the mark of the i-th message of the batch.
func (c *Checkpoint) mark(i int) []byte { return c.Marks[i*MarkSize : (i+1)*MarkSize] }

// Fits reports whether a message with this hash is the one at sequence, for a
// checkpoint stored at own.
func (c *Checkpoint) Fits(own, sequence uint64, hash [32]byte) bool {
	first := own - uint64(c.Count)
	return sequence >= first && sequence < own && bytes.Equal(c.mark(int(sequence-first)), hash[:MarkSize])
}

// Digest returns the digest over the hashes of a batch's outputs.
func Digest(hashes [][32]byte) string {
	all := sha256.New()
	for _, h := range hashes {
		all.Write(h[:])
	}
	return hex.EncodeToString(all.Sum(nil))
}

// HashOf returns the hash of subject, data and every header that the broker does
// not set or consume, in sorted order, each preceded by its length.
func HashOf(subject string, header map[string][]string, data []byte) [32]byte {
	var held [32]string
	names := held[:0]
	for name := range header {
		if !strings.HasPrefix(name, "Nats-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var space [2048]byte
	text := write(space[:0], subject)
	for _, name := range names {
		for _, value := range header[name] {
			text = write(write(text, name), value)
		}
	}
	text = write(text, "")
	text = binary.BigEndian.AppendUint64(text, uint64(len(data)))
	if len(text)+len(data) <= cap(text) {
		return sha256.Sum256(append(text, data...))
	}
	h := sha256.New()
	h.Write(text)
	h.Write(data)
	return [32]byte(h.Sum(nil))
}

func write(text []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint64(text, uint64(len(s))), s...)
}
