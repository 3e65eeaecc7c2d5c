package secrets

import (
	"regexp/syntax"
	"unicode"
)

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
	out := lead{WordStart: !w.bare}
	for len(out.Sets) < leadLength && !w.ended {
		set, ascii := w.bytes()
		if !ascii {
			break
		}
		out.Sets = append(out.Sets, set)
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
				set.add(byte(r))
			}
		}
	}
	return set, true
}

func (b *byteSet) add(c byte) { b[c>>6] |= 1 << (c & 63) }

func addFolded(set *byteSet, r rune, fold bool) {
	if r > unicode.MaxASCII {
		return
	}
	set.add(byte(r))
	if fold {
		set.add(byte(unicode.ToLower(r)))
		set.add(byte(unicode.ToUpper(r)))
	}
}
