package redact

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// document is a JSON text with the positions of its strings.
type document struct {
	raw     []byte
	strings []jsonString
}

// jsonString is a string literal of a document and the leaf that holds its text.
type jsonString struct {
	start, end int // bytes of the literal, quotes included
	leaf       int // -1: not a leaf
}

// minimumKey is the minimum length of an object's key that could be a secret.
const minimumKey = 16

// collectJSON adds the strings of raw to c. Group joins strings under the same key with
// their neighbours; "" joins none.
func (r *Redactor) collectJSON(c *collection, raw []byte, block int, pointer, group string) *document {
	w := jsonWalk{redactor: r, c: c, doc: &document{raw: raw}, block: block, pointer: pointer, group: group}
	w.walk()
	return w.doc
}

// jsonWalk reads JSON without recursion. It trusts the grammar, which the decoder of the event has
// checked; strings are found even in invalid JSON.
type jsonWalk struct {
	redactor *Redactor
	c        *collection
	doc      *document
	block    int
	pointer  string
	group    string
	frames   []jsonFrame
}

type jsonFrame struct {
	object    bool
	key       string
	wantKey   bool
	path      string
	firstLeaf int
}

func (w *jsonWalk) walk() {
	raw := w.doc.raw
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '{', '[':
			w.frames = append(w.frames, jsonFrame{object: raw[i] == '{', wantKey: raw[i] == '{', key: w.key(), firstLeaf: len(w.c.leaves)})
		case '}', ']':
			w.leave()
		case ',':
			if n := len(w.frames); n > 0 {
				w.frames[n-1].wantKey = w.frames[n-1].object
			}
		case ':':
			if n := len(w.frames); n > 0 {
				w.frames[n-1].wantKey = false
			}
		case '"':
			i = w.literal(i)
			continue
		}
		i++
	}
	for len(w.frames) > 0 {
		w.leave()
	}
}

func (w *jsonWalk) key() string {
	if n := len(w.frames); n > 0 {
		return w.frames[n-1].key
	}
	return ""
}

// leave closes a frame: a path named in it applies to all its strings that have none of
// their own.
func (w *jsonWalk) leave() {
	n := len(w.frames)
	if n == 0 {
		return
	}
	f := w.frames[n-1]
	w.frames = w.frames[:n-1]
	if f.path == "" {
		return
	}
	for i := f.firstLeaf; i < len(w.c.leaves); i++ {
		if w.c.leaves[i].path == "" {
			w.c.leaves[i].path = f.path
		}
	}
}

// literal reads the string that begins at start and returns the offset after it.
func (w *jsonWalk) literal(start int) int {
	end := literalEnd(w.doc.raw, start)
	text := unquote(w.doc.raw[start:end])
	n := len(w.frames)
	if n > 0 && w.frames[n-1].wantKey {
		w.frames[n-1].key = text
		if len(text) >= minimumKey {
			w.add(start, end, leaf{text: text})
		}
		return end
	}
	key := w.key()
	if n > 0 && w.frames[n-1].object && w.redactor.pathKeys[key] && len(text) < 1024 {
		w.frames[n-1].path = text
	}
	l := leaf{text: text, name: key}
	if w.group != "" {
		l.group = w.group + "/" + strconv.Itoa(n) + "/" + key
	}
	w.add(start, end, l)
	return end
}

func (w *jsonWalk) add(start, end int, l leaf) {
	l.block = w.block
	l.pointer = w.pointer + "#" + strconv.Itoa(len(w.doc.strings))
	w.doc.strings = append(w.doc.strings, jsonString{start, end, w.c.add(l)})
}

func literalEnd(raw []byte, start int) int {
	for i := start + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// unquote decodes a literal; an invalid literal is returned unchanged.
func unquote(literal []byte) string {
	inner := strings.Trim(string(literal), `"`)
	if len(literal) >= 2 {
		inner = string(literal[1 : len(literal)-1])
	}
	if strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var text string
	if json.Unmarshal(literal, &text) != nil {
		return inner
	}
	return text
}

// rebuild writes the document with the changed strings.
func (d *document) rebuild(c *collection) json.RawMessage {
	out := make([]byte, 0, len(d.raw)+64)
	at := 0
	for _, s := range d.strings {
		if !c.leaves[s.leaf].changed {
			continue
		}
		out = append(out, d.raw[at:s.start]...)
		out = appendString(out, c.leaves[s.leaf].text)
		at = s.end
	}
	return append(out, d.raw[at:]...)
}

// appendString writes text as a JSON string without HTML escapes.
func appendString(out []byte, text string) []byte {
	out = append(out, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				out = append(out, "\ufffd"...)
			} else {
				out = append(out, text[i:i+size]...)
			}
			i += size
			continue
		}
		out = appendASCII(out, c)
		i++
	}
	return append(out, '"')
}

func appendASCII(out []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch {
	case c == '"' || c == '\\':
		return append(out, '\\', c)
	case c == '\n':
		return append(out, '\\', 'n')
	case c == '\r':
		return append(out, '\\', 'r')
	case c == '\t':
		return append(out, '\\', 't')
	case c < 0x20:
		return append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	default:
		return append(out, c)
	}
}
