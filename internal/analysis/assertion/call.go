package assertion

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
)

// kinds maps the words for kinds in rules/assertion.yaml.
var kinds = map[string]form{
	"equal": {Kind: Equal}, "unequal": {Kind: Unequal}, "close": {Kind: Close}, "snapshot": {Kind: Snapshot}, "length": {Kind: Length},
	"null": {Kind: Null}, "empty": {Kind: Empty}, "contains": {Kind: Contains}, "matches": {Kind: Matches}, "throws": {Kind: Throws},
	"true": {Kind: True}, "false": {Kind: False}, "type": {Kind: Type}, "notempty": {Kind: NotEmpty}, "present": {Kind: Present},
	"nothrow": {Kind: NoThrow}, "called": {Kind: Called}, "trivial": {Kind: Trivial}, "absent": {Kind: Contains, Negated: true},
	"less": {Kind: Order, Operator: "<"}, "atmost": {Kind: Order, Operator: "<="}, "greater": {Kind: Order, Operator: ">"}, "atleast": {Kind: Order, Operator: ">="},
}

// forms parses lines such as "assertEqual assertEquals: equal 1 0": a list of names, the
// kind and the positions of the subject and the expected value, which are argument
// numbers, "-" for none, or "." for what precedes the call. Then "~2" may give the
// argument with a tolerance, "places" says that it is a number of decimal places, and
// "=1" gives an expected value that the name implies.
func forms(lines []string) (map[string]form, error) {
	out := map[string]form{}
	for _, line := range lines {
		names, rest, found := strings.Cut(line, ":")
		words := strings.Fields(rest)
		if !found || len(words) == 0 {
			return nil, fmt.Errorf("%q is not \"names: kind subject expected\"", line)
		}
		f, known := kinds[words[0]]
		if !known {
			return nil, fmt.Errorf("%q: unknown kind %q", line, words[0])
		}
		if err := f.arguments(words[1:]); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		for _, name := range strings.Fields(names) {
			out[strings.ToLower(name)] = f
		}
	}
	return out, nil
}

func (f *form) arguments(words []string) error {
	f.Subject, f.Expected, f.Tolerance = -1, -1, -1
	places := []*int{&f.Subject, &f.Expected}
	for _, w := range words {
		switch {
		case w == "places":
			f.Places = true
		case strings.HasPrefix(w, "="):
			f.Literal = w[1:]
		case strings.HasPrefix(w, "~"):
			n, err := strconv.Atoi(w[1:])
			if err != nil {
				return fmt.Errorf("%q is not an argument", w)
			}
			f.Tolerance = n
		case len(places) == 0:
			return fmt.Errorf("%q is one argument too many", w)
		case w == ".":
			f.Receiver = true
			places = places[1:]
		case w == "-":
			places = places[1:]
		default:
			n, err := strconv.Atoi(w)
			if err != nil {
				return fmt.Errorf("%q is not an argument", w)
			}
			*places[0] = n
			places = places[1:]
		}
	}
	return nil
}

// callOf parses an expression that is one call of a known name.
func (p *source) callOf(s span, names map[string]form) (form, []span, bool) {
	if s.To <= s.From || p.masked[s.To-1] != ')' {
		return form{}, nil, false
	}
	open := code.Opening(p.masked, s.To-1)
	if open <= s.From || before(p.masked, open) != s.From {
		return form{}, nil, false
	}
	path := p.code[s.From:open]
	f, known := names[strings.ToLower(path)]
	if !known {
		f, known = names[strings.ToLower(lastName(path))]
	}
	if !known {
		return form{}, nil, false
	}
	return f, arguments(p.masked, code.Between(open+1, s.To-1)), true
}

// lastName returns the last part of a dotted name.
func lastName(path string) string { return path[strings.LastIndexAny(path, ".:>")+1:] }

// test parses a call that returns a boolean: contains(a, b), a.equals(b), isinstance(a,
// T).
func (p *source) test(s span, negated bool) (Assertion, bool) {
	f, args, is := p.callOf(s, p.predicates)
	if !is || f.Kind == Close && f.Subject < 0 && !f.Receiver {
		return Assertion{}, false
	}
	receiver := ""
	if f.Receiver {
		open := code.Opening(p.masked, s.To-1)
		path := p.text(code.Between(s.From, open))
		receiver = strings.TrimRight(strings.TrimSuffix(path, lastName(path)), ".:->")
		if receiver == "" {
			return Assertion{}, false
		}
	}
	return negatedIf(p.formed(f, args, receiver), negated), true
}

