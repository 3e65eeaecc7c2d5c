package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/strict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/transfer"
)

// Version is the format version of backups that this build writes.
const Version = 1

// Origin is the first line of the file BACKUP.
const Origin = "scaffoldwatch.dev/backup/v1"

// Manifest describes the content of a backup.
type Manifest struct {
	Version    int       `json:"version"`
	Made       time.Time `json:"made"`
	Build      string    `json:"build"`  // version of the program that wrote it
	Server     string    `json:"server"` // version of nats-server
	Partitions int       `json:"partitions"`
	Streams    []Stream  `json:"streams"` // in the order in which they were copied
	// Keys are the public keys that the system trusted and revoked. A backup holds no private keys.
	Keys chain.Keys `json:"keys"`
	// Unverified is the first fault of the record, "" if there is none.
	Unverified string `json:"unverified,omitempty"`
	// Unread means that nothing was read back after it was written.
	Unread bool `json:"unread,omitempty"`
}

// Stream describes the copy of one stream.
type Stream struct {
	transfer.Archived
	List   string `json:"list"`   // digest of the list of its blocks
	Blocks int    `json:"blocks"` // number of blocks
	Stored int64  `json:"stored"` // bytes in the directory
}

// Block is a run of messages in a file of its own.
type Block struct {
	SHA256   string `json:"sha256"` // of its uncompressed content, in hexadecimal
	First    uint64 `json:"first"`
	Last     uint64 `json:"last"`
	Messages int    `json:"messages"`
	Stored   int64  `json:"stored"` // bytes of the file
}

// ID identifies a backup by a digest of its content.
func (m *Manifest) ID() string {
	h := sha256.New()
	for _, s := range m.Streams {
		fmt.Fprintf(h, "%s %s %s\n", s.Name, s.Identity, s.List)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// text returns the manifest as it is signed and written.
func (m *Manifest) text() (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(m); err != nil {
		return "", fmt.Errorf("encode the manifest: %w", err)
	}
	return Origin + "\n" + out.String(), nil
}

// encode returns the content of the file BACKUP, signed if there is a signer.
func (m *Manifest) encode(signer note.Signer) ([]byte, error) {
	text, err := m.text()
	if err != nil || signer == nil {
		return []byte(text), err
	}
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	if err != nil {
		return nil, fmt.Errorf("sign the manifest: %w", err)
	}
	return signed, nil
}

// ErrManifest is returned, wrapped, for a file BACKUP that is damaged or was edited.
var ErrManifest = errors.New("the manifest of the backup is damaged or was edited")

// decodeManifest reads a manifest and returns which of the known keys signed it, or [Unknown]. Without
// known keys the signature is not checked.
func decodeManifest(data []byte, known map[string]note.Verifier) (m *Manifest, signers []string, err error) {
	text := string(data)
	if strings.Contains(text, "\n\n— ") {
		if text, signers, err = chain.OpenNote(data, known); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrManifest, err)
		}
		if len(signers) == 0 {
			signers = []string{Unknown}
		}
	}
	body, ok := strings.CutPrefix(text, Origin+"\n")
	if !ok {
		return nil, nil, fmt.Errorf("%w: line 1: want %q", ErrManifest, Origin)
	}
	m = &Manifest{}
	if err := strict.Decode([]byte(body), m); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	if m.Version != Version {
		return nil, nil, fmt.Errorf("the backup has version %d, this build reads %d: use the scaffoldwatch that wrote it (%.80q)", m.Version, Version, m.Build)
	}
	if canonical, err := m.text(); err != nil || canonical != text {
		return nil, nil, fmt.Errorf("%w: its content has changed", ErrManifest)
	}
	if err := m.foreign(); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	return m, signers, nil
}

// Unknown is the signer of a manifest that was signed only by keys that are not known.
const Unknown = "a key that is not trusted here"
