// Package sessionid derives the ids of sessions from the names that agents give them. It
// is the only package that does, so an agent's transcript, hooks and driver use the same
// id for a session (EV-3).
package sessionid

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	keptOfInvalid = 100 // bytes of an invalid id that stay readable
	hashOfInvalid = 12  // hex digits that distinguish two such ids
)

// Valid returns native if it can be an id (EV-3). Otherwise it returns the valid
// characters with the others as '-', cut to 100 bytes, and 12 hex digits of a hash. ""
// stays "".
func Valid(native string) string {
	if native == "" || events.ValidID(native) {
		return native
	}
	readable := strings.Map(func(r rune) rune {
		if events.ValidID(string(r)) {
			return r
		}
		return '-'
	}, native)
	if len(readable) > keptOfInvalid {
		readable = readable[:keptOfInvalid]
	}
	return strings.TrimLeft(readable, "-") + "-" + hash(native)[:hashOfInvalid]
}

// Subagent returns the session id of the subagent that parent calls name.
func Subagent(parent, name string) string { return Valid(parent + "-agent-" + name) }

// IsSubagent reports whether id is a session that [Subagent] names for parent, or for a subagent of it.
func IsSubagent(id, parent string) bool { return strings.HasPrefix(id, parent+"-agent-") }

// OfContent returns the id of a session whose transcript, in the given format, does not
// name one: it is derived from the transcript's beginning.
func OfContent(format string, head []byte) string { return format + "-" + hash(string(head))[:20] }

// hash returns 32 hex digits of the SHA-256 of the text and its length.
func hash(text string) string {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, uint64(len(text)))
	_, _ = io.WriteString(h, text)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
