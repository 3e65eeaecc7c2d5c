package ledger

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// longest is how long a sentence may be that claims something: longer ones are lists
// and explanations.
const longest = 420

// claim records what a sentence of the primary claims, with its verdict (PD-2). Plans,
// questions, conditions and what is said not to be so claim nothing.
func (d *digest) claim(sentence string, segment, offset int) {
	text := strings.TrimSpace(sentence)
	if len(text) > longest || len(text) < 4 || !d.c.marks.MatchString(text) {
		return
	}
	masked := prose.Parse(text).Masked
	kinds := d.kinds(masked, d.c.linted.MatchString(text))
	if len(kinds) == 0 {
		return
	}
	for _, k := range kinds {
		if called := d.t.Segments[segment].Tool; called != nil && (k.kind == sessionevents.ClaimExcuse || k.kind == sessionevents.ClaimDone && called.Command != "") {
			continue // a commit says what it does, not that it is proven
		}
		c := sessionevents.Claim{
			Kind: k.kind, Turn: d.t.Turn, Segment: segment, Offset: offset, Length: len(text), Text: d.shorten(text), Broad: k.broad, Final: d.out.Final,
		}
		d.judge(&c)
		d.record(c)
	}
}

// claimed is what a sentence claims.
type claimed struct {
	kind  sessionevents.ClaimKind
	broad bool
}

func (d *digest) kinds(text string, linted bool) []claimed {
	found := d.c.claims.Find(text)
	if len(found) == 0 {
		return nil
	}
	open := d.c.unclaimed.MatchString(text) && !d.c.claimed.MatchString(text)
	negated := d.c.negated.MatchString(d.c.affirmed.ReplaceAllString(text, ""))
	var out []claimed
	for _, i := range found {
		rule := d.c.section.Claims[i]
		if linted && (rule.Kind == sessionevents.ClaimWorks || rule.Kind == sessionevents.ClaimBuild) {
			continue // "all lint errors are fixed" is shown by the linter
		}
		if rule.Kind == sessionevents.ClaimExcuse && (!d.c.excused.MatchString(text) || d.c.denied.MatchString(text)) {
			continue // "none of the branches are stale" excuses nothing, nor does "it was not flaky"
		}
		guess := open && rule.Kind == sessionevents.ClaimExcuse && !d.c.unclaimed.MatchString(d.c.guesses.ReplaceAllString(text, ""))
		about := rule.Kind == sessionevents.ClaimCause || rule.Kind == sessionevents.ClaimExcuse
		if strings.HasSuffix(text, "?") || open && !guess && rule.Kind != sessionevents.ClaimCause || negated && !about || slices.ContainsFunc(out, func(c claimed) bool { return c.kind == rule.Kind }) {
			continue
		}
		out = append(out, claimed{rule.Kind, rule.Broad && !d.c.partly.MatchString(text)})
	}
	return out
}

// record keeps a claim; what the primary says twice in a turn, of the same suite, is one claim, the
// worse verdict.
func (d *digest) record(c sessionevents.Claim) {
	same := func(o sessionevents.Claim) bool {
		return o.Turn == c.Turn && o.Kind == c.Kind && (o.Kind != sessionevents.ClaimTodo || o.Text == c.Text) && d.suiteOf(o.Text) == d.suiteOf(c.Text)
	}
	if i := slices.IndexFunc(d.out.Claims, same); i >= 0 {
		if worse(c.Verdict, d.out.Claims[i].Verdict) {
			d.out.Claims[i] = c
			d.l.Claims[slices.IndexFunc(d.l.Claims, same)] = c
			d.out.Change.Claims[slices.IndexFunc(d.out.Change.Claims, same)] = c
		}
		return
	}
	d.out.Claims = append(d.out.Claims, c)
	d.l.Claims = append(d.l.Claims, c)
	d.out.Change.Claims = append(d.out.Change.Claims, c)
}

// Worst lists verdicts, the worst first.
var Worst = []sessionevents.Verdict{sessionevents.Contradicted, sessionevents.Unproven, sessionevents.NotCheckable, sessionevents.Proven}

func worse(a, b sessionevents.Verdict) bool { return slices.Index(Worst, a) < slices.Index(Worst, b) }
