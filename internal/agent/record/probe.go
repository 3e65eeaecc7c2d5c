package record

import (
	"encoding/json"
	"strings"
)

// Probe is the outline of a JSON object, to recognise what it is: the path of
// each member down to depth 2 ("type", "payload.type") with the value of
// strings of at most 200 bytes, numbers and words as written, "{" for an object, "[" for
// an array and "" for a longer string. Of an array that is a member, the first
// element is outlined under "name[]".
type Probe map[string]string

// Has reports whether all paths are there, whatever their values.
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

// Outline reads the outline of b, which may be cut off anywhere, and reports
// whether the value was whole and how many bytes it took.
func Outline(b []byte) (p Probe, whole bool, size int) {
	p = Probe{}
	o := outliner{b: b, into: p}
	whole = o.value("", 0)
	return p, whole, o.i
}

type outliner struct {
	b    []byte
	i    int
	into Probe
}

const (
	outlineDepth = 2
	outlineValue = 200 // bytes of a string that are kept
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
		o.i++
		return o.object(path, depth)
	case c == '[' && inside:
		o.set(path, "[")
		o.i++
		return o.array(path, depth)
	}
	start := o.i
	var v value
	n, done := v.feed(o.b[o.i:])
	o.i += n
	if text := o.b[start:o.i]; c == '{' || c == '[' {
		o.set(path, string(c))
	} else if done || v.scalar {
		o.set(path, scalar(text))
	} else {
		o.set(path, "") // cut off
	}
	return done
}

func (o *outliner) object(path string, depth int) bool {
	for {
		c, ok := o.peek()
		switch {
		case !ok:
			return false
		case c == '}':
			o.i++
			return true
		case c == ',' || c == ':':
			o.i++
			continue
		case c != '"':
			return false
		}
		start := o.i
		var v value
		n, done := v.feed(o.b[o.i:])
		o.i += n
		if !done {
			return false
		}
		key := scalar(o.b[start:o.i])
		if c, ok = o.peek(); !ok || c != ':' {
			return false
		}
		o.i++
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
			o.i++
			return true
		case c == ',':
			o.i++
			continue
		}
		before := o.i
		if first {
			first = false
			if !o.value(path+"[]", depth) {
				return false
			}
		} else {
			var v value
			n, done := v.feed(o.b[o.i:])
			o.i += n
			if !done {
				return false
			}
		}
		if o.i == before {
			return false // damage: nothing was read
		}
	}
}

func (o *outliner) set(path, value string) {
	if path != "" {
		o.into[path] = value
	}
}

func (o *outliner) peek() (byte, bool) {
	for o.i < len(o.b) {
		if !isSpace(o.b[o.i]) {
			return o.b[o.i], true
		}
		o.i++
	}
	return 0, false
}

// scalar is a string's text, or a number or word as written; "" for nested
// values and long strings.
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
