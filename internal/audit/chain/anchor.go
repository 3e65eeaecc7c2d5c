package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// AnchorOrigin is the first line of an anchor and the name of its signing key, in the form of a C2SP
// checkpoint.
const AnchorOrigin = "scaffoldwatch.dev/anchor/v1"

// Anchor states what the streams held at a time. It is kept outside of them (AU-2).
type Anchor struct {
	File    string // file that it was read from
	Time    time.Time
	Streams []AnchoredStream
	Heads   []Head
	Signer  string // public nkey that signed it
	// Revoked is when the signer's key was revoked, if that was after the time that the anchor states. Such
	// an anchor proves only what another anchor proves too.
	Revoked time.Time
}

// AnchoredStream identifies a stream: one that was deleted and created again differs.
type AnchoredStream struct {
	Name    events.Stream
	Created time.Time
	Last    uint64
}

// NewAnchor returns an anchor of what was verified.
func NewAnchor(r *Report, now time.Time) Anchor {
	a := Anchor{Time: now.UTC().Truncate(time.Second), Heads: r.Heads()}
	for _, s := range r.Streams {
		a.Streams = append(a.Streams, AnchoredStream{Name: s.Name, Created: s.Created.UTC(), Last: s.Last})
	}
	return a
}

// Text returns the text that is signed: origin, number of messages, a digest of the lines that follow, and
// those lines.
func (a Anchor) Text() string {
	size, lines := uint64(0), []string{"time " + a.Time.UTC().Format(time.RFC3339)}
	for _, s := range a.Streams {
		size += s.Last
		lines = append(lines, fmt.Sprintf("stream %s %s %d", s.Name, s.Created.UTC().Format(time.RFC3339Nano), s.Last))
	}
	for _, h := range a.Heads {
		lines = append(lines, fmt.Sprintf("head %s %d %d %s", h.Stream, h.Partition, h.Sequence, h.Digest))
	}
	body := strings.Join(lines, "\n") + "\n"
	return fmt.Sprintf("%s\n%d\n%s\n%s", AnchorOrigin, size, rootOf(body), body)
}

func rootOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Sign returns the anchor as a signed note.
func (a Anchor) Sign(signer note.Signer) ([]byte, error) {
	signed, err := note.Sign(&note.Note{Text: a.Text()}, signer)
	if err != nil {
		return nil, fmt.Errorf("sign the anchor: %w", err)
	}
	return signed, nil
}

// ErrAnchor is returned, wrapped, for a file that is not an anchor by a known key.
var ErrAnchor = errors.New("not a valid anchor")

