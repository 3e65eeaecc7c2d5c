package redact

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maximumRepeats bounds the earlier values that a text is searched for: each costs a
// fingerprint for every place where a word of its length could be.
const maximumRepeats = 8

// Repeats returns a copy of t in which values that were found in earlier pieces of the
// same turn are replaced, and one finding per marker (SW-7). The values themselves are no
// longer known, only their lengths and fingerprints, so a repeat is found only on one
// line and between word borders. A provider's pattern finds its own repeats anywhere.
func (r *Redactor) Repeats(t sessionevents.Turn, earlier []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding) {
	known := repeating(earlier)
	if len(known) == 0 {
		return t, nil
	}
	c := r.collectTurn(t)
	var found []sessionevents.SecretFinding
	for i := range c.leaves {
		l := &c.leaves[i]
		for _, k := range known {
			r.markRepeats(l, k)
		}
		if l.replace(); l.changed {
			found = append(found, repeats(l, known)...)
		}
	}
	if len(found) == 0 {
		return t, nil
	}
	return c.rebuild(), found
}

// repeating returns the findings whose values are replaced wherever they occur (see
// gather), each once.
func repeating(earlier []sessionevents.SecretFinding) []sessionevents.SecretFinding {
	var out []sessionevents.SecretFinding
	seen := map[string]bool{}
	for _, f := range earlier {
		named := f.Tier == sessionevents.SecretNamedEntropy || f.Tier == sessionevents.SecretNamedLiteral
		if !named || f.Placeholder || f.Length < minimumSpread || seen[f.Fingerprint] {
			continue
		}
		seen[f.Fingerprint] = true
		if out = append(out, f); len(out) == maximumRepeats {
			break
		}
	}
	return out
}

// markRepeats adds a hit for every word-like stretch with the fingerprint.
func (r *Redactor) markRepeats(l *leaf, f sessionevents.SecretFinding) {
	for at := 0; at+f.Length <= len(l.text); at++ {
		end := at + f.Length
		if !border(l.text, at) || !border(l.text, end) || !r.is(l.text[at:end], f) {
			continue
		}
		l.hits = append(l.hits, hit{at, end, secrets.Finding{Rule: f.Rule, Confidence: f.Confidence, Value: l.text[at:end]}, f.Fingerprint, false})
		at = end - 1
	}
}

// is reports whether a stretch is the value of a finding, cheapest test first.
func (r *Redactor) is(stretch string, f sessionevents.SecretFinding) bool {
	return stretch[0] > ' ' && stretch[len(stretch)-1] > ' ' && strings.IndexByte(stretch, '\n') < 0 &&
		secrets.Entropy(stretch) == f.Entropy && r.scanner.Fingerprint(stretch) == f.Fingerprint
}

// border reports whether a word can begin or end at a place in a text.
func border(s string, at int) bool {
	return at == 0 || at == len(s) || !text.IsWord(s[at-1]) || !text.IsWord(s[at])
}

// repeats returns the findings of a leaf whose repeats were replaced.
func repeats(l *leaf, known []sessionevents.SecretFinding) (out []sessionevents.SecretFinding) {
	for _, m := range Markers(l.text) {
		for _, f := range known {
			if f.Rule == m.Rule && f.Fingerprint == m.Fingerprint {
				f.Block, f.Pointer, f.Segment, f.Offset = l.block, l.pointer, -1, m.Start
				f.Path = l.path
				out = append(out, f)
				break
			}
		}
	}
	return out
}
