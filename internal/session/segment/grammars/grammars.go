// Package grammars reads code and Markdown for package segment, which by itself links no grammar: a hook that
// decides alone cuts nothing.
package grammars

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown/blocks"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Linked is the [segment.Syntax] of the grammars that the program links.
type Linked struct{}

// Blocks are those of Markdown.
func (Linked) Blocks(text string) []markdown.Block { return blocks.Of(text) }

// LanguageOf names the language of a file.
func (Linked) LanguageOf(path string) string { return syntax.LanguageOf(path) }

// LanguageTagged names the language of a fence's tag.
func (Linked) LanguageTagged(tag string) string { return syntax.LanguageTagged(tag) }

// Symbols are the declarations in code.
func (Linked) Symbols(language, code string, firstLine, sketch int) []sessionevents.Symbol {
	return syntax.SymbolsSketched(language, code, firstLine, sketch)
}

// Outline is the declarations in code and what it imports.
func (Linked) Outline(language, code string, firstLine, sketch int) ([]sessionevents.Symbol, []string) {
	source := syntax.Read(language, code)
	return source.Symbols(firstLine, sketch), source.Imports()
}
