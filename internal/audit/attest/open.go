package attest

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"time"

	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/nats-io/nkeys"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/strict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// MaxBytes limits the size of an attestation.
const MaxBytes = 64 << 20

// Fault is a defect of an attestation, with its place.
type Fault struct {
	Place    string `json:"place"` // "signatures[0]", "predicate.sessions[1].turns.watched"
	What     string `json:"what"`
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
}

// Error returns the fault on one line.
func (f *Fault) Error() string {
	line := f.Place + ": " + f.What
	if f.Expected != "" || f.Found != "" {
		line += fmt.Sprintf(" (attested %s, found %s)", orNone(f.Expected), orNone(f.Found))
	}
	return line
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// Attestation is an opened envelope.
type Attestation struct {
	Verdict  *Verdict
	Subjects []*intoto.ResourceDescriptor
	Signer   string // public nkey
}

// Is reports whether a file looks like an attestation.
func Is(data []byte) bool {
	text := bytes.TrimLeft(data[:min(len(data), 4096)], " \t\r\n")
	return bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"payloadType"`))
}

// Open checks the envelope, its signature by one of the public keys, the statement and the
// verdict. The error is a *Fault.
func Open(data []byte, keys []string) (*Attestation, error) {
	if len(data) > MaxBytes {
		return nil, &Fault{Place: "file", What: fmt.Sprintf("it has more than %d bytes", MaxBytes)}
	}
	var envelope dsse.Envelope
	if err := strict.Decode(data, &envelope); err != nil {
		return nil, &Fault{Place: "envelope", What: err.Error()}
	}
	payload, err := base64.StdEncoding.Strict().DecodeString(envelope.Payload)
	switch {
	case envelope.PayloadType != PayloadType:
		return nil, &Fault{Place: "payloadType", What: "it is not that of an in-toto statement", Expected: PayloadType, Found: shown(envelope.PayloadType)}
	case err != nil:
		return nil, &Fault{Place: "payload", What: "not canonical base64: " + err.Error()}
	}
	signer, err := signed(&envelope, keys)
	if err != nil {
		return nil, err
	}
	a, err := statement(payload)
	if err != nil {
		return nil, err
	}
	a.Signer = signer
	return a, nil
}

// Judge returns when the signer's key was revoked, or zero if it was not. After a revocation only that key
// itself vouches that it signed earlier, so the caller has to compare the verdict with the record (ADR 14).
// A key that was already revoked at the time that the verdict states is a *[Fault].
func (a *Attestation) Judge(keys chain.Keys) (revoked time.Time, err error) {
	_, revoked, err = keys.Judge([]string{a.Signer}, a.Verdict.Made)
	if err != nil {
		return revoked, &Fault{Place: signerPlace, What: err.Error()}
	}
	return revoked, nil
}

// Doubtful returns the fault of an attestation whose key was revoked later, for callers that have no other
// proof of its content.
func (a *Attestation) Doubtful(revoked time.Time) Fault {
	return Fault{Place: signerPlace, What: fmt.Sprintf("%s: %s; compare its content with --bundle FILE or --live", chain.RevokedKey, chain.Doubt(a.Signer, revoked))}
}

// signerPlace is the field of an envelope that names its signer.
const signerPlace = "signatures[0].keyid"

// signed returns the key of the signer. It fails unless every signature is valid.
func signed(e *dsse.Envelope, keys []string) (string, error) {
	if len(e.Signatures) != 1 {
		return "", &Fault{Place: "signatures", What: fmt.Sprintf("there are %d; attest makes one", len(e.Signatures))}
	}
	s := e.Signatures[0]
	place := "signatures[0]"
	if !slices.Contains(keys, s.KeyID) {
		return "", &Fault{Place: place + ".keyid", What: fmt.Sprintf("%s is not a trusted key; name it with --key if you trust it", shown(s.KeyID))}
	}
	if _, err := base64.StdEncoding.Strict().DecodeString(s.Sig); err != nil {
		return "", &Fault{Place: place + ".sig", What: "not canonical base64: " + err.Error()}
	}
	public, err := nkeys.FromPublicKey(s.KeyID)
	if err != nil {
		return "", &Fault{Place: place + ".keyid", What: err.Error()}
	}
	verifier, err := dsse.NewEnvelopeVerifier(nkey{public})
	if err != nil {
		return "", &Fault{Place: place, What: err.Error()}
	}
	if _, err := verifier.Verify(context.Background(), e); err != nil {
		return "", &Fault{Place: place + ".sig", What: "it does not match: the payload, its type or the signature was changed"}
	}
	return s.KeyID, nil
}

// statement decodes the signed payload.
func statement(payload []byte) (*Attestation, error) {
	s := &intoto.Statement{}
	if err := protojson.Unmarshal(payload, s); err != nil {
		return nil, &Fault{Place: "payload", What: "not an in-toto statement: " + err.Error()}
	}
	switch err := s.Validate(); {
	case err != nil:
		return nil, &Fault{Place: "statement", What: err.Error()}
	case s.GetType() != intoto.StatementTypeUri:
		return nil, &Fault{Place: "statement._type", What: "another version", Expected: intoto.StatementTypeUri, Found: s.GetType()}
	case s.GetPredicateType() != PredicateType:
		return nil, &Fault{Place: "statement.predicateType", What: "not a verdict", Expected: PredicateType, Found: shown(s.GetPredicateType())}
	}
	form, err := protojson.Marshal(s.GetPredicate())
	if err != nil {
		return nil, &Fault{Place: "predicate", What: err.Error()}
	}
	a := &Attestation{Verdict: &Verdict{}, Subjects: s.GetSubject()}
	if err := strict.Decode(form, a.Verdict); err != nil {
		return nil, &Fault{Place: "predicate", What: err.Error()}
	}
	if a.Verdict.SchemaVersion != SchemaVersion {
		return nil, &Fault{Place: "predicate.schema_version", What: "a schema that this build does not read", Expected: fmt.Sprint(SchemaVersion), Found: fmt.Sprint(a.Verdict.SchemaVersion)}
	}
	if err := a.consistent(); err != nil {
		return nil, err
	}
	return a, nil
}

// consistent returns an error if subjects and predicate disagree.
func (a *Attestation) consistent() error {
	for i, c := range a.Verdict.Commits {
		if !validSHA(c.SHA) {
			return &Fault{Place: fmt.Sprintf("predicate.commits[%d].sha", i), What: "not a full commit id", Found: shown(c.SHA)}
		}
	}
	want := a.Verdict.subjects()
	for i := range max(len(want), len(a.Subjects)) {
		place := fmt.Sprintf("statement.subject[%d]", i)
		switch {
		case i >= len(want):
			return &Fault{Place: place, What: "the predicate does not mention it", Found: shown(a.Subjects[i].GetName())}
		case i >= len(a.Subjects):
			return &Fault{Place: place, What: "missing", Expected: want[i].GetName()}
		case want[i].GetName() != a.Subjects[i].GetName():
			return &Fault{Place: place + ".name", What: "differs from the predicate", Expected: want[i].GetName(), Found: shown(a.Subjects[i].GetName())}
		case fmt.Sprint(want[i].GetDigest()) != fmt.Sprint(a.Subjects[i].GetDigest()):
			return &Fault{Place: place + ".digest", What: "differs from the predicate", Expected: fmt.Sprint(want[i].GetDigest()), Found: shown(fmt.Sprint(a.Subjects[i].GetDigest()))}
		}
	}
	for i, s := range a.Verdict.Sessions {
		if s.Turns.Watched > s.Turns.Received {
			return &Fault{Place: fmt.Sprintf("predicate.sessions[%d].turns.watched", i), What: "more than were received"}
		}
	}
	return nil
}

// shown returns what a statement says, quoted and in bounds.
func shown(s string) string { return strconv.Quote(text.Cut(s, 120)) }
