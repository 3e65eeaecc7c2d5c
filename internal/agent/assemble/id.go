package assemble

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	keptOfInvalid = 100 // bytes of an invalid id that stay readable
	hashOfInvalid = 12  // hex digits that keep two such ids apart
)

// ValidID is native when it can be an id (EV-3); else its valid characters with
// the others as '-', cut to 100 bytes, and 12 hex digits of its hash. "" stays "".
func ValidID(native string) string {
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

// ContentID is the session id of a transcript that has none, from its beginning.
func ContentID(format string, head []byte) string {
	return format + "-" + hash(string(head))[:20]
}
