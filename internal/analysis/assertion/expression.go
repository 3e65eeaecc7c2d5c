package assertion

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
)

// comparisons are the operators that compare, longest first.
var comparisons = []string{
	"===", "!==", "==", "!=", "=~", "≈", "<=", ">=", "is not", "not in", "instanceof", "in", "is", "<", ">",
}

var inverse = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<"}

var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// predicate parses a condition that must hold, or must not if it is negated.
func (p *source) predicate(s span, negated bool, depth int) []Assertion {
	s = p.bare(s)
	if s.To <= s.From || depth > maxDepth {
		return nil
	}
	both, either := []string{"and", "&&"}, []string{"or", "||"}
	if negated {
		both, either = either, both
	}
	if parts := splitAt(p.masked, s, both); len(parts) > 1 {
		var out []Assertion
		for _, part := range parts {
			out = append(out, p.predicate(part, negated, depth+1)...)
		}
		return out
	}
	if parts := splitAt(p.masked, s, either); len(parts) > 1 {
		return p.alternative(s, parts, negated, depth)
	}
	text := p.code[s.From:s.To]
	if rest, is := strings.CutPrefix(text, "not "); is {
		return p.predicate(code.Between(s.To-len(rest), s.To), !negated, depth+1)
	}
	if text[0] == '!' && len(text) > 1 && text[1] != '=' {
		return p.predicate(code.Between(s.From+1, s.To), !negated, depth+1)
	}
	if a, is := p.comparison(s, negated); is {
		return []Assertion{a}
	}
	if a, is := p.test(s, negated); is {
		return []Assertion{a}
	}
	return []Assertion{p.truth(p.text(s), negated)}
}

// alternative parses a condition of which one side is sufficient: nothing is checked if
// one of them always holds.
func (p *source) alternative(s span, parts []span, negated bool, depth int) []Assertion {
	always := truths
	if negated {
		always = lies
	}
	kind := True
	if negated {
		kind = False
	}
	if slices.ContainsFunc(parts, func(part span) bool { return slices.Contains(always, p.text(part)) || p.text(part) == "1" }) {
		kind = Trivial
	}
	out := Assertion{Kind: kind, Subject: p.text(s), Tolerance: -1}
	for _, part := range parts {
		for _, a := range p.predicate(part, negated, depth+1) {
			out.Either = append(out.Either, a.key())
		}
	}
	return []Assertion{out}
}

// bare returns a range without parentheses around all of it.
func (p *source) bare(s span) span {
	s = code.Trim(p.masked, code.Between(s.From, s.To))
	for s.To-s.From > 1 && p.masked[s.From] == '(' && code.Closing(p.masked, s.From) == s.To-1 {
		s = code.Trim(p.masked, code.Between(s.From+1, s.To-1))
	}
	return s
}

func (p *source) truth(text string, negated bool) Assertion {
	a := Assertion{Kind: True, Subject: text, Tolerance: -1}
	if negated {
		a.Kind = False
	}
	_, number := Number(text)
	constant := slices.Contains(truths, text) || number && text != "0"
	if constant != negated && (constant || slices.Contains(lies, text) || text == "0") {
		a.Kind = Trivial
	}
	if !negated && strings.HasPrefix(text, `"`) && Literal(text) {
		a.Kind = Trivial
	}
	return a
}

// comparison parses "a == b" and the like.
func (p *source) comparison(s span, negated bool) (Assertion, bool) {
	for i, depth := range code.Depths(p.masked, s) {
		if depth != 0 || p.masked[i] == '-' || p.masked[i] == '=' && i+1 < s.To && p.masked[i+1] == '>' {
			continue
		}
		if i > s.From && (p.masked[i-1] == '-' || p.masked[i-1] == '=') && p.masked[i] == '>' {
			continue
		}
		n := code.Operator(p.masked, i, s, comparisons)
		if n == 0 || i == s.From {
			continue
		}
		operator := p.masked[i : i+n]
		left, right := p.bare(code.Between(s.From, i)), p.bare(code.Between(i+n, s.To))
		if right.To <= right.From {
			return Assertion{}, false
		}
		return p.compared(operator, left, right, negated), true
	}
	return Assertion{}, false
}

func (p *source) compared(operator string, left, right span, negated bool) Assertion {
	a, b := p.text(left), p.text(right)
	switch operator {
	case "==", "===", "is":
		if f, inner, is := p.callOf(right, p.predicates); is && f.Kind == Close && f.Subject < 0 {
			return p.closed(a, f, inner)
		}
		return negatedIf(equality(a, b), negated)
	case "!=", "!==", "is not":
		return negatedIf(equality(a, b), !negated)
	case "in":
		if Literal(b) && !Literal(a) || strings.Contains(b, ",") && !Literal(a) { // one of several values
			return negatedIf(Assertion{Kind: Matches, Subject: a, Expected: b, Tolerance: -1}, negated)
		}
		return negatedIf(Assertion{Kind: Contains, Subject: b, Expected: a, Tolerance: -1}, negated)
	case "not in":
		return negatedIf(Assertion{Kind: Contains, Subject: b, Expected: a, Tolerance: -1}, !negated)
	case "≈": // 1.0 atol=1e-6
		values := strings.Fields(p.code[right.From:right.To])
		return p.nearly(a, values)
	case "=~":
		return negatedIf(Assertion{Kind: Matches, Subject: a, Expected: b, Tolerance: -1}, negated)
	case "instanceof":
		return negatedIf(Assertion{Kind: Type, Subject: a, Expected: b, Tolerance: -1}, negated)
	}
	if negated {
		operator = inverse[operator]
	}
	return bound(a, b, operator)
}

