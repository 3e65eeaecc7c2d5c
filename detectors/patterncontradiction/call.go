package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
)

// findCall returns the offset at which code calls a name, -1 if it does not. A bare name counts
// only as a plain call, not as a method or a definition of that name.
func findCall(source, name, ecosystem string) int {
	if name == "" || source == "" {
		return -1
	}
	bareName := !strings.ContainsAny(name, ".:[{! ")
	for from := 0; ; {
		at := strings.Index(source[from:], name)
		if at < 0 {
			return -1
		}
		at += from
		from = at + len(name)
		if startsName(source, at, bareName) && endsCall(source, from, name, bareName, ecosystem) && !(bareName && defines(source, at, from)) {
			return at
		}
	}
}

func startsName(source string, at int, bareName bool) bool {
	if at == 0 {
		return true
	}
	c := source[at-1]
	return !code.IsName(c) && !(bareName && (c == '.' || c == ':' || c == '>'))
}

// endsCall reports whether what follows a name makes it a use of it.
func endsCall(source string, end int, name string, bareName bool, ecosystem string) bool {
	if last := name[len(name)-1]; !code.IsName(last) {
		return true
	}
	rest := source[end:]
	if rest == "" {
		return !bareName
	}
	if code.IsName(rest[0]) {
		return false
	}
	if !bareName {
		return true
	}
	rest = strings.TrimLeft(rest, " ")
	return strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "<") && ecosystem == "javascript" ||
		ecosystem == "ruby" && source[end] == ' ' && rest != "" && rest[0] != '=' && rest[0] != '|'
}

// defines reports whether a name occurs in its own definition: after a keyword, or as a method's
// head.
func defines(source string, at, end int) bool {
	start := strings.LastIndexByte(source[:at], '\n') + 1
	line := source[start:]
	if stop := strings.IndexByte(line, '\n'); stop >= 0 {
		line = line[:stop]
	}
	before := strings.Fields(source[start:at])
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
	end := code.Closing(rest, max(strings.IndexAny(rest, "()"), 0))
	after := strings.TrimSpace(rest[min(end+1, len(rest)):])
	return strings.HasSuffix(after, "{") && (after == "{" || after[0] == ':')
}

var modifiers = []string{"async", "public", "private", "protected", "static", "override", "export", "readonly"}
