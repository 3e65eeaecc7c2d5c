package syntax

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
