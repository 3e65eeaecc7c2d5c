package redact

import (
	"sort"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// rounds bounds how often a collection is scanned. A marker changes the text around it,
// so one round may leave a finding for the next; more than three rounds were never
// observed.
const rounds = 8

// run redacts the leaves in place and returns what it replaced, in order. The memory is
// the group's, nil for none.
func (r *Redactor) run(c *collection, m *Memory) []sessionevents.SecretFinding {
	var known []knownValue
	any := false
	for n := 0; n < rounds; n++ {
		count := r.scanAll(c) + r.scanJoined(c)
		if n == 0 {
			count += remembering{r, m}.recall(c)
		}
		if count == 0 && n > 0 {
			break
		}
		if count == 0 {
			return nil
		}
		any = true
		known = r.gather(c, known)
		spread(c, known)
		for i := range c.leaves {
			c.leaves[i].replace()
		}
	}
	if !any {
		return nil
	}
	if m != nil {
		m.learn(r, known)
	}
	return r.report(c, known)
}

// scanAll scans every leaf separately.
func (r *Redactor) scanAll(c *collection) int {
	count := 0
	for i := range c.leaves {
		l := &c.leaves[i]
		found := r.scanner.Find(l.text, l.path)
		if l.name != "" && len(l.text) <= maximumNamed {
			found = append(found, r.scanner.FindNamed(l.name, l.text, l.path)...)
		}
		for _, f := range found {
			l.hits = append(l.hits, hit{f.Start, f.End, f, r.scanner.Fingerprint(f.Value), true})
		}
		count += len(found)
	}
	return count
}

// maximumNamed is the maximum length in bytes of a text that is read as the value of its
// key.
const maximumNamed = 8 << 10

// replace puts markers in place of the leaf's hits. Of overlapping hits, the widest
// replaces both. A secret of several lines keeps its line ends, so that line numbers do
// not change.
func (l *leaf) replace() {
	if len(l.hits) == 0 {
		return
	}
	merged := mergeHits(l.hits)
	var b strings.Builder
	var named []naming
	at, old := 0, 0
	for _, h := range merged {
		for ; old < len(l.named) && l.named[old].at < h.end; old++ {
			if n := l.named[old]; n.at < h.start {
				named = append(named, naming{n.at + b.Len() - at, n.variable})
			}
		}
		b.WriteString(l.text[at:h.start])
		if h.own && h.finding.Variable != "" {
			named = append(named, naming{b.Len(), h.finding.Variable})
		}
		b.WriteString(secrets.Marker(h.finding.Rule, h.fingerprint))
		b.WriteString(lineEnds(l.text[h.start:h.end], l.pointer == pointerPatch))
		at = h.end
	}
	for ; old < len(l.named); old++ {
		named = append(named, naming{l.named[old].at + b.Len() - at, l.named[old].variable})
	}
	b.WriteString(l.text[at:])
	l.named = named
	l.text, l.hits, l.changed = b.String(), nil, true
}

// lineEnds returns the line ends within a secret, in a patch with the marks after them.
func lineEnds(text string, patch bool) string {
	n := strings.Count(text, "\n")
	if n == 0 || !patch {
		return strings.Repeat("\n", n)
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			b.WriteByte('\n')
			if i+1 < len(text) {
				b.WriteByte(text[i+1])
			}
		}
	}
	return b.String()
}

// mergeHits orders hits and unites overlapping ones under the strongest.
func mergeHits(hits []hit) []hit {
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].start < hits[j].start })
	out := hits[:1]
	for _, h := range hits[1:] {
		last := &out[len(out)-1]
		if h.start >= last.end {
			out = append(out, h)
			continue
		}
		start, end := last.start, max(last.end, h.end)
		if h.finding.Confidence > last.finding.Confidence || h.finding.Confidence == last.finding.Confidence && len(h.finding.Value) > len(last.finding.Value) {
			*last = h
		}
		last.start, last.end = start, end
	}
	return out
}

// leaf is one string to redact.
type leaf struct {
	text  string
	name  string // its key, "" if none
	path  string // file it belongs to
	block int    // index of its block, -1 for none
	// pointer is its place in the block: "text", "output", "input" with the number of the
	// string, …; see the collectors.
	pointer string
	group   string // leaves of one group are joined in order, "" for none
	changed bool
	hits    []hit
	named   []naming // in order of place
}

// naming is a marker at offset at whose value was found under a name of its own.
type naming struct {
	at       int
	variable string
}

// hit is a span of a leaf to replace.
type hit struct {
	start, end  int
	finding     secrets.Finding
	fingerprint string
	own         bool // found here, not only equal to a value found elsewhere
}

// collection holds all leaves of one redaction, in order.
type collection struct {
	leaves []leaf
}

func (c *collection) add(l leaf) int {
	c.leaves = append(c.leaves, l)
	return len(c.leaves) - 1
}
