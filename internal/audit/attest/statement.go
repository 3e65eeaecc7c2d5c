package attest

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"

	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/nats-io/nkeys"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
)

// PayloadType is the media type of an in-toto statement in an envelope.
const PayloadType = "application/vnd.in-toto+json"

// subjects returns the subjects of the statement: the commits, then the transcripts, then the runs.
func (v *Verdict) subjects() []*intoto.ResourceDescriptor {
	var all []*intoto.ResourceDescriptor
	for _, c := range v.Commits {
		all = append(all, &intoto.ResourceDescriptor{Name: "commit/" + c.SHA, Digest: commitDigest(c.SHA)})
	}
	for _, s := range v.Sessions {
		if s.Transcript != "" {
			all = append(all, &intoto.ResourceDescriptor{Name: "session/" + s.ID, Digest: map[string]string{"sha256": s.Transcript}})
		}
	}
	for _, r := range v.Runs {
		all = append(all, &intoto.ResourceDescriptor{Name: "run/" + r.ID, Digest: map[string]string{"sha256": r.Record}})
	}
	return all
}

// commitDigest returns the digest of a commit under in-toto's name for it and under the hash algorithm of
// its repository.
func commitDigest(sha string) map[string]string {
	algorithm := "sha1"
	if len(sha) == 64 {
		algorithm = "sha256"
	}
	return map[string]string{"gitCommit": sha, algorithm: sha}
}

// Statement returns the in-toto statement as JSON.
func (v *Verdict) Statement() ([]byte, error) {
	form, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the verdict: %w", err)
	}
	predicate := &structpb.Struct{}
	if err := protojson.Unmarshal(form, predicate); err != nil {
		return nil, fmt.Errorf("build the predicate: %w", err)
	}
	s := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: v.subjects(), PredicateType: PredicateType, Predicate: predicate}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("the statement: %w", err)
	}
	text, err := protojson.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode the statement: %w", err)
	}
	var out bytes.Buffer // protojson varies its whitespace
	if err := json.Compact(&out, text); err != nil {
		return nil, fmt.Errorf("compact the statement: %w", err)
	}
	return out.Bytes(), nil
}

// Sign returns the statement in a signed envelope, as one line of JSON.
func (v *Verdict) Sign(ctx context.Context, key nkeys.KeyPair) ([]byte, error) {
	statement, err := v.Statement()
	if err != nil {
		return nil, err
	}
	signer, err := dsse.NewEnvelopeSigner(nkey{key})
	if err != nil {
		return nil, fmt.Errorf("create the signer: %w", err)
	}
	envelope, err := signer.SignPayload(ctx, PayloadType, statement)
	if err != nil {
		return nil, fmt.Errorf("sign the attestation: %w", err)
	}
	text, err := json.Marshal(envelope)
	if err != nil {
		return nil, fmt.Errorf("encode the envelope: %w", err)
	}
	return append(text, '\n'), nil
}

// nkey signs and verifies with an nkey, which is an Ed25519 key.
type nkey struct{ pair nkeys.KeyPair }

var errSignature = errors.New("it does not match the payload")

// Sign implements dsse.Signer.
func (k nkey) Sign(_ context.Context, data []byte) ([]byte, error) { return k.pair.Sign(data) }

// Verify implements dsse.Verifier.
func (k nkey) Verify(_ context.Context, data, sig []byte) error {
	if k.pair.Verify(data, sig) != nil {
		return errSignature
	}
	return nil
}

// KeyID implements dsse.Signer: the public nkey.
func (k nkey) KeyID() (string, error) { return k.pair.PublicKey() }

// Public implements dsse.Verifier.
func (k nkey) Public() crypto.PublicKey {
	public, err := k.pair.PublicKey()
	if err != nil {
		return nil
	}
	raw, err := nkeys.Decode(nkeys.Prefix(public), []byte(public))
	if err != nil {
		return nil
	}
	return ed25519.PublicKey(raw)
}
