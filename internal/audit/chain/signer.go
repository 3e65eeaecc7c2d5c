package chain

import (
	"crypto/ed25519"
	"fmt"

	"github.com/nats-io/nkeys"
	"golang.org/x/mod/sumdb/note"
)

// Verifier returns the verifier of notes signed with a public nkey. Both are Ed25519, so one key serves
// checkpoints and anchors.
func Verifier(public string) (note.Verifier, error) {
	raw, err := decode(public)
	if err != nil {
		return nil, fmt.Errorf("read the public key %.80q: %w; name one in the form that `scaffoldwatch keys new` prints", public, err)
	}
	line, err := note.NewEd25519VerifierKey(AnchorOrigin, ed25519.PublicKey(raw))
	if err != nil {
		return nil, fmt.Errorf("make a verifier of %q: %w", public, err)
	}
	return note.NewVerifier(line)
}

// decode returns the Ed25519 key in a public nkey.
func decode(public string) ([]byte, error) {
	return nkeys.Decode(nkeys.Prefix(public), []byte(public))
}

// Signer returns a signer of notes for an nkey.
func Signer(key nkeys.KeyPair) (note.Signer, error) {
	public, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("read the public part of the key: %w", err)
	}
	v, err := Verifier(public)
	if err != nil {
		return nil, err
	}
	return signer{Verifier: v, key: key}, nil
}

type signer struct {
	note.Verifier
	key nkeys.KeyPair
}

// Sign returns the signature of a note's text.
func (s signer) Sign(text []byte) ([]byte, error) { return s.key.Sign(text) }
