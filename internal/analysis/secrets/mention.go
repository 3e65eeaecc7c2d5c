package secrets

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

var (
	// callForm is a call as code or prose writes it: user.Save(), Store::get(key).
	callForm = pattern.Must(`^[A-Za-z_]+(?:(?:\.|::|->)[A-Za-z_]+)*\([^()"']*\)[;!?]?$`)
	// pathForm is an identifier of several parts: user.save!, config::SecretKey.
	pathForm = pattern.Must(`^[A-Za-z_]+(?:(?:\.|::|->)[A-Za-z_]+)+[!?]?$`)
	// commentForm is a line, up to a literal, that is a comment.
	commentForm = pattern.Must(`^\s*(?://|#|\*|/\*|--|<!--|;|"""|''')|\s(?://|#)\s`)
)

// mentions reports whether a literal names code instead of being a value: a call anywhere, an
// identifier of several parts in a comment or as a code span after a colon ("would pass: `user.Save()`").
func (sc *scan) mentions(l literal) bool {
	if callForm.MatchString(l.value) {
		return true
	}
	if !pathForm.MatchString(l.value) {
		return false
	}
	start := strings.LastIndexByte(sc.text[:l.start], '\n') + 1
	before := sc.text[start:l.start]
	return commentForm.MatchString(before) || strings.HasSuffix(before, ": `")
}
