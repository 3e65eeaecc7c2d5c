package install

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// add adds our handlers for every event after the existing ones.
func (a *Settings) add(d document, p Plan) error {
	if a.Version > 0 {
		if at, err := member(d.root, "version", "version"); err != nil {
			return err
		} else if at < 0 {
			if err := d.addMember(d.root, "", "version", a.Version); err != nil {
				return err
			}
		}
	}
	hooks, err := d.object(d.root, "", "hooks", "hooks")
	if err != nil {
		return err
	}
	for _, event := range a.Hooks {
		content, err := a.entry(p)
		if err != nil {
			return err
		}
		list, err := d.list(hooks, d.indent, event)
		if err != nil {
			return err
		}
		if err := d.addElement(list, d.indent+d.indent, content); err != nil {
			return err
		}
	}
	return nil
}

// object returns the object with a name, which it creates if necessary.
func (d document) object(in *hujson.Object, outer, name, place string) (*hujson.Object, error) {
	at, err := member(in, name, place)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		if err := d.addMember(in, outer, name, struct{}{}); err != nil {
			return nil, err
		}
		at = len(in.Members) - 1
	}
	o, ok := in.Members[at].Value.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s must contain settings between { and }; fix it first; nothing was changed", place)
	}
	return o, nil
}

// list returns the list of an event, which it creates if necessary.
func (d document) list(hooks *hujson.Object, outer, event string) (*hujson.Array, error) {
	at, err := member(hooks, event, "hooks."+event)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		if err := d.addMember(hooks, outer, event, []any{}); err != nil {
			return nil, err
		}
		at = len(hooks.Members) - 1
	}
	a, ok := hooks.Members[at].Value.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("hooks.%s must be a list between [ and ]; fix it first; nothing was changed", event)
	}
	return a, nil
}

// strip removes all of our handlers, with the groups and lists that become empty, and returns how many
// there were; tidy removes any empty list.
func (a *Settings) strip(d document, tidy bool) (int, error) {
	at, err := member(d.root, "hooks", "hooks")
	if err != nil || at < 0 {
		return 0, err
	}
	hooks, ok := d.root.Members[at].Value.Value.(*hujson.Object)
	if !ok {
		return 0, fmt.Errorf("hooks must contain settings between { and }; fix it first; nothing was changed")
	}
	removed := 0
	for i := len(hooks.Members) - 1; i >= 0; i-- {
		list, ok := hooks.Members[i].Value.Value.(*hujson.Array)
		if !ok {
			continue // no handlers, so none of ours
		}
		n := a.stripList(list)
		removed += n
		if (tidy || n > 0) && len(list.Elements) == 0 && !hasComment(list.AfterExtra) {
			removeMember(hooks, i)
		}
	}
	if (tidy || removed > 0) && len(hooks.Members) == 0 && !hasComment(hooks.AfterExtra) {
		removeMember(d.root, at)
	}
	return removed, nil
}

// stripList removes our handlers from a list of handlers or of groups.
func (a *Settings) stripList(list *hujson.Array) int {
	removed := 0
	for i := len(list.Elements) - 1; i >= 0; i-- {
		if a.ours(list.Elements[i]) {
			removeElement(list, i)
			removed++
			continue
		}
		inner := handlersOf(list.Elements[i])
		if inner == nil {
			continue
		}
		n := a.stripList(inner)
		removed += n
		if n > 0 && len(inner.Elements) == 0 {
			removeElement(list, i)
		}
	}
	return removed
}

// handlersOf returns the list of handlers in a group, or nil.
func handlersOf(v hujson.Value) *hujson.Array {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	for _, m := range o.Members {
		if list, ok := m.Value.Value.(*hujson.Array); ok && named(m, "hooks") {
			return list
		}
	}
	return nil
}

// document is a settings file as written, with the style for new lines.
type document struct {
	value   hujson.Value
	root    *hujson.Object
	mark    []byte // byte order mark
	newline string
	indent  string
}

var byteOrderMark = []byte("\ufeff")

// parse parses a file. An empty file counts as an object without members.
func parse(name string, data []byte) (document, error) {
	d := document{newline: "\n", indent: "  "}
	if rest, found := bytes.CutPrefix(data, byteOrderMark); found {
		d.mark, data = byteOrderMark, rest
	}
	if !utf8.Valid(data) {
		return d, fmt.Errorf("%s is not UTF-8 text; fix it first; nothing was changed", name)
	}
	if bytes.Contains(data, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}" + d.newline)
	}
	value, err := hujson.Parse(data)
	if err != nil {
		return d, fmt.Errorf("%s is not valid JSON (%s); fix it first; nothing was changed", name, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	root, ok := value.Value.(*hujson.Object)
	if !ok {
		return d, fmt.Errorf("%s must contain settings between { and }; fix it first; nothing was changed", name)
	}
	d.value, d.root = value, root
	if len(root.Members) > 0 {
		if own, found := lineIndent(root.Members[0].Name.BeforeExtra); found && own != "" {
			d.indent = own
		}
	}
	return d, nil
}

// bytes returns the file as written.
func (d document) bytes() []byte {
	return append(bytes.Clone(d.mark), d.value.Pack()...)
}

// lineIndent returns the white space between the last line break and what follows.
func lineIndent(extra hujson.Extra) (string, bool) {
	at := bytes.LastIndexByte(extra, '\n')
	if at < 0 {
		return "", false
	}
	rest := extra[at+1:]
	return string(rest[len(bytes.TrimRight(rest, " \t")):]), true
}

// named reports whether a member has a name.
func named(m hujson.ObjectMember, name string) bool {
	l, ok := m.Name.Value.(hujson.Literal)
	return ok && l.String() == name
}

// member returns the index of the only member with a name; a second is an error, as agents and we might
// mean different ones.
func member(o *hujson.Object, name, place string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if !named(m, name) {
			continue
		}
		if found >= 0 {
			return -1, fmt.Errorf("%s appears twice in the file; fix it first; nothing was changed", place)
		}
		found = i
	}
	return found, nil
}
