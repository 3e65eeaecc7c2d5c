package codepattern

import "strings"

// plainly is the tier without trees: the rules' regular expressions over added
// lines whose comments are masked.
func (r *ruleset) plainly(t *text, active []*compiled) []Match {
	var out []Match
	bare := masked(r.name, t.code)
	for _, c := range active {
		if c.plain == nil || c.unless != nil && c.unless.MatchString(t.code) {
			continue
		}
		for _, m := range c.plain.FindAllStringIndex(t.code, maxHits) {
			i := t.lineAt(m[0])
			if !t.lines[i].added || m[0] >= len(bare) || bare[m[0]] != t.code[m[0]] {
				continue
			}
			end := min(m[1], t.end(i))
			found := Match{
				Rule: c.Rule, Language: r.name, Confidence: min(c.PlainConfidence, PlainCap), Line: t.lines[i].number,
				Offset: t.lines[i].offset + m[0] - t.lines[i].start, Length: end - m[0],
				Statement: strings.TrimSpace(t.code[t.lines[i].start:t.end(i)]), FunctionText: shorten(t.code),
				Callee: shortSource(t.code[m[0]:end]), Imports: t.imports, Tier: "regex",
			}
			if c.Flow != nil {
				found.Origin = Unknown
			}
			var lines []string
			for at := max(0, i-1); at <= i; at++ {
				lines = append(lines, t.code[t.lines[at].start:t.end(at)])
			}
			found.Comments = comments(r.name, lines)
			out = append(out, found)
		}
	}
	return out
}
