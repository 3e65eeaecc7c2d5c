package weakcrypto

import "strings"

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
	for start > 0 && inName(left[start-1]) {
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
func hasName(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		start := at + i
		end := start + len(name)
		if (start == 0 || !inName(text[start-1])) && (end == len(text) || !inName(text[end])) {
			return true
		}
		at = start + 1
	}
}
