package shell

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
)

// keptTrees is how many texts stay parsed. The readers of one turn ask for the same few again and
// again: what a command does, which checks it runs, whether it runs anything.
const keptTrees = 64

// mostKept is the length of the longest text that stays parsed.
const mostKept = 16 << 10

// tree is a parsed text. Nobody changes its file.
type tree struct {
	file *syntax.File
	err  error
}

var (
	trees   = recall.New[tree](keptTrees, mostKept)
	parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}
)

// parse returns the syntax tree of a text, which is only to be read; with an error, the part before
// it. It panics where the library does: hostile input may trip it.
func parse(text string) (*syntax.File, error) {
	t := trees.Of(text, func(text string) tree {
		parser := parsers.Get().(*syntax.Parser)
		file, err := parser.Parse(strings.NewReader(text), "")
		parsers.Put(parser) // one that panicked is dropped
		return tree{file, err}
	})
	return t.file, t.err
}
