package weakcrypto

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// untouched reports whether the variable that a match is about holds the same bytes each time: an
// expression that fresh describes makes it and nothing but its own elements is written until the
// match, or its name is that of a constant. Anything but a variable was checked by the pattern.
func untouched(fresh *pattern.Regexp, m *codepattern.Match) bool {
	name := strings.TrimLeft(m.Value, "$*&")
	if name == "" || strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 || !inName(byte(r)) }) >= 0 {
		return true
	}
	first, _, _ := strings.Cut(m.Statement, "\n")
	end := max(0, strings.Index(m.FunctionText, first))
	made := strings.ToUpper(name) == name
	for _, line := range strings.Split(m.FunctionText[:end], "\n") {
		at := assignment(line)
		switch {
		case !hasName(line, name):
		case at >= 0 && assigned(line) == name:
			made = fresh.MatchString(line[at:])
		case at >= 0 && strings.HasPrefix(strings.TrimLeft(line, " \t$"), name+"["):
		default:
			made = false // something else may fill it
		}
	}
	return made
}
