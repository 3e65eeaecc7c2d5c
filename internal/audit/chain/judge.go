package chain

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nkeys"
	"golang.org/x/mod/sumdb/note"
)

// RevokedError is returned for a signature outside of the streams by a key that was revoked before the time
// that the signed text states (AU-3).
type RevokedError struct {
	Key           string
	Since, Stated time.Time
}

// Error names the key and both times.
func (e *RevokedError) Error() string {
	return fmt.Sprintf("%s: %s was revoked at %s, but the signature claims a time of %s", RevokedKey, e.Key, clock(e.Since), clock(e.Stated))
}

// Judge picks the key that counts among the known keys that signed an anchor, an attestation, a manifest or
// a backup: one that is not revoked, if there is one. Otherwise revoked is when the key was revoked: then
// only that key vouches that it signed earlier, and a thief could have backdated the text (ADR 14). The
// error is a *[RevokedError].
func (k Keys) Judge(signers []string, stated time.Time) (signer string, revoked time.Time, err error) {
	for _, key := range signers {
		since, is := k.Revoked[key]
		switch {
		case !is:
			return key, time.Time{}, nil
		case stated.Before(since):
			signer, revoked = key, since
		case signer == "" && err == nil:
			err = &RevokedError{Key: key, Since: since, Stated: stated}
		}
	}
	if signer != "" {
		err = nil
	}
	return signer, revoked, err
}

// Doubt explains why a signature by a revoked key alone proves nothing.
func Doubt(key string, revoked time.Time) string {
	return fmt.Sprintf("%s was revoked at %s, and only that key vouches that it signed before", key, clock(revoked))
}

// OpenNote checks a signed note and returns its text and which of the known keys signed it; signers is
// empty if only other keys did.
func OpenNote(data []byte, known map[string]note.Verifier) (text string, signers []string, err error) {
	var list []note.Verifier
	for _, v := range known {
		list = append(list, v)
	}
	opened, err := note.Open(data, note.VerifierList(list...))
	var stranger *note.UnverifiedNoteError
	if errors.As(err, &stranger) {
		return stranger.Note.Text, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	for _, signature := range opened.Sigs { // the note reader ignores spare bits at the end
		if _, err := base64.StdEncoding.Strict().DecodeString(signature.Base64); err != nil {
			return "", nil, errors.New("its signature is not in canonical form")
		}
		for key, v := range known {
			if v.KeyHash() == signature.Hash {
				signers = append(signers, key)
			}
		}
	}
	return opened.Text, signers, nil
}

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
