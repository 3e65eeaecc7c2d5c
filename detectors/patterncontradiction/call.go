package patterncontradiction

import (
	"slices"
	"strings"
)

// findCall returns the offset at which code calls a name, -1 if it does not. A bare name counts
// only as a plain call, not as a method or a definition of that name.
func findCall(code, name, ecosystem string) int {
	if name == "" || code == "" {
		return -1
	}
	bareName := !strings.ContainsAny(name, ".:[{! ")
	for from := 0; ; {
		at := strings.Index(code[from:], name)
		if at < 0 {
			return -1
		}
		at += from
		from = at + len(name)
		if startsName(code, at, bareName) && endsCall(code, from, name, bareName, ecosystem) && !(bareName && defines(code, at, from)) {
			return at
		}
	}
}

func startsName(code string, at int, bareName bool) bool {
	if at == 0 {
		return true
	}
	c := code[at-1]
	return !isNameByte(c) && !(bareName && (c == '.' || c == ':' || c == '>'))
}

// endsCall reports whether what follows a name makes it a use of it.
func endsCall(code string, end int, name string, bareName bool, ecosystem string) bool {
	if last := name[len(name)-1]; !isNameByte(last) {
		return true
	}
	rest := code[end:]
	if rest == "" {
		return !bareName
	}
	if isNameByte(rest[0]) {
		return false
	}
	if !bareName {
		return true
	}
	rest = strings.TrimLeft(rest, " ")
	return strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "<") && ecosystem == "javascript" ||
		ecosystem == "ruby" && code[end] == ' ' && rest != "" && rest[0] != '=' && rest[0] != '|'
}

// defines reports whether a name occurs in its own definition: after a keyword, or as a method's
// head.
func defines(code string, at, end int) bool {
	start := strings.LastIndexByte(code[:at], '\n') + 1
	line := code[start:]
	if stop := strings.IndexByte(line, '\n'); stop >= 0 {
		line = line[:stop]
	}
	before := strings.Fields(code[start:at])
	for _, word := range before {
		switch word {
		case "def", "func", "fn", "function", "function*", "import", "class":
			return true
		}
	}
	onlyModifiers := !slices.ContainsFunc(before, func(w string) bool { return !slices.Contains(modifiers, w) })
	return onlyModifiers && isMethodHead(line[end-start:])
}

// isMethodHead reports whether "(a, b): T {" follows a name.
func isMethodHead(rest string) bool {
	depth := 0
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth <= 0 {
				after := strings.TrimSpace(rest[i+1:])
				return strings.HasSuffix(after, "{") && (after == "{" || after[0] == ':')
			}
		}
	}
	return false
}

var modifiers = []string{"async", "public", "private", "protected", "static", "override", "export", "readonly"}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
