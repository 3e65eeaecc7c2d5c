package constraint

import (
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// connectives join verbs, or precede them.
var connectives = map[string]bool{"or": true, "and": true, "directly": true, "ever": true, "please": true}

var (
	alternatives = pattern.Must(`,\s*(?:or |and )?|\s+(?:or|and)\s+|/ `)
	devices      = pattern.Must(`/dev/\S+`)
	camel        = pattern.Must(`[A-Z]+[a-z0-9]*|[a-z]+[0-9]*|[0-9]+`)
)

func isWord(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }
