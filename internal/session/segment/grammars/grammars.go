// Package grammars reads code and Markdown for package segment, which links no grammar
// itself: a hook that decides alone cuts no turns.
package grammars

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown/blocks"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Linked implements [segment.Syntax] with the grammars that are linked into the program.
type Linked struct{}

// Blocks returns the blocks of Markdown.
func (Linked) Blocks(text string) []markdown.Block { return blocks.Of(text) }

// LanguageOf returns the language of a file.
func (Linked) LanguageOf(path string) string { return syntax.LanguageOf(path) }

// LanguageTagged returns the language of a fence's tag.
func (Linked) LanguageTagged(tag string) string { return syntax.LanguageTagged(tag) }

// Symbols returns the declarations in code.
func (Linked) Symbols(language, code string, firstLine, sketch int) []sessionevents.Symbol {
	return syntax.SymbolsSketched(language, code, firstLine, sketch)
}

// Outline returns the declarations in code and its imports.
func (Linked) Outline(language, code string, firstLine, sketch int) ([]sessionevents.Symbol, []string) {
	source := syntax.Read(language, code)
	return source.Symbols(firstLine, sketch), source.Imports()
}
