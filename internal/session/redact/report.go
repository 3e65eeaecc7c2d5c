package redact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// report returns every marker of the changed leaves, in order, with the facts about its
// value.
func (r *Redactor) report(c *collection, known []knownValue) []sessionevents.SecretFinding {
	byMarker := map[string]knownValue{}
	for _, k := range known {
		marker := secrets.Marker(k.finding.Rule, k.fingerprint)
		if before, ok := byMarker[marker]; !ok || k.finding.Confidence > before.finding.Confidence {
			byMarker[marker] = k
		}
	}
	clean := r.cleaner(known)
	var out []sessionevents.SecretFinding
	for i := range c.leaves {
		l := &c.leaves[i]
		if !l.changed {
			continue
		}
		for _, m := range Markers(l.text) {
			k, ok := byMarker[l.text[m.Start:m.End]]
			if !ok {
				continue // already there before
			}
			found := r.secretFinding(l, m, k)
			if name := l.nameAt(m.Start); name != "" {
				found.Variable = name
			}
			found.Path, found.Variable = clean(found.Path), clean(found.Variable)
			out = append(out, found)
		}
	}
	return out
}

// nameAt returns the name under which the value of a marker was found in that place, ""
// if it only equals one found elsewhere.
func (l *leaf) nameAt(at int) string {
	i, ok := slices.BinarySearchFunc(l.named, at, func(n naming, at int) int { return cmp.Compare(n.at, at) })
	if !ok {
		return ""
	}
	return l.named[i].variable
}

func (r *Redactor) secretFinding(l *leaf, m MarkerSpan, k knownValue) sessionevents.SecretFinding {
	f := k.finding
	return sessionevents.SecretFinding{
		Rule: f.Rule, Fingerprint: k.fingerprint, Tier: sessionevents.SecretTier(f.Tier), Confidence: f.Confidence, Entropy: f.Entropy,
		Length: len(f.Value), Variable: f.Variable, Placeholder: f.Placeholder, Validated: f.Validated,
		TestFile: r.scanner.TestFile(l.path), Path: l.path,
		Block: l.block, Pointer: l.pointer, Segment: -1, Offset: m.Start,
	}
}

// cleaner returns a function that redacts what a finding says about its place, since a
// path or a name can contain a secret too. It caches results, because findings share
// their paths.
func (r *Redactor) cleaner(known []knownValue) func(string) string {
	forms := spreading(known)
	seen := map[string]string{}
	return func(text string) string {
		if len(text) < minimumSpread {
			return text
		}
		clean, ok := seen[text]
		if !ok {
			l := leaf{text: text}
			for _, f := range r.scanner.Find(text, "") {
				l.hits = append(l.hits, hit{f.Start, f.End, f, r.scanner.Fingerprint(f.Value), true})
			}
			l.mark(forms)
			l.replace()
			clean = l.text
			seen[text] = clean
		}
		return clean
	}
}

// MarkerSpan is a marker in a text.
type MarkerSpan struct {
	Start, End        int // bytes
	Rule, Fingerprint string
}

// Markers finds the markers ‹secret:RULE:FINGERPRINT› of a text, in order (SW-7).
func Markers(text string) []MarkerSpan {
	var out []MarkerSpan
	for from := 0; ; {
		i := strings.Index(text[from:], secrets.MarkerOpen)
		if i < 0 {
			return out
		}
		start := from + i
		inner := text[start+len(secrets.MarkerOpen):]
		end := strings.Index(inner, secrets.MarkerClose)
		from = start + len(secrets.MarkerOpen)
		if end < 0 {
			return out
		}
		rule, fingerprint, ok := strings.Cut(inner[:end], ":")
		if !ok || len(fingerprint) != 12 || strings.ContainsAny(rule, " \n") {
			continue
		}
		from = start + len(secrets.MarkerOpen) + end + len(secrets.MarkerClose)
		out = append(out, MarkerSpan{start, from, rule, fingerprint})
	}
}
