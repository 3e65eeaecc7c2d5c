package segment

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Grammars is the [Syntax] of internal/analysis/syntax.
type Grammars struct{}

// LanguageOf names the language of a file.
func (Grammars) LanguageOf(path string) string { return syntax.LanguageOf(path) }

// LanguageTagged names the language of a fence's tag.
func (Grammars) LanguageTagged(tag string) string { return syntax.LanguageTagged(tag) }

// Symbols are the declarations in code.
func (Grammars) Symbols(language, code string, firstLine, sketch int) []sessionevents.Symbol {
	return syntax.SymbolsSketched(language, code, firstLine, sketch)
}

// Outline is the declarations in code and what it imports.
func (Grammars) Outline(language, code string, firstLine, sketch int) ([]sessionevents.Symbol, []string) {
	source := syntax.Read(language, code)
	return source.Symbols(firstLine, sketch), source.Imports()
}
