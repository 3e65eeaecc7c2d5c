package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// addMember adds a member at the end of an object whose own line is indented by outer.
func (d document) addMember(o *hujson.Object, outer, name string, content any) error {
	inner := outer + d.indent
	if n := len(o.Members); n > 0 {
		if own, found := lineIndent(o.Members[n-1].Name.BeforeExtra); found {
			inner = own
		}
	}
	value, err := d.render(content, inner)
	if err != nil {
		return err
	}
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: value}
	m.Value.BeforeExtra = hujson.Extra(" ")
	m.Name.BeforeExtra, o.AfterExtra = d.split(o.AfterExtra, inner, outer)
	if n := len(o.Members); n > 0 && o.Members[n-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // this file has trailing commas
	}
	o.Members = append(o.Members, m)
	return nil
}

// addElement adds an element at the end of a list whose own line is indented by outer.
func (d document) addElement(a *hujson.Array, outer string, content any) error {
	inner := outer + d.indent
	if n := len(a.Elements); n > 0 {
		if own, found := lineIndent(a.Elements[n-1].BeforeExtra); found {
			inner = own
		}
	}
	value, err := d.render(content, inner)
	if err != nil {
		return err
	}
	value.BeforeExtra, a.AfterExtra = d.split(a.AfterExtra, inner, outer)
	if n := len(a.Elements); n > 0 && a.Elements[n-1].AfterExtra != nil {
		value.AfterExtra = hujson.Extra{}
	}
	a.Elements = append(a.Elements, value)
	return nil
}

// split divides what precedes a closing bracket: its comments stay above what is added, the bracket moves
// to a line of its own.
func (d document) split(end hujson.Extra, inner, outer string) (before, after hujson.Extra) {
	before = append(trimmed(end), d.newline+inner...)
	return before, hujson.Extra(d.newline + outer)
}

// render returns a value in the style of the file at an indentation.
func (d document) render(content any, indent string) (hujson.Value, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(indent, d.indent)
	if err := encoder.Encode(content); err != nil {
		return hujson.Value{}, fmt.Errorf("write a hook: %w", err)
	}
	return hujson.Parse([]byte(strings.ReplaceAll(strings.TrimSpace(text.String()), "\n", d.newline)))
}

// removeMember removes a member; comments around it stay.
func removeMember(o *hujson.Object, i int) {
	gone := o.Members[i]
	o.Members = slices.Delete(o.Members, i, i+1)
	switch {
	case i < len(o.Members):
		keepComments(&o.Members[i].Name.BeforeExtra, gone.Name.BeforeExtra)
	case i == 0:
		o.AfterExtra = closing(nil, gone.Name.BeforeExtra, gone.Value.AfterExtra, o.AfterExtra)
	default:
		o.AfterExtra = closing(&o.Members[i-1].Value, gone.Name.BeforeExtra, gone.Value.AfterExtra, o.AfterExtra)
	}
}

// removeElement removes an element; comments around it stay.
func removeElement(a *hujson.Array, i int) {
	gone := a.Elements[i]
	a.Elements = slices.Delete(a.Elements, i, i+1)
	switch {
	case i < len(a.Elements):
		keepComments(&a.Elements[i].BeforeExtra, gone.BeforeExtra)
	case i == 0:
		a.AfterExtra = closing(nil, gone.BeforeExtra, gone.AfterExtra, a.AfterExtra)
	default:
		a.AfterExtra = closing(&a.Elements[i-1], gone.BeforeExtra, gone.AfterExtra, a.AfterExtra)
	}
}

// keepComments moves the comments before something removed to what follows it.
func keepComments(next *hujson.Extra, gone hujson.Extra) {
	if hasComment(gone) {
		*next = append(trimmed(gone), *next...)
	}
}

// closing returns what precedes the closing bracket once the last value is removed; last is the value that
// is now the last one, or nil.
func closing(last *hujson.Value, before, trailing, end hujson.Extra) hujson.Extra {
	out := append(trimmed(before), trailing...)
	if last != nil && trailing == nil && last.AfterExtra != nil {
		out = append(bytes.Clone(last.AfterExtra), out...)
		last.AfterExtra = nil // this file has no trailing commas
	}
	if last != nil && trailing != nil && last.AfterExtra == nil {
		last.AfterExtra = hujson.Extra{}
	}
	out = append(out, end...)
	if last == nil && !hasComment(out) {
		return nil
	}
	return out
}

// trimmed returns a copy without trailing white space: what is parsed shares its memory with the text,
// which appending would overwrite.
func trimmed(extra hujson.Extra) hujson.Extra {
	return bytes.Clone(bytes.TrimRight(extra, " \t\r\n"))
}

func hasComment(extra hujson.Extra) bool { return len(bytes.TrimSpace(extra)) > 0 }
