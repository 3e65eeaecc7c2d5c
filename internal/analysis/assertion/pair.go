package assertion

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
)

// Change is the change of one assertion.
type Change struct {
	How    How
	Before Assertion
	After  Assertion // zero without a replacement
}

// alike is the share of common words from which two assertions are about the same thing.
const alike = 0.5

// related is the share that is sufficient if the expected values are equal.
const related = 0.3

// Pair returns the weakened assertions among those before, given those after, each once.
// An assertion that occurs anywhere among those after is unchanged, and one whose place
// another has taken is replaced.
func (r *Reader) Pair(before, after []Assertion) []Change {
	before, after = cancel(traced(before, after), traced(after, before))
	if len(before) == 0 {
		return nil
	}
	partner := r.partners(before, after)
	var out []Change
	fresh := 0 // new assertions
	used := map[int]bool{}
	for _, k := range partner {
		used[k] = true
	}
	for k := range after {
		if !used[k] && after[k].Kind != Trivial {
			fresh++
		}
	}
	for i := range before {
		if before[i].Kind == Trivial {
			continue
		}
		if folded(&before[i], after) {
			continue
		}
		if k, paired := partner[i]; paired {
			if how := r.Compare(&before[i], &after[k]); how != Unchanged {
				out = append(out, Change{how, before[i], after[k]})
			}
			continue
		}
		if fresh > 0 {
			fresh-- // replaced
			continue
		}
		out = append(out, Change{How: Removed, Before: before[i]})
	}
	return out
}

// folded reports whether an assertion is part of a larger one: a == 1 in (a, b) == (1,
// 2).
func folded(a *Assertion, after []Assertion) bool {
	mine := tokens(a.Subject + " " + a.Expected)
	return len(mine) > 1 && slices.ContainsFunc(after, func(b Assertion) bool {
		if len(b.Either) > 0 || ranks[b.Kind] < ranks[a.Kind] || len(b.Subject) <= len(a.Subject) || !strings.Contains(b.Subject, a.Subject) {
			return false
		}
		theirs := tokens(b.Subject + " " + b.Expected)
		return !slices.ContainsFunc(mine, func(w string) bool { return !slices.Contains(theirs, w) })
	})
}

// cancel removes what both sides have in common.
func cancel(before, after []Assertion) ([]Assertion, []Assertion) {
	counts := map[string]int{}
	for i := range after {
		counts[after[i].key()]++
	}
	kept := map[string]int{}
	left := slices.DeleteFunc(slices.Clone(before), func(a Assertion) bool {
		same := slices.ContainsFunc(after, func(b Assertion) bool { return Same(&a, &b) })
		if same && counts[a.key()] > 0 {
			counts[a.key()]--
			kept[a.key()]++
			return true
		}
		return false
	})
	right := slices.DeleteFunc(slices.Clone(after), func(a Assertion) bool {
		if kept[a.key()] > 0 && slices.ContainsFunc(before, func(b Assertion) bool { return Same(&a, &b) }) {
			kept[a.key()]--
			return true
		}
		return false
	})
	return left, right
}

// maxPairs bounds the work of pairing.
const maxPairs = 200

// partners maps each assertion before to the one after that is about the same thing, the
// best pairs first. An assertion that checks nothing replaces one without a partner.
func (r *Reader) partners(before, after []Assertion) map[int]int {
	out := map[int]int{}
	if len(before) > maxPairs || len(after) > maxPairs {
		return out
	}
	used := map[int]bool{}
	renamed := renames(before, after)
	words := make([][]string, len(after))
	for k := range after {
		words[k] = tokens(after[k].Subject)
	}
	for _, least := range []float64{1.5, 1, 0.8, alike} {
		for i := range before {
			if _, paired := out[i]; paired {
				continue
			}
			best, at := least, -1
			mine := tokens(before[i].Subject)
			for k := range after {
				if used[k] || after[k].Kind == Trivial || !renamed(before[i].Test, after[k].Test) {
					continue
				}
				if score := likeness(&before[i], &after[k], mine, words[k]); score >= best && (at < 0 || score > best) {
					best, at = score, k
				}
			}
			if at >= 0 {
				out[i], used[at] = at, true
			}
		}
	}
	for k := range after {
		if after[k].Kind != Trivial {
			continue
		}
		for i := range before {
			if _, paired := out[i]; !paired && before[i].Kind != Trivial && (before[i].Test == after[k].Test || before[i].Test == "" || after[k].Test == "") {
				out[i] = k
				break
			}
		}
	}
	return out
}

// renames returns a function that reports whether two names can belong to one test: they
// are equal, or one is gone and the other new.
func renames(before, after []Assertion) func(a, b string) bool {
	old, fresh := map[string]bool{}, map[string]bool{}
	for i := range before {
		old[before[i].Test] = true
	}
	for i := range after {
		fresh[after[i].Test] = true
	}
	return func(a, b string) bool { return a == "" || b == "" || a == b || !fresh[a] && !old[b] }
}

// surely is the similarity of an assertion and one in which it is an alternative.
const surely = 2

// likeness returns the similarity of two assertions: 1 for the same subject, more for the
// same kind and value.
func likeness(a, b *Assertion, mine, other []string) float64 {
	score := 0.0
	switch {
	case slices.Contains(b.Either, a.key()), slices.Contains(a.Either, b.key()):
		return surely
	case a.Subject == b.Subject:
		score = 1
	default:
		score = shared(mine, other)
	}
	if score >= related && a.Expected != "" && a.Expected == b.Expected {
		score += 0.4
	}
	if score >= alike && a.Kind == b.Kind {
		score += 0.1
	}
	return score
}

// shared returns the share of words that both lists contain.
func shared(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	both := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// tokens returns the names, numbers and texts of an expression, each once.
func tokens(text string) []string {
	var out []string
	for i := 0; i < len(text); {
		if !code.IsName(text[i]) {
			i++
			continue
		}
		end := i
		for end < len(text) && code.IsName(text[end]) {
			end++
		}
		if w := text[i:end]; !slices.Contains(out, w) && len(out) < 64 {
			out = append(out, w)
		}
		i = end
	}
	return out
}
