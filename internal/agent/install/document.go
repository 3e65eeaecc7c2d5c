package install

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

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
