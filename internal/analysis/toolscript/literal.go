package toolscript

import (
	"strconv"
	"strings"
)

// maxDepth bounds nested objects, lists and brackets.
const maxDepth = 50

// reader parses literal expressions. A value is a string, a float64, a bool, a []any or a
// map[string]any; nil is a value known only by running the script.
type reader struct {
	text  string
	at    int
	names map[string]any
	depth int
}

func (r *reader) expression() any {
	if r.depth++; r.depth > maxDepth {
		return nil
	}
	defer func() { r.depth-- }()
	v := r.term()
	for r.next() == '+' {
		r.at++
		before, isText := v.(string)
		after, alsoText := r.term().(string)
		if !isText || !alsoText {
			return nil
		}
		v = before + after
	}
	return v
}

// next skips blanks and comments and returns the byte there, 0 at the end.
func (r *reader) next() byte {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			r.at++
		case strings.HasPrefix(rest, "//"):
			r.skipTo("\n")
		case strings.HasPrefix(rest, "/*"):
			r.skipTo("*/")
		default:
			return rest[0]
		}
	}
	return 0
}

func (r *reader) skipTo(mark string) {
	if i := strings.Index(r.text[r.at:], mark); i >= 0 {
		r.at += i + len(mark)
		return
	}
	r.at = len(r.text)
}

func (r *reader) term() any {
	var v any
	switch c := r.next(); {
	case c == '"' || c == '\'' || c == '`':
		if text, ok := r.literal(); ok {
			v = text
		}
	case c == '[':
		v = r.list()
	case c == '{':
		v = r.object()
	case c == '(':
		r.at++
		v = r.expression()
		if r.next() == ')' {
			r.at++
		}
	case c == '-' || c >= '0' && c <= '9':
		v = r.number()
	default:
		v = r.name()
	}
	return r.methods(v)
}

// methods applies .join(…); a method that only trims is ignored.
func (r *reader) methods(v any) any {
	for strings.HasPrefix(r.text[r.at:], ".") {
		r.at++
		method := r.word()
		if r.next() != '(' {
			return nil
		}
		r.at++
		argument, hasText := r.expression().(string)
		if r.next() != ')' {
			return nil
		}
		r.at++
		list, isList := v.([]any)
		switch {
		case method == "join" && isList && hasText:
			v = strings.Join(texts(list), argument)
		case strings.HasPrefix(method, "trim"):
		default:
			return nil
		}
	}
	return v
}

func (r *reader) word() string {
	start := r.at
	for r.at < len(r.text) && isWord(r.text[r.at]) {
		r.at++
	}
	return r.text[start:r.at]
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// name returns the value of a variable; String.raw makes a template without escapes.
func (r *reader) name() any {
	start := r.at
	word := r.word()
	switch {
	case word == "true" || word == "false":
		return word == "true"
	case word == "String" && strings.HasPrefix(r.text[r.at:], ".raw`"):
		r.at += len(".raw")
		if text, ok := r.literal(); ok {
			return text
		}
		return nil
	case word == "":
		r.at = start
		return nil
	}
	return r.names[word]
}

func (r *reader) number() any {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.0123456789eE_", r.text[r.at]) >= 0 {
		r.at++
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(r.text[start:r.at], "_", ""), 64)
	if err != nil {
		return nil
	}
	return n
}

func (r *reader) list() any {
	r.at++
	list := []any{}
	for {
		switch r.next() {
		case 0:
			return list
		case ']':
			r.at++
			return list
		case ',':
			r.at++
		default:
			before := r.at
			list = append(list, r.expression())
			r.skipValue(before)
		}
	}
}

func (r *reader) object() any {
	r.at++
	object := map[string]any{}
	for {
		switch c := r.next(); c {
		case 0:
			return object
		case '}':
			r.at++
			return object
		case ',':
			r.at++
		default:
			r.member(c, object)
		}
	}
}

// member parses "key: value" or the short form "key".
func (r *reader) member(c byte, object map[string]any) {
	before := r.at
	var key string
	if c == '"' || c == '\'' {
		key, _ = r.literal()
	} else {
		key = r.word()
	}
	value := r.names[key]
	if r.next() == ':' {
		r.at++
		value = r.expression()
	}
	if key != "" && value != nil {
		object[key] = value
	}
	r.skipValue(before)
}

// skipValue skips to the end of a value that was not parsed completely.
func (r *reader) skipValue(before int) {
	for depth := 0; ; {
		switch c := r.next(); {
		case c == 0:
			return
		case depth == 0 && r.at > before && (c == ',' || c == '}' || c == ']'):
			return
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == '"' || c == '\'' || c == '`':
			if _, ok := r.literal(); ok {
				continue
			}
		}
		r.at++
	}
}

// literal parses the string literal at the reader; ok is false if it does not end.
func (r *reader) literal() (text string, ok bool) {
	quote := r.text[r.at]
	raw := strings.HasSuffix(r.text[:r.at], "String.raw")
	var out strings.Builder
	for at := r.at + 1; at < len(r.text); at++ {
		switch c := r.text[at]; {
		case c == quote:
			r.at = at + 1
			return out.String(), true
		case c == '\\' && at+1 < len(r.text):
			if raw && r.text[at+1] != '`' {
				out.WriteByte(c)
				continue
			}
			at = escape(&out, r.text, at+1)
		case c == '$' && quote == '`' && strings.HasPrefix(r.text[at:], "${"):
			at = r.inserted(&out, at)
		case c == '\n' && quote != '`':
			return "", false // an apostrophe
		default:
			out.WriteByte(c)
		}
	}
	return "", false
}

// inserted writes the value of ${name}, or the source if it is unknown, and returns its
// last byte.
func (r *reader) inserted(out *strings.Builder, at int) int {
	end := strings.IndexByte(r.text[at:], '}')
	if end < 0 {
		out.WriteByte('$')
		return at
	}
	name := strings.TrimSpace(r.text[at+2 : at+end])
	if known, ok := r.names[name].(string); ok {
		out.WriteString(known)
	} else {
		out.WriteString(r.text[at : at+end+1])
	}
	return at + end
}

// escape writes the value of the escape whose letter is at at and returns its last byte.
func escape(out *strings.Builder, text string, at int) int {
	const simple = "nrtbfv0"
	switch c := text[at]; {
	case strings.IndexByte(simple, c) >= 0:
		out.WriteByte("\n\r\t\b\f\v\x00"[strings.IndexByte(simple, c)])
	case c == '\n': // a continued line
	case c == 'u' && at+4 < len(text):
		if n, err := strconv.ParseUint(text[at+1:at+5], 16, 32); err == nil {
			out.WriteRune(rune(n))
			return at + 4
		}
		out.WriteByte(c)
	case c == 'x' && at+2 < len(text):
		if n, err := strconv.ParseUint(text[at+1:at+3], 16, 32); err == nil {
			out.WriteRune(rune(n))
			return at + 2
		}
		out.WriteByte(c)
	default:
		out.WriteByte(c)
	}
	return at
}
