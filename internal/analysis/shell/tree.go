package shell

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
)

// keptTrees is the number of cached parse results. The readers of one turn parse the same
// few texts repeatedly: for a command's effects, its checks, and whether it runs
// anything.
const keptTrees = 64

// mostKept is the maximum length of a text whose parse result is cached.
const mostKept = 16 << 10

// tree is a parsed text, whose file must not be changed.
type tree struct {
	file *syntax.File
	err  error
}

var (
	trees   = recall.New[tree](keptTrees, mostKept)
	parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}
)

// parse returns the syntax tree of a text, which must not be changed; with an error, that
// of the part before it. It panics if the library does, which hostile input may cause.
func parse(text string) (*syntax.File, error) {
	t := trees.Of(text, func(text string) tree {
		parser := parsers.Get().(*syntax.Parser)
		file, err := parser.Parse(strings.NewReader(text), "")
		parsers.Put(parser) // a parser that panicked is dropped
		return tree{file, err}
	})
	return t.file, t.err
}
