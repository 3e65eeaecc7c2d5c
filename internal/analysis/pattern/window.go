package pattern

import "regexp/syntax"

// window is the set of possible bytes at a few adjacent places: a text without such a
// sequence cannot match. It costs less than searching for literals, and needs none.
type window struct {
	at     [256]uint8 // by byte: bit n is set if it may be the n-th
	length int
	start  bool            // at the beginning of the text only
	indent *[asciiEnd]bool // the bytes that may precede it there, nil for none
}

// widest is the number of bits of a byte.
const widest = 8

// mostChoice bounds the selectivity of a window that may be anywhere: the product, over
// all places, of the share of printable characters allowed.
const (
	mostChoice = 0.02
	printable  = 95.0
)

// literalWindow returns a window for texts that contain one of some literals, of at least
// shortestLiteral bytes; nil if it is not selective.
func literalWindow(literals clause) *window {
	w := &window{length: min(shortest(literals), widest)}
	for _, text := range literals {
		for n := range w.length {
			w.allow(text[n], n)
			if c := text[n]; c >= 'a' && c <= 'z' {
				w.allow(c-'a'+'A', n)
			}
		}
	}
	return w.unlessVague()
}

// startWindow returns a window for the beginning of a pattern's matches, nil if it is not
// selective.
func startWindow(pattern string) *window {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil // RE2 supports more than this package
	}
	if rest, indent := indented(parsed); rest != nil {
		if w := windowOf(rest); w != nil && w.length > 0 && !w.beginsWith(indent) {
			w.start, w.indent = true, indent
			return w
		}
	}
	if w := windowOf(parsed); w != nil {
		return w.unlessVague()
	}
	return nil
}

// windowOf returns a window for how a match begins.
func windowOf(parsed *syntax.Regexp) *window {
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil
	}
	w := &window{start: program.StartCond()&syntax.EmptyBeginText != 0}
	for at := []uint32{uint32(program.Start)}; w.length < widest; w.length++ {
		next, known := w.step(program, at)
		if !known {
			break
		}
		at = next
	}
	return w
}

// indented returns what follows ^\s* or the like in a pattern, and the bytes that may
// precede it; nil for any other pattern.
func indented(parsed *syntax.Regexp) (rest *syntax.Regexp, indent *[asciiEnd]bool) {
	if parsed.Op != syntax.OpConcat || len(parsed.Sub) < 3 || parsed.Sub[0].Op != syntax.OpBeginText || parsed.Sub[1].Op != syntax.OpStar {
		return nil, nil
	}
	class := parsed.Sub[1].Sub[0]
	if class.Op != syntax.OpCharClass {
		return nil, nil
	}
	indent = &[asciiEnd]bool{}
	for i := 1; i < len(class.Rune); i += 2 {
		for c := class.Rune[i-1]; c <= class.Rune[i]; c++ {
			if c >= asciiEnd {
				return nil, nil
			}
			indent[c] = true
		}
	}
	return &syntax.Regexp{Op: syntax.OpConcat, Flags: parsed.Flags, Sub: parsed.Sub[2:]}, indent
}

// beginsWith reports whether the first byte may be one of some. If not, the window is
// where they end.
func (w *window) beginsWith(some *[asciiEnd]bool) bool {
	for c, is := range some {
		if is && w.at[c]&1 != 0 {
			return true
		}
	}
	return false
}

// unlessVague returns the window, nil if it is not selective.
func (w *window) unlessVague() *window {
	choice := 1.0
	for n := range w.length {
		allowed := 0
		for _, may := range w.at {
			allowed += int(may >> n & 1)
		}
		choice *= float64(allowed) / printable
	}
	if w.length == 0 || !w.start && choice > mostChoice {
		return nil
	}
	return w
}

// step adds what the instructions read at their position. It is unknown if a match may
// end there, or a character takes more than a byte.
func (w *window) step(program *syntax.Prog, from []uint32) (next []uint32, known bool) {
	reading, ended := reached(program, from)
	if ended {
		return nil, false
	}
	for _, i := range reading {
		inst := &program.Inst[i]
		if beyondASCII(inst) {
			return nil, false
		}
		next = append(next, inst.Out)
	}
	for _, i := range reading {
		for c := range byte(asciiEnd) {
			if program.Inst[i].MatchRune(rune(c)) {
				w.allow(c, w.length)
			}
		}
	}
	return next, true
}

// asciiEnd is the first character that takes more than one byte.
const asciiEnd = 0x80

// reached returns the instructions that read a character next, whatever surrounds it;
// ended is set if none needs to.
func reached(program *syntax.Prog, from []uint32) (reading []uint32, ended bool) {
	seen := make([]bool, len(program.Inst))
	for len(from) > 0 {
		i := from[len(from)-1]
		from = from[:len(from)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		switch inst := &program.Inst[i]; inst.Op {
		case syntax.InstMatch:
			return nil, true
		case syntax.InstFail:
		case syntax.InstAlt, syntax.InstAltMatch:
			from = append(from, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
			from = append(from, inst.Out)
		default:
			reading = append(reading, i)
		}
	}
	return reading, false
}

// beyondASCII reports whether an instruction reads characters outside ASCII, except the
// two that fold to k and s, see [foldsBeyondASCII].
func beyondASCII(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	if len(inst.Rune) == 1 { // a character, or those that fold to it
		return inst.Rune[0] >= asciiEnd
	}
	for i := 1; i < len(inst.Rune); i += 2 {
		from, to := inst.Rune[i-1], inst.Rune[i]
		if to >= asciiEnd && (from != to || from != '\u212a' && from != '\u017f') {
			return true
		}
	}
	return false
}

func (w *window) allow(c byte, n int) { w.at[c] |= 1 << n }

// occurs reports whether text contains such a sequence.
func (w *window) occurs(text string) bool {
	if w.indent != nil {
		text = w.dedented(text)
	}
	if len(text) < w.length {
		return false
	}
	if w.start {
		for n := range w.length {
			if w.at[text[n]]&(1<<n) == 0 {
				return false
			}
		}
		return true
	}
	last := uint8(1) << (w.length - 1)
	var open uint8 // bit n: the last n+1 bytes match so far
	for i := range len(text) {
		if open = (open<<1 | 1) & w.at[text[i]]; open&last != 0 {
			return true
		}
	}
	return false
}

// dedented returns text from where the window must be.
func (w *window) dedented(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= asciiEnd || !w.indent[c] {
			return text[i:]
		}
	}
	return ""
}