// formed returns the assertion of a call with the given form.
func (p *source) formed(f form, args []span, receiver string) Assertion {
	at := func(n int) string {
		if n < 0 || n >= len(args) {
			return ""
		}
		return p.text(args[n])
	}
	subject, expected := at(f.Subject), at(f.Expected)
	if f.Receiver {
		subject = receiver
	}
	if f.Literal != "" {
		expected = f.Literal
	}
	a := Assertion{Kind: f.Kind, Subject: subject, Expected: expected, Operator: f.Operator, Tolerance: -1}
	switch f.Kind {
	case Equal, Unequal:
		if f.Expected < 0 && f.Literal == "" {
			return negatedIf(a, f.Negated)
		}
		if inner, is := p.approximate(f, args); is {
			return inner
		}
		a = negatedIf(equality(subject, expected), f.Kind == Unequal)
		if allowed := p.tolerance(f, args); allowed >= 0 && a.Kind == Equal { // accuracy: 0.1
			a.Kind, a.Tolerance = Close, allowed
		}
	case Order:
		a = bound(subject, expected, f.Operator)
	case True, False:
		if n := f.Subject; !f.Receiver && n >= 0 && n < len(args) {
			if inner := p.predicate(args[n], f.Kind == False, maxDepth/2); len(inner) == 1 {
				a = inner[0]
			}
		} else {
			a = p.truth(subject, f.Kind == False)
		}
	case Close:
		a.Tolerance = p.tolerance(f, args)
		if Literal(subject) && !Literal(expected) {
			a.Subject, a.Expected = a.Expected, a.Subject
		}
	case Length:
		if expected == "0" {
			a.Kind, a.Expected = Empty, ""
		}
	}
	return negatedIf(a, f.Negated)
}

// approximate parses an equality whose expected value is approx(x).
func (p *source) approximate(f form, args []span) (Assertion, bool) {
	for _, pair := range [][2]int{{f.Subject, f.Expected}, {f.Expected, f.Subject}} {
		if pair[0] < 0 || pair[0] >= len(args) || pair[1] < 0 || pair[1] >= len(args) {
			continue
		}
		if inner, list, is := p.callOf(args[pair[1]], p.predicates); is && inner.Kind == Close && inner.Subject < 0 && !inner.Receiver {
			return p.closed(p.text(args[pair[0]]), inner, list), true
		}
	}
	return Assertion{}, false
}

// closed returns an equality with an approximate value.
func (p *source) closed(subject string, f form, args []span) Assertion {
	a := Assertion{Kind: Close, Subject: subject, Tolerance: p.tolerance(f, args)}
	if len(args) > 0 {
		a.Expected = p.text(args[0])
	}
	return a
}

// tolerances are names of arguments that contain a tolerance.
var tolerances = []string{
	"accuracy", "delta", "abs", "rel", "atol", "rtol", "abs_tol", "rel_tol", "tolerance", "places", "decimal", "epsilon",
	"precision", "significant",
}

// tolerance returns the tolerance of a call, from its named or numbered argument.
func (p *source) tolerance(f form, args []span) float64 {
	best := -1.0
	for n, s := range args {
		text := p.text(s)
		name, value, named := strings.Cut(text, "=")
		if label, after, labelled := strings.Cut(text, ":"); labelled && contains(tolerances, label) {
			name, value, named = label, after, true
		}
		places := f.Places
		if named {
			if !contains(tolerances, name) {
				continue
			}
			places = name == "places" || name == "decimal" || name == "significant"
		} else {
			if n != f.Tolerance {
				continue
			}
			value = name
		}
		for _, wrapper := range []string{"within(", "offset(", "Offset.offset(", "Percentage.withPercentage(", "withPercentage("} {
			value = strings.TrimSuffix(strings.TrimPrefix(value, wrapper), ")")
		}
		v, err := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(value, "_", ""), "fFdDmM"), 64)
		if err != nil {
			continue
		}
		if places {
			v = math.Pow(10, -v) / 2
		}
		best = max(best, v)
	}
	return best
}

func contains(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}