// nearly returns an equality with a value that tolerances may follow.
func (p *source) nearly(subject string, values []string) Assertion {
	a := Assertion{Kind: Close, Subject: subject, Tolerance: -1}
	for i, v := range values {
		name, value, named := strings.Cut(v, "=")
		if allowed, number := Number(value); named && number && contains(tolerances, name) {
			a.Tolerance = max(a.Tolerance, allowed)
		} else if i == 0 {
			a.Expected = v
		}
	}
	return a
}

// bound returns "a < b" with the limit as the expected value. A difference below a limit
// is an equality within a tolerance.
func bound(a, b, operator string) Assertion {
	if Literal(a) && !Literal(b) {
		a, b, operator = b, a, mirrored[operator]
	}
	if inner, is := lengthOf(a); is {
		if n, number := Number(b); number && (operator == ">" && n == 0 || operator == ">=" && n == 1) {
			return Assertion{Kind: NotEmpty, Subject: inner, Tolerance: -1}
		}
	}
	if limit, number := Number(b); number && (operator == "<" || operator == "<=") {
		for _, prefix := range []string{"abs(", "Math.abs(", "math.Abs(", "np.abs("} {
			if inner, is := strings.CutPrefix(strings.TrimSuffix(a, ")"), prefix); is && strings.Contains(inner, "-") {
				subject, expected, _ := strings.Cut(inner, "-")
				return Assertion{Kind: Close, Subject: subject, Expected: expected, Tolerance: limit}
			}
		}
	}
	return Assertion{Kind: Order, Subject: a, Expected: b, Operator: operator, Tolerance: -1}
}

// equality returns the meaning of "a == b": the literal is the expected value, and some
// values have kinds of their own.
func equality(a, b string) Assertion {
	if Literal(a) && !Literal(b) {
		a, b = b, a
	}
	out := Assertion{Kind: Equal, Subject: a, Expected: b, Tolerance: -1}
	inner, length := lengthOf(a)
	switch {
	case sameValue(a, b):
		out.Kind = Trivial
	case Literal(a) && Literal(b):
		out.Kind = Equal
	case slices.Contains(truths, b):
		out.Kind, out.Expected = True, ""
	case slices.Contains(lies, b):
		out.Kind, out.Expected = False, ""
	case slices.Contains(nothings, b):
		out.Kind, out.Expected = Null, ""
	case length:
		out.Kind, out.Subject = Length, inner
		if b == "0" {
			out.Kind, out.Expected = Empty, ""
		}
	case slices.Contains(empties, b):
		out.Kind, out.Expected = Empty, ""
	}
	return out
}

// negatedIf turns an assertion into its opposite.
func negatedIf(a Assertion, negated bool) Assertion {
	if !negated {
		return a
	}
	switch a.Kind {
	case Equal, Close, Length, Snapshot:
		a.Kind = Unequal
	case Null:
		a.Kind = Present
	case Present:
		a.Kind = Null
	case Empty:
		a.Kind = NotEmpty
	case NotEmpty:
		a.Kind = Empty
	case True:
		a.Kind = False
	case False:
		a.Kind = True
	case Throws:
		a.Kind = NoThrow
	case Trivial:
		a.Kind = Unequal
	case Order:
		a.Operator = inverse[a.Operator]
	default:
		a.Operator = "not"
	}
	return a
}

// lengthOf returns x for len(x), x.length, x.size(), x.Count.
func lengthOf(text string) (string, bool) {
	for _, prefix := range []string{"len(", "count(", "sizeof(", "strlen("} {
		if inner, is := strings.CutPrefix(text, prefix); is && strings.HasSuffix(inner, ")") {
			return inner[:len(inner)-1], true
		}
	}
	for _, suffix := range []string{".length()", ".length", ".size()", ".size", ".len()", ".count()", ".Count()", ".Count", ".Length", ".count"} {
		if inner, is := strings.CutSuffix(text, suffix); is && inner != "" {
			return inner, true
		}
	}
	return "", false
}

var (
	truths   = []string{"true", "True", "TRUE"}
	lies     = []string{"false", "False", "FALSE"}
	nothings = []string{"None", "null", "nil", "undefined", "NULL"}
	empties  = []string{`""`, "[]", "{}", "()", "set()", "dict()", "list()"}
)

// Number returns the value of a numeric literal: 1_000, -2.5, 85.0, 10L.
func Number(text string) (float64, bool) {
	text = strings.ReplaceAll(strings.TrimSpace(text), "_", "")
	if text == "" || strings.ContainsAny(text, "xXnNpP") {
		return 0, false
	}
	text = strings.TrimRight(text, "fFdDlLmMuU")
	for _, suffix := range []string{"i32", "i64", "u32", "u64", "usize"} {
		text = strings.TrimSuffix(text, suffix)
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// Literal reports whether an expression is a literal value: a number, a string, a list or
// map, a boolean, nil.
func Literal(text string) bool {
	if text == "" {
		return false
	}
	if _, is := Number(text); is {
		return true
	}
	text = strings.TrimLeft(text, "&")
	switch c := strings.TrimLeft(text, "bruf@$"); {
	case strings.HasPrefix(c, `"`):
		return strings.HasSuffix(c, `"`) && !strings.Contains(c[1:], `"+`)
	case strings.HasPrefix(text, "["), strings.HasPrefix(text, "{"):
		return true
	}
	return slices.Contains(truths, text) || slices.Contains(lies, text) || slices.Contains(nothings, text) || slices.Contains(empties, text)
}

// sameValue reports whether two expected values are equal: 85.0 and 85, "a" and 'a'.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, first := Number(a)
	y, second := Number(b)
	return first && second && x == y
}
