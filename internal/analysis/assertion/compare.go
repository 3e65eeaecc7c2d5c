package assertion

import (
	"math"
	"slices"
	"strings"
)

// How is how an assertion changed.
type How string

// Changes of assertions.
const (
	Unchanged  How = ""           // or stricter
	Removed    How = "removed"    // without a replacement of its kind
	Loosened   How = "loosened"   // a weaker kind, a wider bound or tolerance
	Emptied    How = "emptied"    // it holds whatever the code does
	Inverted   How = "inverted"   // it requires the opposite
	Revalued   How = "revalued"   // another value is expected
	Redirected How = "redirected" // something else is checked
)

// Limits within which a tolerance is insignificant.
const (
	harmless       = 0.001 // relative to the expected value
	frameworksOwn  = 1e-6  // if the call specifies none
	leastTolerance = 1.01  // relative to the earlier one
)

// opposites maps kinds to those that require the opposite of the same subject.
var opposites = map[Kind]Kind{True: False, False: True, Null: Present, Present: Null, Empty: NotEmpty, NotEmpty: Empty, Throws: NoThrow, NoThrow: Throws}

// Compare returns how an assertion was changed into another.
func (r *Reader) Compare(before, after *Assertion) How {
	if after.Kind == Trivial {
		if before.Kind == Trivial {
			return Unchanged
		}
		return Emptied
	}
	if how, decided := alternatives(before, after); decided {
		return how
	}
	if before.Subject != after.Subject {
		if how := r.demands(before, after); how == Loosened || how == Inverted {
			return how
		}
		return Redirected
	}
	return r.demands(before, after)
}

// alternatives compares assertions of which one accepts several values or conditions, or
// is about some things while the other is about all of them.
func alternatives(before, after *Assertion) (how How, decided bool) {
	sides := func(a *Assertion) []string {
		if len(a.Either) > 0 {
			return a.Either
		}
		return []string{a.key()}
	}
	if len(before.Either)+len(after.Either) > 0 {
		a, b := sides(before), sides(after)
		lacks := func(list, other []string) bool {
			return slices.ContainsFunc(list, func(k string) bool { return !slices.Contains(other, k) })
		}
		switch {
		case !lacks(b, a):
			return Unchanged, true
		case !lacks(a, b):
			return Loosened, true
		}
		return "", false
	}
	if before.Kind != after.Kind || before.Kind != True && before.Kind != False {
		return "", false
	}
	for _, q := range quantifiers {
		one, all := q[0], q[1]
		if before.Kind == False { // not one of them, not all of them
			one, all = all, one
		}
		switch {
		case strings.Contains(before.Subject, all) && strings.Replace(before.Subject, all, one, 1) == after.Subject:
			return Loosened, true
		case strings.Contains(before.Subject, one) && strings.Replace(before.Subject, one, all, 1) == after.Subject:
			return Unchanged, true
		}
	}
	return "", false
}

// quantifiers are pairs of calls about one of many things, and about all of them.
var quantifiers = [][2]string{
	{"any(", "all("},
	{"any?", "all?"},
	{".some(", ".every("},
	{".anyMatch(", ".allMatch("},
	{".Any(", ".All("},
	{".any", ".all"},
	{".exists(", ".forall("},
	{".contains(where:", ".allSatisfy("},
}

func (r *Reader) demands(before, after *Assertion) How {
	switch {
	case before.Kind == after.Kind:
		return r.sameKind(before, after)
	case opposites[before.Kind] == after.Kind:
		return Inverted
	case before.Kind == Equal && after.Kind == Unequal && sameValue(before.Expected, after.Expected),
		before.Kind == Unequal && after.Kind == Equal && sameValue(before.Expected, after.Expected):
		return Inverted
	case before.Kind == Equal && after.Kind == Close:
		if sameValue(before.Expected, after.Expected) && !wide(after) {
			return Unchanged
		}
		if !sameValue(before.Expected, after.Expected) && bothLiteral(before, after) {
			return Revalued
		}
		return Loosened
	case before.Kind == Equal && slices.Contains([]Kind{Null, Empty, Throws, Snapshot}, after.Kind),
		before.Kind == Length && slices.Contains([]Kind{Null, Empty, Equal}, after.Kind):
		return Revalued
	case ranks[after.Kind] < ranks[before.Kind] && ranks[before.Kind] >= ranks[Contains]:
		return Loosened
	}
	return Unchanged
}

// sameKind compares the expectations of two assertions of the same kind.
func (r *Reader) sameKind(before, after *Assertion) How {
	if before.Operator != after.Operator && before.Kind != Order {
		return Inverted // contains, and does not contain
	}
	switch before.Kind {
	case Order:
		return order(before, after)
	case Close:
		switch {
		case bothLiteral(before, after) && !sameValue(before.Expected, after.Expected):
			return Revalued
		case tolerance(after) > leastTolerance*tolerance(before) && (after.Tolerance >= 0 || before.Tolerance >= 0):
			return Loosened
		}
		return Unchanged
	case Throws:
		if before.Expected != "" && !r.generic(before.Expected) && (after.Expected == "" || r.generic(after.Expected)) {
			return Loosened
		}
		if before.Expected == "" {
			return Unchanged
		}
	case Contains, Matches:
		if before.Expected == "" {
			return Unchanged
		}
		if shorter(before.Expected, after.Expected) {
			return Loosened
		}
	case Unequal, True, False, Present, NotEmpty, Called:
		return Unchanged
	}
	if sameValue(before.Expected, after.Expected) || !Literal(before.Expected) && !Literal(after.Expected) {
		return Unchanged
	}
	return Revalued
}

// generic reports whether an expected error is so general that any failure matches.
func (r *Reader) generic(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.Trim(name, `"`), ".class"), "::class")
	return r.broad[strings.ToLower(lastName(name))]
}

// order compares two bounds of a number.
func order(before, after *Assertion) How {
	if before.Operator[0] != after.Operator[0] {
		return Inverted
	}
	a, first := Number(before.Expected)
	b, second := Number(after.Expected)
	if !first || !second {
		return Unchanged
	}
	upper := before.Operator[0] == '<'
	switch {
	case upper && b > a, !upper && b < a:
		return Loosened
	case a == b && len(after.Operator) > len(before.Operator):
		return Loosened
	}
	return Unchanged
}

func bothLiteral(a, b *Assertion) bool { return Literal(a.Expected) && Literal(b.Expected) }

func tolerance(a *Assertion) float64 {
	if a.Tolerance < 0 {
		return frameworksOwn
	}
	return a.Tolerance
}

// wide reports whether a tolerance accepts more than rounding errors.
func wide(a *Assertion) bool {
	value, _ := Number(a.Expected)
	return a.Tolerance > harmless*max(1, math.Abs(value))
}

// shorter reports whether a text or pattern was cut down to a part of itself.
func shorter(before, after string) bool {
	inner := strings.Trim(after, `"/^$`)
	if after == "" || inner == ".*" || inner == ".+" {
		return before != after
	}
	return len(after) < len(before) && strings.Contains(before, inner)
}
