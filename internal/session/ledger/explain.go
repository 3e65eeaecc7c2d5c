package ledger

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// judgeCause: a cause is proven once the failure was seen in the session.
func (d *digest) judgeCause(c *sessionevents.Claim) {
	v := claimView{c}
	switch {
	case d.l.Seen.After(Place{Turn: d.l.Asked.Turn - 1}):
		v.lacks(sessionevents.Proven, "", "The session saw a record of it in turn %d.", d.l.Seen.Turn)
	case d.l.Failing.After(d.l.Reported) && !d.l.Failing.Zero() && d.l.Failing.After(Place{Turn: d.l.Asked.Turn - 1}):
		v.lacks(sessionevents.Proven, "", "The session saw it failing in turn %d.", d.l.Failing.Turn)
	default:
		v.lacks(sessionevents.Unproven, GapCause, "Nothing that the session ran shows the failure.")
	}
}

// judgeExcuse: that a failure was there before is proven by a run on the unchanged code.
func (d *digest) judgeExcuse(c *sessionevents.Claim) {
	v := claimView{c}
	changed, _ := d.l.Changed(Place{}, behaviour...)
	switch {
	case changed.Zero() || d.l.Failing.Zero() && !strings.Contains(strings.ToLower(c.Text), "diagnostic"):
		v.lacks(sessionevents.NotCheckable, "", "The session changed nothing yet.")
	case d.c.ambient.MatchString(c.Text) && !d.l.Lacking.Zero() && !d.l.Failing.After(d.l.Lacking):
		v.lacks(sessionevents.Proven, "", "The output of turn %d says what the machine lacks.", d.l.Lacking.Turn)
	case d.c.located.MatchString(c.Text) && d.l.Found.Zero():
		v.lacks(sessionevents.NotCheckable, "", "A finding of a linter names its place.")
	case !d.l.Original.Zero():
		v.lacks(sessionevents.Proven, "", "A check ran on the unchanged code in turn %d.", d.l.Original.Turn)
	default:
		v.lacks(sessionevents.Unproven, GapExcuse, "No check ran on the code without the changes of this session.")
	}
}

// openTrouble is the latest output that says that something went wrong, where nothing
// changed since.
func (d *digest) openTrouble(changed Place) *Trouble {
	for i := len(d.l.Troubles) - 1; i >= 0; i-- {
		if t := &d.l.Troubles[i]; t.At.After(changed) {
			return t
		}
	}
	return nil
}

// admits reports whether what the primary says names a trouble: its figure, or that
// something failed.
func (d *digest) admits(t *Trouble) bool {
	figure := strings.TrimRight(firstFigure(t.Text), ".,")
	if figure == "" {
		return d.out.Admits
	}
	plain := strings.ReplaceAll(d.out.text, ",", "")
	return d.out.Admits || slices.Contains(strings.FieldsFunc(plain, func(r rune) bool { return r < '0' || r > '9' }), strings.ReplaceAll(figure, ",", ""))
}

// firstFigure is the first number of a text next to what failed.
func firstFigure(text string) string {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != ',' }) {
		if w = strings.Trim(w, ","); w != "" && w != "0" {
			return w
		}
	}
	return ""
}

// blamed are the kinds of claims that a person's report of a fault says are not so.
func (d *digest) blamed(text string) []sessionevents.ClaimKind {
	var kinds []sessionevents.ClaimKind
	for _, sentence := range sentencesOf(text) {
		if !d.c.reports.MatchString(sentence) || strings.HasSuffix(strings.TrimSpace(sentence), "?") {
			continue
		}
		for i, names := range d.c.blames {
			if kind := d.c.section.Blames[i].Kind; names.MatchString(sentence) && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// unchanged: a fault that the person reported is called gone, although nothing changed
// since and the session never saw it failing.
func (d *digest) unchanged(c *sessionevents.Claim) bool {
	if !d.unseen(c) || len(after(d.l.runs(), d.l.Reported)) == 0 {
		return false
	}
	if slices.ContainsFunc(d.l.Files, func(f File) bool {
		return f.At.After(d.l.Reported) && f.Kind != sessionevents.MutationDocuments && !f.Gone
	}) {
		return false
	}
	open := d.l.Reported.Turn > d.l.Answered
	return (open || slices.Contains(d.l.Blamed, c.Kind)) && !d.l.Delegated.After(d.l.Reported)
}

// unseen: the claim ends a response, and the fault that the person reported last was not
// seen failing since.
func (d *digest) unseen(c *sessionevents.Claim) bool {
	return c.Final && !d.l.Reported.Zero() && !d.l.Failing.After(d.l.Reported)
}

// rejects gives a claim against the person's report its verdict: where the report answers
// a claim of the primary, it is the latest check of the unchanged code, and it failed.
func (d *digest) rejects(c claimView) {
	verdict := sessionevents.Unproven
	if slices.ContainsFunc(d.l.Claims, func(o sessionevents.Claim) bool {
		return o.Final && o.Turn < d.l.Reported.Turn && o.Kind == c.Kind
	}) {
		verdict = sessionevents.Contradicted
	}
	c.lacks(verdict, GapUnchanged, "The person reported the fault in turn %d; nothing changed since, and it was not seen failing.", d.l.Reported.Turn)
}

// unreproduced: a fault that the person reported is called fixed, although the session
// neither saw it failing nor changed a test since.
func (d *digest) unreproduced(c *sessionevents.Claim) bool {
	if c.Kind != sessionevents.ClaimWorks || !d.unseen(c) {
		return false
	}
	code, _ := d.l.Changed(d.l.Reported, sessionevents.MutationCode)
	tests, _ := d.l.Changed(d.l.Reported, sessionevents.MutationTests)
	// Where nothing changed since the report, "it works" speaks of another case than the
	// person's.
	return tests.Zero() && (!code.Zero() || d.l.Reported == d.l.Asked && !d.l.Asked.Zero())
}
