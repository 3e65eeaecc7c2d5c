package keep

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nkeys"

	natsproof "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// claim is a value that a service writes into a bucket for services of its kind: a heartbeat,
// or how far it has read. A broker with one account for all can be made to store other values
// there, such as acknowledgements (EV-6). A claim differs from those: it names its key, has no
// other fields, and is signed where the stage has keys.
type claim struct {
	Key      string `json:"claim"`    // in its bucket, with the bucket's name
	Sequence uint64 `json:"sequence"` // for a position
	Stream   string `json:"stream"`   // identity of the stream that the sequence is of
	Signer   string `json:"signer,omitempty"`
	Proof    string `json:"proof,omitempty"`
}

// Reasons for which a value is not accepted.
var (
	errNoClaim = errors.New("not written by a service")
	errProof   = errors.New(natsproof.ReasonSignature)
)

// reason returns why a value is not accepted; nil is a value that cannot be true.
func reason(err error) string {
	if err == nil {
		err = errNoClaim
	}
	return err.Error()
}

// encode returns the stored form, signed if key is not nil.
func (c claim) encode(key nkeys.KeyPair) ([]byte, error) {
	c.Signer, c.Proof = "", ""
	if key == nil {
		return json.Marshal(c)
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("read the public part of the stage's key: %w", err)
	}
	c.Signer = public
	unsigned, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", c.Key, err)
	}
	proof, err := key.Sign(unsigned)
	if err != nil {
		return nil, fmt.Errorf("sign %s: %w", c.Key, err)
	}
	c.Proof = base64.RawURLEncoding.EncodeToString(proof)
	return json.Marshal(c)
}

// readClaim returns the claim that is stored under a key. It fails for any other value, and for
// one that is not signed by one of the stage's trusted keys if there are any.
func readClaim(key string, data []byte, trusted []string) (claim, error) {
	var c claim
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if strict.Decode(&c) != nil || c.Key != key {
		return c, errNoClaim
	}
	if canonical, err := json.Marshal(c); err != nil || !bytes.Equal(canonical, data) {
		return c, errNoClaim
	}
	if len(trusted) == 0 {
		return c, nil
	}
	unsigned := c
	unsigned.Proof = ""
	text, err := json.Marshal(unsigned)
	if err != nil || !slices.Contains(trusted, c.Signer) {
		return c, errProof
	}
	public, err := nkeys.FromPublicKey(c.Signer)
	if err != nil {
		return c, errProof
	}
	proof, err := base64.RawURLEncoding.DecodeString(c.Proof)
	if err != nil || public.Verify(text, proof) != nil {
		return c, errProof
	}
	return c, nil
}
