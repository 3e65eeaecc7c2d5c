package contract

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of patterns. Go's expressions run in linear time; repeats make them long.
const (
	maxPatternBytes = 512
	maxInstructions = 2000
)

// patterns compiles a schema's regular expressions and adds up their work.
type patterns struct{ steps int }

func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	if len(text) > maxPatternBytes {
		return nil, fmt.Errorf("a pattern of %d bytes; at most %d are read", len(text), maxPatternBytes)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	if len(program.Inst) > maxInstructions {
		return nil, fmt.Errorf("a pattern is too complicated: its repeats make %d instructions, at most %d are allowed", len(program.Inst), maxInstructions)
	}
	p.steps += 1 + len(program.Inst)/8
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	return compiled, nil
}
