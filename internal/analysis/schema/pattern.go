package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// Bounds on patterns. Go's expressions run in linear time, but repeats make them long.
const (
	maxPatternBytes = 512
	maxInstructions = 2000
)

// patterns compiles a schema's regular expressions and adds up their cost.
type patterns struct{ steps int }

func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	if len(text) > maxPatternBytes {
		return nil, fmt.Errorf("a pattern of %d bytes; at most %d are read", len(text), maxPatternBytes)
	}
	text = ecma(text)
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("pattern (look-around and back references are not supported): %w", err)
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

// escapes matches escapes that ECMA 262 writes differently: \u00e4 and \u{1f600}. An
// escaped backslash is matched first, so that the text after it is not read as an escape.
var escapes = pattern.Must(`\\\\|\\u(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]{1,6}\})`)

// ecma converts a schema's pattern from ECMA 262 to Go's syntax.
func ecma(text string) string {
	return escapes.ReplaceAllStringFunc(text, func(found string) string {
		if found[1] != 'u' {
			return found
		}
		return `\x{` + strings.Trim(found[2:], "{}") + `}`
	})
}
