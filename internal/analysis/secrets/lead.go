package secrets

import (
	"regexp/syntax"
	"unicode"
)

// byteSet is a set of byte values.
type byteSet [256]bool

// leadLength is how many leading bytes of a match are known at most.
const leadLength = 24

// lead is what the first bytes of every match of an expression look like: it
// rejects a place in nanoseconds that a regular expression rejects in one
// microsecond.
type lead struct {
	wordStart bool // a match begins where a word does
	sets      []byteSet
}

// fits reports whether a match could begin at text[pos].
func (l lead) fits(text string, pos int) bool {
	if len(text)-pos < len(l.sets) {
		return false
	}
	for i := range l.sets {
		if !l.sets[i][text[pos+i]] {
			return false
		}
	}
	return !l.wordStart || pos == 0 || !isWord(text[pos-1]) || isEscapeLetter(text, pos-1)
}

// beginsWith reports whether a match can begin with the lower-case keyword and
// begins so narrowly that the keyword's place is the match's.
func (l lead) beginsWith(keyword string) bool {
	if len(l.sets) < min(len(keyword), leadLength) || l.sets[0].size() > 4 {
		return false
	}
	for i := 0; i < len(keyword) && i < len(l.sets); i++ {
		c := keyword[i]
		if !l.sets[i][c] && !l.sets[i][upper(c)] {
			return false
		}
	}
	return true
}

func (b *byteSet) size() int {
	n := 0
	for _, in := range b {
		if in {
			n++
		}
	}
	return n
}

// leadOf walks the compiled program with sets of states; where branches meet it
// takes the union, so it may accept too much but never too little.
func leadOf(expression string) (lead, error) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return lead{}, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return lead{}, err
	}
	w := &leadWalk{program: program}
	w.enter(uint32(program.Start), false)
	out := lead{wordStart: !w.bare}
	for len(out.sets) < leadLength && !w.ended {
		set, ascii := w.bytes()
		if !ascii {
			break
		}
		out.sets = append(out.sets, set)
		w.advance()
	}
	return out, nil
}

type leadWalk struct {
	program *syntax.Prog
	runes   []uint32        // the rune instructions reached
	seen    map[uint32]bool // this step
	ended   bool            // a match may end here
	bare    bool            // a first rune is reachable without \b before it
}

func (w *leadWalk) enter(pc uint32, boundary bool) {
	if w.seen == nil {
		w.seen = map[uint32]bool{}
	}
	if w.seen[pc] {
		return
	}
	w.seen[pc] = true
	in := &w.program.Inst[pc]
	switch in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		w.enter(in.Out, boundary)
		w.enter(in.Arg, boundary)
	case syntax.InstCapture, syntax.InstNop:
		w.enter(in.Out, boundary)
	case syntax.InstEmptyWidth:
		w.enter(in.Out, boundary || syntax.EmptyOp(in.Arg)&syntax.EmptyWordBoundary != 0)
	case syntax.InstMatch:
		w.ended = true
	case syntax.InstFail:
	default:
		w.runes = append(w.runes, pc)
		w.bare = w.bare || !boundary
	}
}

func (w *leadWalk) advance() {
	before := w.runes
	w.runes, w.seen = nil, nil
	for _, pc := range before {
		w.enter(w.program.Inst[pc].Out, true)
	}
}

// bytes is the union of what the reached instructions accept; ascii is false
// when a rune of several bytes is among it (the two that fold to k and s apart).
func (w *leadWalk) bytes() (set byteSet, ascii bool) {
	for _, pc := range w.runes {
		in := &w.program.Inst[pc]
		if in.Op != syntax.InstRune && in.Op != syntax.InstRune1 {
			return set, false
		}
		ranges := in.Rune
		if len(ranges) == 1 {
			addFolded(&set, ranges[0], syntax.Flags(in.Arg)&syntax.FoldCase != 0)
			continue
		}
		for i := 0; i < len(ranges); i += 2 {
			if ranges[i+1] > unicode.MaxASCII && ranges[i] != '\u017f' && ranges[i] != '\u212a' {
				return set, false
			}
			for r := ranges[i]; r <= min(ranges[i+1], unicode.MaxASCII); r++ {
				set[r] = true
			}
		}
	}
	return set, true
}

func addFolded(set *byteSet, r rune, fold bool) {
	if r > unicode.MaxASCII {
		return
	}
	set[r] = true
	if fold {
		set[byte(unicode.ToLower(r))], set[byte(unicode.ToUpper(r))] = true, true
	}
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// isEscapeLetter reports whether text[i] is the letter of an escape such as \n
// in JSON inside a string: it ends no word.
func isEscapeLetter(text string, i int) bool {
	c := text[i]
	return (c == 'n' || c == 'r' || c == 't') && i > 0 && text[i-1] == '\\'
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c - 'A' + 'a'
	}
	return c
}
