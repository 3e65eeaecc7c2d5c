package weakcrypto

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// untouched reports whether the variable of a match has the same bytes each time: it is
// created by an expression that fresh matches and only its own elements are written until
// the match, or it has the name of a constant. The pattern has already checked anything
// other than a variable.
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
