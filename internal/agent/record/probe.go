package record

import (
	"bufio"
	"encoding/json"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Probe is the outline of a JSON object, for recognising its kind: the path of each member down to depth 2
// ("type", "payload.type") with the value of strings of at most 200 bytes, numbers and words as written,
// "{" for an object, "[" for an array and "" for a longer string. For an array that is a member, the first
// element is outlined under "name[]".
type Probe map[string]string

// Has reports whether all paths exist, whatever their values.
func (p Probe) Has(paths ...string) bool {
	for _, path := range paths {
		if _, ok := p[path]; !ok {
			return false
		}
	}
	return true
}

// Is reports whether the value at path is one of the values.
func (p Probe) Is(path string, values ...string) bool {
	got, ok := p[path]
	return ok && contains(values, got)
}

// Outline reads the outline of b, which may be truncated anywhere, and returns whether the value was
// complete and its size in bytes.
func Outline(b []byte) (p Probe, whole bool, size int) {
	in := &piece{b: b}
	o := outliner{in: in, into: Probe{}}
	whole = o.value("", 0)
	return o.into, whole, in.at
}

// OutlineNext reads the outline of the next value of a stream and reports whether the value was complete.
// It holds only the outline, however long the value is.
func OutlineNext(in *bufio.Reader) (p Probe, whole bool) {
	o := outliner{in: stream{in}, into: Probe{}}
	whole = o.value("", 0)
	return o.into, whole
}

// input is the source of an outline: the available bytes, none at its end.
type input interface {
	window() []byte
	take(n int)
}

type piece struct {
	b  []byte
	at int
}

func (p *piece) window() []byte { return p.b[p.at:] }
func (p *piece) take(n int)     { p.at += n }

type stream struct{ in *bufio.Reader }

func (s stream) window() []byte {
	if s.in.Buffered() == 0 {
		if _, err := s.in.Peek(1); err != nil {
			return nil
		}
	}
	b, _ := s.in.Peek(s.in.Buffered()) // they are available
	return b
}

func (s stream) take(n int) { _, _ = s.in.Discard(n) }

type outliner struct {
	in   input
	into Probe
}

const (
	outlineDepth = 2
	outlineValue = 200    // bytes of a string to keep
	outlinePaths = 10_000 // members to keep
)

// value reads one value, which belongs at path, and reports whether it ended.
func (o *outliner) value(path string, depth int) bool {
	c, ok := o.peek()
	if !ok {
		return false
	}
	inside := depth < outlineDepth && strings.Count(path, "[]") < 2
	switch {
	case c == '{' && inside:
		o.set(path, "{")
		o.in.take(1)
		return o.object(path, depth)
	case c == '[' && inside:
		o.set(path, "[")
		o.in.take(1)
		return o.array(path, depth)
	}
	text, done, word := o.whole()
	switch {
	case c == '{' || c == '[':
		o.set(path, string(c))
	case done || word:
		o.set(path, scalar(text))
	default:
		o.set(path, "") // truncated
	}
	return done
}

// whole reads one value: its beginning, whether it ended, and whether it is a number or word, which the end
// of the input ends as well.
func (o *outliner) whole() (text []byte, done, word bool) {
	var v value
	for {
		b := o.in.window()
		if len(b) == 0 {
			return text, false, v.scalar
		}
		n, ended := v.feed(b)
		if room := outlineValue + 1 - len(text); room > 0 {
			text = append(text, b[:min(n, room)]...)
		}
		if o.in.take(n); ended {
			return text, true, v.scalar
		}
	}
}

func (o *outliner) object(path string, depth int) bool {
	for {
		c, ok := o.peek()
		switch {
		case !ok:
			return false
		case c == '}':
			o.in.take(1)
			return true
		case c == ',' || c == ':':
			o.in.take(1)
			continue
		case c != '"':
			return false
		}
		name, done, _ := o.whole()
		if !done {
			return false
		}
		key := scalar(name)
		if c, ok = o.peek(); !ok || c != ':' {
			return false
		}
		o.in.take(1)
		if path != "" {
			key = path + "." + key
		}
		if !o.value(key, depth+1) {
			return false
		}
	}
}

func (o *outliner) array(path string, depth int) bool {
	for first := true; ; {
		c, ok := o.peek()
		switch {
		case !ok:
			return false
		case c == ']':
			o.in.take(1)
			return true
		case c == ',':
			o.in.take(1)
			continue
		case c == '}' || c == ':':
			return false // damage: nothing would be consumed
		}
		if first {
			first = false
			if !o.value(path+"[]", depth) {
				return false
			}
		} else if text, done, _ := o.whole(); !done || len(text) == 0 {
			return false
		}
	}
}

func (o *outliner) set(path, value string) {
	if _, known := o.into[path]; path != "" && (known || len(o.into) < outlinePaths) {
		o.into[path] = value
	}
}

func (o *outliner) peek() (byte, bool) {
	for {
		b := o.in.window()
		if len(b) == 0 {
			return 0, false
		}
		for i, c := range b {
			if !text.IsBlank(c) {
				o.in.take(i)
				return c, true
			}
		}
		o.in.take(len(b))
	}
}

// scalar returns a string's text, or a number or word as written; "" for nested values and long strings.
func scalar(b []byte) string {
	if len(b) == 0 || len(b) > outlineValue || b[0] == '{' || b[0] == '[' {
		return ""
	}
	if b[0] != '"' {
		return string(b)
	}
	var s string
	if json.Unmarshal(b, &s) != nil {
		return ""
	}
	return s
}

// value finds the end of one JSON value, fed in pieces. It checks only nesting and strings; decoding the
// value checks the rest.
type value struct {
	depth   int
	str     bool // inside a string
	escaped bool // after a backslash
	scalar  bool // inside a number or word
	started bool
}

// feed reads bytes of the value from b. It returns how many belong to the value and whether the value is
// complete.
func (v *value) feed(b []byte) (int, bool) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case v.str:
			if v.inString(c) && v.depth == 0 {
				return i + 1, true
			}
		case v.scalar && v.depth == 0:
			if isDelimiter(c) {
				return i, true
			}
		case c == '"':
			v.str, v.started = true, true
		case c == '{' || c == '[':
			v.depth++
			v.started = true
		case c == '}' || c == ']':
			if v.depth <= 1 {
				return i + min(v.depth, 1), true
			}
			v.depth--
		case v.depth == 0 && !text.IsBlank(c):
			if c == ',' || c == ':' {
				return i, true // a value is missing here
			}
			v.scalar, v.started = true, true
		}
	}
	return len(b), false
}

// inString reads one byte of a string and reports whether it ended the string.
func (v *value) inString(c byte) bool {
	switch {
	case v.escaped:
		v.escaped = false
	case c == '\\':
		v.escaped = true
	case c == '"':
		v.str = false
		return true
	}
	return false
}

func isDelimiter(c byte) bool {
	return text.IsBlank(c) || c == ',' || c == ':' || c == '}' || c == ']' || c == '{' || c == '[' || c == '"'
}

// Split splits JSON values that follow each other on a line, as left by a writer that lost a line break.
// Text after the last complete value is dropped.
func Split(b []byte) [][]byte {
	var out [][]byte
	for len(b) > 0 {
		var v value
		n, done := v.feed(b)
		if !done || n == 0 || !v.started {
			return out
		}
		out = append(out, b[:n])
		b = b[n:]
	}
	return out
}
