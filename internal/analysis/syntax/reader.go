// Package syntax reads declarations and imports from pieces of source code that need not
// be whole files: the added lines of an edit, the lines of a file that was read (SW-10,
// SW-12).
//
// Parsing a whole fragment costs a millisecond, so it is done in three steps: one regular
// expression per language (rules/syntax.yaml) finds the lines that look like
// declarations, a masking pass rejects those in comments and strings, and only the
// remaining bracket-balanced heads are parsed with tree-sitter, all in one buffer.
// Without cgo the third step is left out, which [Tier] reports.
package syntax

// Source is a piece of code that is read for several purposes.
type Source struct {
	language *language // nil if unknown, or nothing to read
	code     string
	masked   []byte
	declared []Declaration // nil if not read yet
}

// Read prepares code, a piece of a file in the named language.
func Read(name, code string) *Source {
	if code == "" {
		return &Source{}
	}
	return &Source{language: load().Languages[name], code: code}
}

// mask returns the code without comments and strings, computed once.
func (s *Source) mask() []byte {
	if s.masked == nil {
		s.masked = s.language.mask(s.code)
	}
	return s.masked
}

// Code returns the source with comments and the inside of strings blanked, of the same
// length; the source itself if the language is unknown.
func (s *Source) Code() string {
	if s.language == nil {
		return s.code
	}
	return string(s.mask())
}

// CodeStart returns where code begins in a piece that seems to begin inside a long
// string, such as a docstring that was cut; otherwise 0.
func (s *Source) CodeStart() int {
	if s.language == nil {
		return 0
	}
	return s.language.startsInsideLongString(s.code)
}

// maxKept bounds the code whose trees a [Reader] keeps, in bytes.
const maxKept = 512 << 10

// Reader parses code for several clients that may request the same pieces: a piece is
// parsed only once. Its results are shared and must not be changed. It is for one turn
// and not safe for concurrent use. A nil Reader caches nothing.
type Reader struct {
	sources map[piece]*Source
	trees   map[piece]*keptTree
	kept    int
}

// piece is code of a language at an offset in something larger.
type piece struct {
	language, code string
	shift          int
}

// keptTree is a tree with the results of queries on it; a missing tree means that the
// parser gave up.
type keptTree struct {
	tree  *Tree
	found map[*Query][]Captured
}

// NewReader returns an empty reader.
func NewReader() *Reader {
	return &Reader{sources: map[piece]*Source{}, trees: map[piece]*keptTree{}}
}

// Read is the package's [Read].
func (r *Reader) Read(name, code string) *Source {
	if r == nil {
		return Read(name, code)
	}
	key := piece{name, code, 0}
	if s := r.sources[key]; s != nil {
		return s
	}
	s := Read(name, code)
	if r.keep(len(code)) {
		r.sources[key] = s
	}
	return s
}

// Parse is the package's [Parse]; shift is added to the nodes' offsets.
func (r *Reader) Parse(name, code string, shift int, queries ...*Query) (*Tree, [][]Captured) {
	if r == nil {
		return parseAt(name, code, shift, nil, queries)
	}
	key := piece{name, code, shift}
	k := r.trees[key]
	if k == nil {
		tree, found := parseAt(name, code, shift, nil, queries)
		if r.keep(len(code)) {
			k = &keptTree{tree: tree, found: map[*Query][]Captured{}}
			k.note(queries, found)
			r.trees[key] = k
		}
		return tree, found
	}
	if k.tree == nil {
		return nil, nil
	}
	if missing := k.missing(queries); len(missing) > 0 {
		_, found := parseAt(name, code, shift, k.tree, missing)
		k.note(missing, found)
	}
	var out [][]Captured
	for _, q := range queries {
		out = append(out, k.found[q])
	}
	return k.tree, out
}

func (k *keptTree) note(queries []*Query, found [][]Captured) {
	for i, q := range queries {
		k.found[q] = nil
		if i < len(found) {
			k.found[q] = found[i]
		}
	}
}

func (k *keptTree) missing(queries []*Query) (out []*Query) {
	for _, q := range queries {
		if _, ok := k.found[q]; !ok {
			out = append(out, q)
		}
	}
	return out
}

// keep reports whether there is room for more bytes, and reserves it.
func (r *Reader) keep(bytes int) bool {
	if r.kept+bytes > maxKept {
		return false
	}
	r.kept += bytes
	return true
}
