package destruct

import (
	"strconv"
	"strings"
)

// token is a token of program text: a name with its dots, the text of a string, or a
// punctuation mark.
type token struct {
	kind byte // 'n' name, 's' string, 'c' a command in backticks, otherwise the mark
	text string
	// open is set if part of a string is known only at run time.
	open bool
}

// tokenize splits program text into tokens, as far as the supported languages agree:
// comments are left out, and a string is one token.
func tokenize(text, comment string) (out []token) {
	for i := 0; i < len(text) && len(out) < maxTokens; {
		rest, c := text[i:], text[i]
		switch {
		case comment != "" && strings.HasPrefix(rest, comment), c == '#' && comment == "//" && strings.HasPrefix(rest, "#!"):
			i += lengthUntil(rest, "\n")
		case strings.HasPrefix(rest, "/*") && comment == "//":
			i += lengthUntil(rest, "*/")
		case c == '\'' || c == '"' || c == '`':
			t, n := quoted(rest)
			if before := len(out) - 1; before >= 0 && out[before].kind == 'n' && len(out[before].text) <= 2 && strings.Trim(out[before].text, "rRbBfFuU") == "" {
				t.open = t.open || strings.ContainsAny(out[before].text, "fF") && strings.Contains(t.text, "{")
				out = out[:before]
			}
			out = append(out, t)
			i += n
		case nameByte(c):
			n := 1
			for n < len(rest) && (nameByte(rest[n]) || rest[n] == '.' && n+1 < len(rest) && nameByte(rest[n+1])) {
				n++
			}
			out = append(out, token{kind: 'n', text: named(rest[:n])})
			i += n
		case strings.HasPrefix(rest, "::"), strings.HasPrefix(rest, "->"), strings.HasPrefix(rest, "=>"):
			out = append(out, token{kind: '.', text: rest[:2]})
			i += 2
		case strings.HasPrefix(rest, ":="):
			out = append(out, token{kind: '=', text: ":="})
			i += 2
		case c == ' ' || c == '\t' || c == '\r', c == '!' && len(out) > 0 && out[len(out)-1].kind == 'n' && len(rest) > 1 && rest[1] == '(': // File.rm! of Elixir
			i++
		default:
			out = append(out, token{kind: c, text: rest[:1]})
			i++
		}
	}
	return out
}

// named returns a name without the mark of a variable; "$" is a name as well.
func named(word string) string {
	if name := strings.TrimLeft(word, "$@"); name != "" {
		return name
	}
	return word
}

const maxTokens = 4000

func nameByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// quoted parses a string at the beginning of a text and returns its length there.
func quoted(text string) (token, int) {
	mark := text[:1]
	if strings.HasPrefix(text, mark+mark+mark) {
		mark = text[:3]
	}
	var out strings.Builder
	t := token{kind: 's'}
	if mark == "`" {
		t.kind = 'c'
	}
	i := len(mark)
	for i < len(text) && !strings.HasPrefix(text[i:], mark) {
		if text[i] == '\\' && i+1 < len(text) {
			n := escaped(text[i:], &out)
			i += n
			continue
		}
		t.open = t.open || text[i] == '$' && i+1 < len(text) && text[i+1] == '{' || text[i] == '#' && i+1 < len(text) && text[i+1] == '{'
		out.WriteByte(text[i])
		i++
	}
	t.text = out.String()
	return t, min(i+len(mark), len(text))
}

// escaped writes what a backslash sequence stands for, and returns its length in the
// text.
func escaped(text string, out *strings.Builder) int {
	switch c := text[1]; {
	case c == 'n':
		out.WriteByte('\n')
	case c == 't':
		out.WriteByte('\t')
	case c == 'x' && len(text) > 3:
		if v, err := strconv.ParseUint(text[2:4], 16, 8); err == nil {
			out.WriteByte(byte(v))
			return 4
		}
	case c >= '0' && c <= '7':
		n := 2
		for n < len(text) && n < 4 && text[n] >= '0' && text[n] <= '7' {
			n++
		}
		if v, err := strconv.ParseUint(text[1:n], 8, 8); err == nil {
			out.WriteByte(byte(v))
			return n
		}
	default:
		out.WriteByte(c)
	}
	return 2
}
