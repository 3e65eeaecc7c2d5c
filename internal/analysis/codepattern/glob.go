package codepattern

import (
	"fmt"
	"regexp"
	"strings"

	re2 "github.com/wasilibs/go-re2"
)

// globs matches dotted names against patterns with * (anything) and {a,b}.
type globs struct{ expression *regexp.Regexp }

func compileGlobs(patterns []string) (globs, error) {
	if len(patterns) == 0 {
		return globs{}, nil
	}
	alternatives := make([]string, len(patterns))
	for i, p := range patterns {
		alternatives[i] = globExpression(p)
	}
	expression, err := regexp.Compile(`(?i)^(?:` + strings.Join(alternatives, "|") + `)$`)
	if err != nil {
		return globs{}, fmt.Errorf("pattern of %q: %w", patterns, err)
	}
	return globs{expression}, nil
}

func globExpression(pattern string) string {
	var b strings.Builder
	for _, r := range pattern {
		switch r {
		case '*':
			b.WriteString(`.*`)
		case '{':
			b.WriteString(`(?:`)
		case '}':
			b.WriteByte(')')
		case ',':
			b.WriteByte('|')
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

func (g globs) match(name string) bool { return g.expression != nil && g.expression.MatchString(name) }

// anyOf joins expressions to one that matches where any does; nil for none.
func anyOf(before string, list []string) (*regexp.Regexp, error) {
	if len(list) == 0 {
		return nil, nil
	}
	expression, err := regexp.Compile(before + `(?:` + strings.Join(list, "|") + `)`)
	if err != nil {
		return nil, fmt.Errorf("expression: %w", err)
	}
	return expression, nil
}

// overText is anyOf for expressions over whole hunks, where RE2 is a hundred
// times faster.
func overText(list []string) (*re2.Regexp, error) {
	if len(list) == 0 {
		return nil, nil
	}
	expression, err := re2.Compile(`(?m)(?:` + strings.Join(list, "|") + `)`)
	if err != nil {
		return nil, fmt.Errorf("expression: %w", err)
	}
	return expression, nil
}

func matches(expression *regexp.Regexp, text string) bool {
	return expression != nil && expression.MatchString(text)
}
