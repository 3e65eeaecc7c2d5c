package segment

import (
	"encoding/json"
	"fmt"

	"github.com/buger/jsonparser"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// shortened returns the input with long values cut, as valid JSON of about limit bytes
// that says how much is missing.
func (in *input) shortened(limit int) json.RawMessage {
	if len(in.raw) <= limit {
		if !json.Valid(in.raw) {
			return nil
		}
		return json.RawMessage(in.raw)
	}
	if len(in.fields) == 0 {
		return quoted(fmt.Sprintf("[%d bytes]", len(in.raw)))
	}
	if len(in.fields) == 1 && in.fields[0].name == "" {
		return quoted(cut(in.fields[0].text(), limit))
	}
	fields := in.fields[:min(len(in.fields), maxFields)]
	each := max(limit/max(len(fields), 1)-24, 16)
	spare := 0
	for _, f := range fields {
		spare += max(each-len(f.value), 0)
	}
	out := []byte{'{'}
	for i := range fields {
		f := &fields[i]
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, quoted(cut(f.name, 64))...), ':')
		value := f.short(each + spare)
		spare -= max(min(len(value)-each, spare), 0)
		out = append(out, value...)
	}
	return append(out, '}')
}

const maxFields = 64 // fields kept of a shortened input

// short returns the value as JSON of about limit bytes at most.
func (f *field) short(limit int) []byte {
	switch {
	case f.kind == jsonparser.String:
		text := f.text()
		out := quoted(cut(text, limit))
		for n := limit / 2; len(out) > limit+32 && n > 0; n /= 2 {
			out = quoted(cut(text, n)) // escapes need space
		}
		return out
	case len(f.value) > limit || !json.Valid(f.value):
		return quoted(fmt.Sprintf("[%d bytes]", len(f.value)))
	default:
		return f.value
	}
}

func quoted(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`) // cannot happen: strings always encode
	}
	return b
}

// cut shortens text to limit bytes, between runes, and adds a mark.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	kept := text.Head(s, limit)
	return fmt.Sprintf("%s…[%d bytes more]", kept, len(s)-len(kept))
}
