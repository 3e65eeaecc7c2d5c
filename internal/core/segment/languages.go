package segment

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Grammars is the [Syntax] of internal/analysis/syntax.
type Grammars struct{}

// LanguageOf names the language of a file.
func (Grammars) LanguageOf(path string) string { return syntax.LanguageOf(path) }

// LanguageTagged names the language of a fence's tag.
func (Grammars) LanguageTagged(tag string) string { return syntax.LanguageTagged(tag) }

// Symbols are the declarations in code.
func (Grammars) Symbols(language, code string, firstLine, sketch int) []events.Symbol {
	return syntax.SymbolsSketched(language, code, firstLine, sketch)
}

// Imports are the modules that code imports.
func (Grammars) Imports(language, code string) []string { return syntax.Imports(language, code) }