// OpenAnchors opens concatenated anchors, the way Git prints those in a note.
func OpenAnchors(data []byte, known map[string]note.Verifier, keys Keys) (all []Anchor, err error) {
	parts := apart(string(data))
	for i, one := range parts {
		a, err := OpenAnchor([]byte(one), known, keys)
		switch {
		case err != nil && len(parts) == 1:
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("anchor %d: %w", i+1, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// AnchoredHeads returns the heads in anchors without checking their signatures.
func AnchoredHeads(data []byte) (heads []Head, err error) {
	for _, one := range apart(string(data)) {
		text, _, err := OpenNote([]byte(one), nil)
		if err != nil {
			return nil, misread([]byte(one), err)
		}
		a, err := parseAnchor(text)
		if err != nil {
			return nil, misread([]byte(one), err)
		}
		heads = append(heads, a.Heads...)
	}
	return heads, nil
}

// apart splits text before each line that begins an anchor, and drops empty lines in between.
func apart(data string) []string {
	parts := strings.Split(data, "\n"+AnchorOrigin+"\n")
	for i := range parts {
		if i > 0 {
			parts[i] = AnchorOrigin + "\n" + parts[i]
		}
		if len(parts) > 1 {
			parts[i] = strings.TrimRight(parts[i], "\n") + "\n"
		}
	}
	return parts
}

// OpenAnchor checks the signature of an anchor and reads it. Known maps public nkeys to their verifiers. It
// rejects an anchor whose key was revoked before the time that the anchor states (AU-3).
func OpenAnchor(data []byte, known map[string]note.Verifier, keys Keys) (Anchor, error) {
	text, signers, err := OpenNote(data, known)
	if err != nil {
		return Anchor{}, misread(data, err)
	}
	if len(signers) == 0 {
		return Anchor{}, fmt.Errorf("%w: no trusted key has signed it; name its key with --anchor-key if you trust it", ErrAnchor)
	}
	a, err := parseAnchor(text)
	if err != nil {
		return Anchor{}, misread(data, err)
	}
	if a.Signer, a.Revoked, err = keys.Judge(signers, a.Time); err != nil {
		return Anchor{}, fmt.Errorf("%w: %w", ErrAnchor, err)
	}
	return a, nil
}

// IsAnchor reports whether data begins like an anchor.
func IsAnchor(data []byte) bool { return bytes.HasPrefix(data, []byte(AnchorOrigin+"\n")) }

// misread explains why data cannot be read as an anchor, and how to fix it.
func misread(data []byte, err error) error {
	if !IsAnchor(data) {
		return fmt.Errorf("%w: it does not begin with the line %q; name a file that `scaffoldwatch anchor` wrote", ErrAnchor, AnchorOrigin)
	}
	return fmt.Errorf("%w: it was truncated or edited (%w); copy it again from where you keep your anchors", ErrAnchor, err)
}

func parseAnchor(text string) (a Anchor, err error) {
	parts := strings.SplitN(text, "\n", 4)
	if len(parts) < 4 || parts[0] != AnchorOrigin {
		return a, fmt.Errorf("line 1: want %q", AnchorOrigin)
	}
	if rootOf(parts[3]) != parts[2] {
		return a, errors.New("line 3: the digest is not that of the lines that follow")
	}
	for i, line := range strings.Split(strings.TrimSuffix(parts[3], "\n"), "\n") {
		if err := a.line(strings.Fields(line)); err != nil {
			return a, fmt.Errorf("line %d: %w", i+4, err)
		}
	}
	if a.Text() != text { // a line is repeated, misplaced or malformed, or the digest is wrong
		return a, errors.New("it is not in canonical form")
	}
	return a, a.contradicts()
}

// contradicts returns an error if an anchor makes two statements about one stream or partition.
func (a Anchor) contradicts() error {
	seen := map[string]bool{}
	for _, s := range a.Streams {
		seen[string(s.Name)] = true
	}
	for _, h := range a.Heads {
		seen[fmt.Sprint(h.Stream, " ", h.Partition)] = true
	}
	if len(seen) < len(a.Streams)+len(a.Heads) {
		return errors.New("it names a stream or a partition twice")
	}
	return nil
}

// line parses one line of an anchor's body.
func (a *Anchor) line(fields []string) (err error) {
	switch {
	case len(fields) == 2 && fields[0] == "time":
		a.Time, err = time.Parse(time.RFC3339, fields[1])
		return err
	case len(fields) == 4 && fields[0] == "stream":
		created, err1 := time.Parse(time.RFC3339Nano, fields[2])
		last, err2 := strconv.ParseUint(fields[3], 10, 64)
		a.Streams = append(a.Streams, AnchoredStream{Name: events.Stream(fields[1]), Created: created, Last: last})
		return errors.Join(err1, err2)
	case len(fields) == 5 && fields[0] == "head":
		partition, err1 := strconv.Atoi(fields[2])
		sequence, err2 := strconv.ParseUint(fields[3], 10, 64)
		digest, err3 := hex.DecodeString(fields[4])
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		if len(digest) != sha256.Size || partition < 0 || sequence == 0 {
			return errors.New("not a head")
		}
		a.Heads = append(a.Heads, Head{Stream: events.Stream(fields[1]), Partition: partition, Sequence: sequence, Digest: fields[4]})
		return nil
	}
	return fmt.Errorf("unknown line %q", strings.Join(fields, " "))
}
