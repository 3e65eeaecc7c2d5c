package codepattern

import "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"

// memo remembers which expressions occur in which names: a file uses few of them, often.
type memo map[memoKey]bool

type memoKey struct {
	expression *pattern.Regexp
	text       string
}

// matches reports whether an expression, nil for none, occurs in a text.
func (a *analysis) matches(expression *pattern.Regexp, text string) bool {
	if expression == nil {
		return false
	}
	found, known := a.memo[memoKey{expression, text}]
	if !known {
		found = expression.MatchString(text)
		a.memo[memoKey{expression, text}] = found
	}
	return found
}
