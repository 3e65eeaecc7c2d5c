package secrets

import "github.com/scaffoldwatch/scaffoldwatch/internal/text"

// triggers finds keywords by a table over three bytes at a time: one look-up a
// byte, no dependent loads, so it runs at more than 1 GB/s where an automaton
// over the same keywords reads 0.6.
type triggers struct {
	class   [256]uint32
	table   [1 << 15]uint16 // class triple → index of a bucket, 0 none
	buckets []bucket
	texts   []string // keyword → its lower-case text
	anchors []int    // keyword → the offset of its triple
}

// bucket holds the keywords that begin with one triple.
type bucket struct {
	keywords  []int
	wordStart bool // all of them count only where a word begins
}

// The slash has its own class, apart from other separators: else every run of blanks would look
// like "://". Letters are 1 to 26.
const (
	classSlash = 0
	classDigit = 26 + iota
	classUnderscore
	classDash // and the dot
	classOpen // brackets that begin arguments and fields
	classOther
)

// newTriggers takes lower-case keywords of two bytes or more, and of each
// whether it counts only where a word begins. A keyword that ends in an opening bracket is found by
// its last three bytes, others by their first.
func newTriggers(keywords []string, wordStart []bool) *triggers {
	t := &triggers{buckets: make([]bucket, 1), texts: keywords, anchors: make([]int, len(keywords))}
	for i := range t.class {
		t.class[i] = classOf(byte(i))
	}
	for id, keyword := range keywords {
		if n := len(keyword); n > 3 && classOf(keyword[n-1]) == classOpen { // calls are rarer than the words they begin with
			t.anchors[id] = n - 3
			keyword = keyword[n-3:]
		}
		first, second := t.class[keyword[0]], t.class[keyword[1]]
		if len(keyword) > 2 {
			t.put(first, second, t.class[keyword[2]], id, wordStart[id])
			continue
		}
		for third := uint32(0); third <= classOther; third++ {
			t.put(first, second, third, id, wordStart[id])
		}
	}
	return t
}

func classOf(c byte) uint32 {
	switch c = lower(c); {
	case c >= 'a' && c <= 'z':
		return uint32(c-'a') + 1
	case c >= '0' && c <= '9':
		return classDigit
	case c == '/':
		return classSlash
	case c == '_':
		return classUnderscore
	case c == '-' || c == '.':
		return classDash
	case c == '(' || c == '{':
		return classOpen
	default:
		return classOther
	}
}

func (t *triggers) put(a, b, c uint32, keyword int, wordStart bool) {
	at := &t.table[a<<10|b<<5|c]
	if *at == 0 {
		*at = uint16(len(t.buckets))
		t.buckets = append(t.buckets, bucket{wordStart: true})
	}
	held := &t.buckets[*at]
	held.keywords = append(held.keywords, keyword)
	held.wordStart = held.wordStart && wordStart && t.anchors[keyword] == 0
}

// each calls hit for every keyword in text, in order of the places of their triples.
func (t *triggers) each(text string, hit func(pos, keyword int)) {
	if len(text) < 3 {
		return
	}
	triple := t.class[text[0]]<<5 | t.class[text[1]]
	for i := 2; i < len(text); i++ {
		triple = (triple<<5 | t.class[text[i]]) & (1<<15 - 1)
		if at := t.table[triple]; at != 0 {
			t.candidates(text, i-2, &t.buckets[at], hit)
		}
	}
}

func (t *triggers) candidates(s string, pos int, held *bucket, hit func(pos, keyword int)) {
	if held.wordStart && pos > 0 && text.IsWord(s[pos-1]) && !isEscapeLetter(s, pos-1) {
		return
	}
	for _, keyword := range held.keywords {
		if at := pos - t.anchors[keyword]; at >= 0 && hasFold(s[at:], t.texts[keyword]) {
			hit(at, keyword)
		}
	}
}

// hasFold reports whether text begins with the lower-case prefix, whatever its case.
func hasFold(text, prefix string) bool {
	if len(text) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		if lower(text[i]) != prefix[i] {
			return false
		}
	}
	return true
}
