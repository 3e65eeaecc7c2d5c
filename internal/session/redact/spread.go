package redact

import (
	"encoding/json"
	"index/suffixarray"
	"sort"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
)

// minimumSpread is the minimum length of a value that is replaced everywhere; shorter
// ones may be ordinary words.
const minimumSpread = 8

// knownValue is a secret that was found, with its attributes.
type knownValue struct {
	value       string
	finding     secrets.Finding
	fingerprint string
	spreads     bool
}

// gather adds the values of all hits to known, each once.
func (r *Redactor) gather(c *collection, known []knownValue) []knownValue {
	seen := map[string]bool{}
	for _, k := range known {
		seen[k.value+"\x00"+k.finding.Rule] = true
	}
	for i := range c.leaves {
		for _, h := range c.leaves[i].hits {
			if id := h.finding.Value + "\x00" + h.finding.Rule; !seen[id] {
				seen[id] = true
				f := h.finding
				spreads := !f.Placeholder && f.Tier != secrets.TierEntropy && len(f.Value) >= minimumSpread
				known = append(known, knownValue{f.Value, f, h.fingerprint, spreads})
				known = r.withParts(known, seen)
			}
		}
	}
	return known
}

// withParts adds the parts of the last value that may be repeated alone (see
// [separable]).
func (r *Redactor) withParts(known []knownValue, seen map[string]bool) []knownValue {
	whole := known[len(known)-1]
	if !whole.spreads || !distinct(whole.finding) {
		return known
	}
	for _, part := range separable(whole.value) {
		if id := part + "\x00" + whole.finding.Rule; !seen[id] {
			seen[id] = true
			k := whole
			k.value, k.finding.Value, k.fingerprint = part, part, r.scanner.Fingerprint(part)
			known = append(known, k)
		}
	}
	return known
}

// spread marks every further occurrence of the known values, plain or escaped
// as JSON inside a string.
func spread(c *collection, known []knownValue) {
	forms := spreading(known)
	for i := range c.leaves {
		c.leaves[i].mark(forms)
	}
}

// spreading returns the forms of the known values that are replaced everywhere.
func spreading(known []knownValue) (forms []knownValue) {
	for _, k := range known {
		if k.spreads {
			for _, form := range formsOf(k.value) {
				k.value = form
				forms = append(forms, k)
			}
		}
	}
	// The longest first, so that a value that contains another is replaced as a whole.
	sort.SliceStable(forms, func(i, j int) bool { return len(forms[i].value) > len(forms[j].value) })
	return forms
}

// formsOf returns a value as it is, escaped as JSON once and twice, and, if it contains
// escapes, unescaped.
func formsOf(value string) []string {
	forms := []string{value}
	add := func(form string) {
		for _, f := range forms {
			if f == form {
				return
			}
		}
		if len(form) >= minimumSpread {
			forms = append(forms, form)
		}
	}
	once := escaped(value)
	add(once)
	add(escaped(once))
	plain := value
	for n := 0; n < 3; n++ {
		var decoded string
		if json.Unmarshal([]byte(`"`+plain+`"`), &decoded) != nil || decoded == plain {
			break
		}
		plain = decoded
		add(plain)
	}
	if trimmed := strings.TrimSpace(value); trimmed != value {
		add(trimmed)
	}
	return forms
}

// escaped returns the text as encoding/json writes it inside quotes, without the escapes
// for HTML.
func escaped(text string) string {
	quoted := string(appendString(nil, text))
	return quoted[1 : len(quoted)-1]
}

// manyForms is the number of values from which an index over the text is cheaper than a
// search per value; it also keeps hostile input from causing quadratic work.
const manyForms = 48

// mark adds a hit for every occurrence of a form that is not yet covered.
func (l *leaf) mark(forms []knownValue) {
	if len(l.text) < minimumSpread {
		return
	}
	covered := newCoverage(l.hits)
	var index *suffixarray.Index
	if len(forms) > manyForms {
		index = suffixarray.New([]byte(l.text))
	}
	for _, k := range forms {
		for _, at := range occurrences(l.text, k.value, index) {
			if covered.take(at, at+len(k.value)) {
				l.hits = append(l.hits, hit{start: at, end: at + len(k.value), finding: k.finding, fingerprint: k.fingerprint})
			}
		}
	}
}

func occurrences(text, value string, index *suffixarray.Index) []int {
	if index != nil {
		at := index.Lookup([]byte(value), -1)
		sort.Ints(at)
		return at
	}
	var at []int
	for from := 0; ; {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(value)
	}
}

// coverage records which bytes are already covered by spans.
type coverage struct{ spans [][2]int }

func newCoverage(hits []hit) *coverage {
	c := &coverage{}
	for _, h := range hits {
		c.insert(h.start, h.end)
	}
	return c
}

// take adds a span, unless an existing one contains it.
func (c *coverage) take(start, end int) bool {
	i := sort.Search(len(c.spans), func(i int) bool { return c.spans[i][1] >= end })
	if i < len(c.spans) && c.spans[i][0] <= start {
		return false
	}
	c.insert(start, end)
	return true
}

// insert keeps the spans ordered and merged.
func (c *coverage) insert(start, end int) {
	from := sort.Search(len(c.spans), func(i int) bool { return c.spans[i][1] >= start })
	to := from
	for to < len(c.spans) && c.spans[to][0] <= end {
		start, end = min(start, c.spans[to][0]), max(end, c.spans[to][1])
		to++
	}
	c.spans = append(c.spans[:from], append([][2]int{{start, end}}, c.spans[to:]...)...)
}
