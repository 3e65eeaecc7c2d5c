package registry

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// codebase is the compact index of symbols and files that existed before the session
// (session.opened): strings are stored once in a table, entries as numbers into it. Body
// sketches are not stored.
type codebase struct {
	strings []string
	symbols []entry
	files   []uint32

	droppedSymbols, droppedFiles int

	// Postings, built on first use, sorted by hash, then symbol.
	ready        bool
	names, words []posting
	stems        []posting // of file names; the number is that of the path
}

type entry struct {
	name, kind, path, language, signature, container uint32
	line                                             uint32
}

type posting struct{ hash, symbol uint32 }

// load replaces the index. What exceeds the limits is dropped from the end.
func (c *codebase) load(from *sessionevents.Codebase, l Limits) {
	symbols, files := from.Symbols, from.Files
	keptSymbols, keptFiles := min(len(symbols), l.CodebaseSymbols), min(len(files), l.CodebaseFiles)
	*c = codebase{droppedSymbols: len(symbols) - keptSymbols, droppedFiles: len(files) - keptFiles}
	t := table{ids: map[string]int{}}
	for i := range symbols[:keptSymbols] {
		s := &symbols[i]
		c.symbols = append(c.symbols, entry{
			name: t.id32(s.Name), kind: t.id32(s.Kind), path: t.id32(s.Path), language: t.id32(s.Language),
			signature: t.id32(s.Signature), container: t.id32(s.Container), line: uint32(max(s.Line, 0)),
		})
	}
	for _, f := range files[:keptFiles] {
		c.files = append(c.files, t.id32(f))
	}
	c.strings = t.list
	c.symbols, c.files = slices.Clip(c.symbols), slices.Clip(c.files)
}

func (c *codebase) at(i uint32) Built {
	e := c.symbols[i]
	return Built{Symbol: sessionevents.Symbol{
		Name: c.strings[e.name], Kind: c.strings[e.kind], Path: c.strings[e.path], Language: c.strings[e.language],
		Signature: c.strings[e.signature], Container: c.strings[e.container], Line: int(e.line),
	}}
}

// prepare builds the postings: for each symbol its exact name, its normalised
// name and each normalised word.
func (c *codebase) prepare() {
	if c.ready {
		return
	}
	c.ready = true
	for i := range c.symbols {
		name := c.strings[c.symbols[i].name]
		key := similarity.Key(name)
		c.names = append(c.names, posting{hash32("n" + name), uint32(i)}, posting{hash32("k" + key), uint32(i)})
		for _, w := range strings.Fields(key) {
			c.words = append(c.words, posting{hash32("w" + w), uint32(i)})
		}
	}
	for _, f := range c.files {
		if stem := stemKey(c.strings[f]); stem != "" {
			c.stems = append(c.stems, posting{hash32(stem), f})
		}
	}
	for _, list := range []*[]posting{&c.names, &c.words, &c.stems} {
		*list = slices.Clip(*list)
		slices.SortFunc(*list, comparePostings)
	}
}

func comparePostings(a, b posting) int {
	if a.hash != b.hash {
		if a.hash < b.hash {
			return -1
		}
		return 1
	}
	return int(a.symbol) - int(b.symbol)
}

func hash32(s string) uint32 { return uint32(xxhash.Sum64String(s)) }

// postings returns the postings of a key in names or words.
func (c *codebase) postings(list []posting, key string) []posting {
	h := hash32(key)
	from, _ := slices.BinarySearchFunc(list, posting{hash: h}, comparePostings)
	length, _ := slices.BinarySearchFunc(list[from:], h, func(p posting, h uint32) int {
		if p.hash > h {
			return 1
		}
		return -1
	})
	return list[from : from+length]
}

func (c *codebase) size() int {
	n := 28*len(c.symbols) + 4*len(c.files) + 8*(len(c.names)+len(c.words)+len(c.stems))
	for _, s := range c.strings {
		n += 16 + len(s)
	}
	return n
}

// table assigns numbers to strings, each string once, in order of first use.
type table struct {
	list []string
	ids  map[string]int
}

func (t *table) id(s string) int {
	if id, ok := t.ids[s]; ok {
		return id
	}
	t.ids[s] = len(t.list)
	t.list = append(t.list, s)
	return len(t.list) - 1
}

func (t *table) id32(s string) uint32 { return uint32(t.id(s)) }
