package redact

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
)

// Sizes, in bytes, of a leaf's ends that are joined with its neighbours; larger for the
// beginning of a private key, whose block is long.
const (
	joinReach    = 512
	joinReachKey = 16 << 10
)

// scanJoined scans the borders between neighbouring leaves of a group and marks both
// parts of a secret that spans one (SW-7). What a leaf contains by itself is found again
// and merged.
func (r *Redactor) scanJoined(c *collection) int {
	groups, order := map[string][]int{}, []string(nil)
	for i := range c.leaves {
		if g := c.leaves[i].group; g != "" && c.leaves[i].text != "" {
			if groups[g] == nil {
				order = append(order, g)
			}
			groups[g] = append(groups[g], i)
		}
	}
	count := 0
	for _, g := range order {
		if len(groups[g]) > 1 {
			count += r.scanGroup(c, groups[g])
		}
	}
	return count
}

// part is a stretch of a leaf within a joined text.
type part struct {
	leaf, from, to int // bytes of the leaf
	at             int // its offset in the joined text
}

func (r *Redactor) scanGroup(c *collection, members []int) int {
	text, parts := join(c, members)
	count := 0
	for _, f := range r.scanner.Find(text, c.leaves[members[0]].path) {
		count += r.markAcross(c, parts, f)
	}
	return count
}

// join concatenates the members, long ones by their two ends.
func join(c *collection, members []int) (string, []part) {
	reach := joinReach
	for _, i := range members {
		if strings.Contains(c.leaves[i].text, "-----BEGIN") {
			reach = joinReachKey
		}
	}
	var b strings.Builder
	var parts []part
	for _, i := range members {
		text := c.leaves[i].text
		if len(text) <= 2*reach {
			parts = append(parts, part{i, 0, len(text), b.Len()})
			b.WriteString(text)
			continue
		}
		parts = append(parts, part{i, 0, reach, b.Len()})
		b.WriteString(text[:reach])
		b.WriteString("\n\n")
		parts = append(parts, part{i, len(text) - reach, len(text), b.Len()})
		b.WriteString(text[len(text)-reach:])
	}
	return b.String(), parts
}

// markAcross adds a hit to each leaf that a finding of the joined text touches. This may
// be a single leaf: the name may be before the border and the value after it.
func (r *Redactor) markAcross(c *collection, parts []part, f secrets.Finding) int {
	type span struct{ leaf, from, to int }
	var spans []span
	for _, p := range parts {
		from, to := max(f.Start, p.at), min(f.End, p.at+p.to-p.from)
		if from >= to {
			continue
		}
		s := span{p.leaf, p.from + from - p.at, p.from + to - p.at}
		if n := len(spans); n > 0 && spans[n-1].leaf == s.leaf {
			spans[n-1].to = s.to
			continue
		}
		spans = append(spans, s)
	}
	fingerprint := r.scanner.Fingerprint(f.Value)
	for _, s := range spans {
		l := &c.leaves[s.leaf]
		l.hits = append(l.hits, hit{s.from, s.to, f, fingerprint, true})
	}
	return len(spans)
}
