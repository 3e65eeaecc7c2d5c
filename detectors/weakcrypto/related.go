package weakcrypto

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// related returns a statement with the lines of its function that assign its names and
// the lines that use the name it assigns, at most reach lines in either direction: the
// input of an MD5 object shows what it protects. With assignments, only uses that assign
// the value to another name count.
func related(statement, function string, reach int, assignments bool) string {
	var out strings.Builder
	out.WriteString(statement)
	first, _, _ := strings.Cut(statement, "\n")
	at := strings.Index(function, first)
	if at < 0 || first == "" {
		return statement
	}
	above := strings.Split(function[:at], "\n")
	for _, line := range above[max(0, len(above)-1-reach):] {
		if name := assigned(line); name != "" && hasName(statement, name) {
			out.WriteString("\n" + line)
		}
	}
	name := assigned(first)
	if name == "" {
		return out.String()
	}
	below := strings.Split(function[min(len(function), at+len(statement)):], "\n")
	for _, line := range below[:min(len(below), reach)] {
		if hasName(line, name) && (!assignments || assigned(line) != "") {
			out.WriteString("\n" + line)
		}
	}
	return out.String()
}

// assigned returns the variable that a line assigns, the first of several, without type
// and object: "hash" of "final byte[] hash = …" and "self.hash = …".
func assigned(line string) string {
	at := assignment(line)
	if at < 0 {
		return ""
	}
	left := line[:at]
	if comma := strings.IndexByte(left, ','); comma >= 0 {
		left = left[:comma]
	}
	left, _, _ = strings.Cut(strings.TrimRight(left, " \t:"), ": ") // a type after the name
	left = strings.TrimRight(left, " \t:+.")
	start := len(left)
	for start > 0 && text.IsName(left[start-1]) {
		start--
	}
	return left[start:]
}

// assignment returns the offset of an assignment's "=", -1 if there is none. A bracket
// before it makes it a keyword argument or a condition.
func assignment(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '(', '"', '\'', '`', '{', '#':
			return -1
		case '=':
			if i+1 < len(line) && (line[i+1] == '=' || line[i+1] == '>') || i > 0 && strings.IndexByte("!<>=", line[i-1]) >= 0 {
				return -1
			}
			return i
		}
	}
	return -1
}

// hasName reports whether text contains name as a whole word.
func hasName(s, name string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], name)
		if i < 0 {
			return false
		}
		start := at + i
		end := start + len(name)
		if (start == 0 || !text.IsName(s[start-1])) && (end == len(s) || !text.IsName(s[end])) {
			return true
		}
		at = start + 1
	}
}

// picked reports whether a random number only selects one of the existing tokens, keys or
// the like: random.choice(api_keys) does not generate one, and neither does
// pickAuthProvider, which selects one of providers.
func (d *instance) picked(statement, function string) bool {
	for _, pattern := range d.Picks {
		for _, found := range pattern.FindAllStringSubmatch(statement, -1) {
			for _, name := range strings.FieldsFunc(found[1], func(r rune) bool { return strings.ContainsRune(".$@>-", r) }) {
				if d.collects(name) || says(function, name) {
					return true
				}
			}
		}
	}
	return false
}

// collects reports whether a name is that of a collection of things that make an auth
// context: tokens, API_KEYS, sessionList, but not token_chars.
func (d *instance) collects(name string) bool {
	words := similarity.AppendWords(nil, name)
	last := len(words) - 1
	switch {
	case last > 0 && slices.Contains(d.Collections, words[last]):
		words = words[:last]
		last--
		words[last] = strings.TrimSuffix(words[last], "s")
	case last >= 0 && strings.HasSuffix(words[last], "s"):
		words[last] = strings.TrimSuffix(words[last], "s")
	default:
		return false
	}
	for from := range words {
		if d.auth.holds(words[from:]) {
			return true
		}
	}
	return false
}

// says reports whether a function's name says that it returns an element of a collection:
// pickAuthProvider of providers.
func says(function, collection string) bool {
	words := similarity.AppendWords(nil, collection)
	if len(words) == 0 || !strings.HasSuffix(words[len(words)-1], "s") {
		return false
	}
	return slices.Contains(similarity.AppendWords(nil, function), strings.TrimSuffix(words[len(words)-1], "s"))
}

// untouched reports whether the variable of a match has the same bytes each time: it is
// created by an expression that fresh matches and only its own elements are written until
// the match, or it has the name of a constant. The pattern has already checked anything
// other than a variable.
func untouched(fresh *pattern.Regexp, m *codepattern.Match) bool {
	name := strings.TrimLeft(m.Value, "$*&")
	if name == "" || strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 || !text.IsName(byte(r)) }) >= 0 {
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

// condition matches the first line of a branch.
var condition = pattern.Must(`^\s*(?:\}\s*)?(?:else\s+)?(?:if|elif|elsif|elseif|unless|when|case)\b`)

// maximumClimb bounds the lines above a weak one that are searched.
const maximumClimb = 200

// optedIn reports whether the line at an offset is in a branch whose condition names what
// is disabled: if opts.Insecure { … }. The user of the program then chooses it. Branches
// are found by their indentation, which works for all languages here.
func (d *instance) optedIn(text string, offset int) bool {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	depth := indentation(text[start:])
	lines := strings.Split(text[:start], "\n")
	for n := len(lines) - 1; n >= 0 && len(lines)-n <= maximumClimb && depth > 0; n-- {
		line := lines[n]
		if strings.TrimSpace(line) == "" || indentation(line) >= depth {
			continue
		}
		depth = indentation(line)
		if condition.MatchString(line) && d.OptIn.MatchString(line) {
			return true
		}
	}
	return false
}

// indentation returns the number of blanks and tabs at the beginning of a line.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
