package segment

import (
	"strings"

	"github.com/buger/jsonparser"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// accesses returns the reads, searches, listings, fetches and writes of a call (SW-12),
// with paths as segments contain them. A call that did not run, or a tool that failed,
// accessed nothing; a failed command line may have run in part.
func (b *builder) accesses(c *call) []sessionevents.Access {
	f := b.tools.fields
	if c.outcome.rejected || c.outcome.cancelled || c.outcome.failed && c.canonical != sessionevents.ToolShell {
		return nil
	}
	switch c.canonical {
	case sessionevents.ToolShell:
		out := c.effects.Accesses
		for i := range out {
			if out[i].Kind != sessionevents.AccessFetch {
				out[i].Target = b.path(out[i].Target)
			}
		}
		return out
	case sessionevents.ToolRead:
		return b.reads(c)
	case sessionevents.ToolSearch:
		folder := b.path(c.in.text(f.Folder...))
		if folder == "" {
			folder = "."
		}
		pattern := c.in.text(f.Pattern...)
		return []sessionevents.Access{{Kind: sessionevents.AccessSearch, Target: folder, Query: shell.Query(b.tools.searchFlags(c), pattern)}}
	case sessionevents.ToolList:
		folder := b.path(c.in.text(f.Folder...))
		if folder == "" {
			folder = "."
		}
		return []sessionevents.Access{{Kind: sessionevents.AccessList, Target: folder}}
	case sessionevents.ToolFetch:
		return b.tools.fetches(c)
	case sessionevents.ToolEdit, sessionevents.ToolWrite:
		return []sessionevents.Access{{Kind: sessionevents.AccessWrite, Target: b.path(c.in.text(f.Path...))}}
	default:
		return nil
	}
}

// reads returns the files of a read call with their line ranges.
func (b *builder) reads(c *call) (out []sessionevents.Access) {
	f := b.tools.fields
	from, to := b.tools.lineRange(c)
	if p := c.in.text(f.Path...); p != "" {
		return []sessionevents.Access{{Kind: sessionevents.AccessRead, Target: b.path(p), From: from, To: to}}
	}
	if list, ok := c.in.field(f.Paths...); ok {
		for _, p := range list.list() {
			out = append(out, sessionevents.Access{Kind: sessionevents.AccessRead, Target: b.path(p), From: from, To: to})
		}
		for _, o := range list.objects() {
			if p := o.text(f.Path...); p != "" {
				out = append(out, sessionevents.Access{Kind: sessionevents.AccessRead, Target: b.path(p)})
			}
		}
	}
	return out
}

// lineRange returns the lines that a read call requests; 0, 0 means all.
func (t *toolTable) lineRange(c *call) (from, to int) {
	f := t.fields
	if list, ok := c.in.field(f.Range...); ok {
		var ends []int
		list.each(func(item *field) {
			if n, ok := (&input{fields: []field{*item}}).number(""); ok {
				ends = append(ends, n)
			}
		})
		if len(ends) == 2 {
			return max(ends[0], 0), max(ends[1], 0)
		}
	}
	from, hasFrom := c.in.number(f.Offset...)
	limit, hasLimit := c.in.number(f.Limit...)
	to, hasTo := c.in.number(f.End...)
	if !hasFrom && !hasLimit && !hasTo || from < 0 {
		return 0, 0
	}
	if c.tool.ZeroBased {
		from++
	}
	from = max(from, 1)
	switch {
	case hasTo && to >= from:
		return from, to
	case hasLimit && limit > 0:
		return from, from + limit - 1
	case from == 1:
		return 0, 0
	default:
		return from, 0
	}
}

// searchFlags returns the fields of a search call that affect its results.
func (t *toolTable) searchFlags(c *call) (out []string) {
	for _, name := range t.fields.Flags {
		f, ok := c.in.field(name)
		if !ok || f.kind == jsonparser.Object || f.kind == jsonparser.Boolean && string(f.value) == "false" {
			continue
		}
		switch text := f.text(); {
		case f.kind == jsonparser.Boolean:
			out = append(out, name)
		case text != "":
			out = append(out, name+"="+text)
		default:
			out = append(out, name+"="+string(f.value))
		}
	}
	return out
}

func (t *toolTable) fetches(c *call) []sessionevents.Access {
	f, ok := c.in.field(t.fields.URL...)
	if !ok {
		return nil
	}
	var out []sessionevents.Access
	for _, target := range f.list() {
		if url := urlIn(target); url != "" {
			out = append(out, sessionevents.Access{Kind: sessionevents.AccessFetch, Target: url})
		} else {
			out = append(out, sessionevents.Access{Kind: sessionevents.AccessFetch, Target: "web", Query: text.Head(target, 400)})
		}
	}
	return out
}

// urlIn returns the first URL in a text; some fetch tools accept a whole sentence.
func urlIn(text string) string {
	for _, word := range strings.Fields(text) {
		if strings.Contains(word, "://") || strings.HasPrefix(word, "www.") {
			return strings.Trim(word, "()<>\"',;")
		}
	}
	return ""
}
