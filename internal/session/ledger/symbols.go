package ledger

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Symbol is a function, type or file that the session created; it is in use once a later
// line names it.
type Symbol struct {
	Name string `json:"n"`
	Path string `json:"p"`
	At   Place  `json:"a"`
	Used bool   `json:"u,omitempty"`
}

// maxSymbols bounds the symbols kept in a ledger.
const maxSymbols = 64

// symbols records what an edit of code defines, and which known symbols it uses. A test
// that names a symbol does not count as use, since the program would not change without
// the symbol.
func (d changeReader) symbols(s *sessionevents.Segment, at Place) {
	if s.Kind != sessionevents.SegmentDiff || s.Diff == nil || s.Diff.Failed {
		return
	}
	if kind := d.kindOf(s); kind != sessionevents.MutationCode && kind != sessionevents.MutationSettings {
		return
	}
	file := d.registry.Path(s.Path)
	if s.Diff.Truncated > 0 {
		d.usedIn("") // the omitted part may use any of them
	}
	added := s.Diff.Added()
	defines := make([]string, len(added))
	for i, l := range added {
		if m := d.c.Defines.FindStringSubmatch(l.Text); m != nil {
			defines[i] = m[1]
			d.define(Symbol{Name: m[1], Path: file, At: at})
		}
	}
	if s.Diff.Op == sessionevents.DiffCreate {
		name, _, _ := strings.Cut(path.Base(file), ".")
		d.define(Symbol{Name: name, Path: file, At: at})
	}
	for i, l := range added {
		d.usedBy(l.Text, func(y *Symbol) bool { return defines[i] == y.Name || y.Path == file && isFile(y) })
	}
}

// isFile reports whether a symbol is a file, which its own lines do not use.
func isFile(y *Symbol) bool { return strings.HasPrefix(path.Base(y.Path), y.Name+".") }

func (d changeReader) define(y Symbol) {
	if len(y.Name) < 4 || slices.ContainsFunc(d.l.Symbols, func(o Symbol) bool { return o.Name == y.Name }) {
		return
	}
	d.l.Symbols = text.Newest(append(d.l.Symbols, y), maxSymbols)
}

// usedIn marks the symbols that a text names, or all of them for "".
func (d changeReader) usedIn(text string) {
	if text == "" {
		for i := range d.l.Symbols {
			d.l.Symbols[i].Used = true
		}
		return
	}
	d.usedBy(text, func(*Symbol) bool { return false })
}

func (d changeReader) usedBy(text string, except func(*Symbol) bool) {
	for i := range d.l.Symbols {
		if y := &d.l.Symbols[i]; !y.Used && strings.Contains(text, y.Name) && !except(y) {
			y.Used = true
		}
	}
}
