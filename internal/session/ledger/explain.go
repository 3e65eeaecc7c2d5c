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
	case changed.Zero() || d.l.Failing.Zero() && !strings.Contains(strings.ToLower(c.Text), "diagnostic") || !d.c.excused.MatchString(c.Text):
		v.lacks(sessionevents.NotCheckable, "", "The session changed nothing yet.")
	case d.c.located.MatchString(c.Text):
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

// unreproduced: a fault that the person reported is called fixed, although the session
// neither saw it failing nor changed a test since.
func (d *digest) unreproduced(c *sessionevents.Claim) bool {
	if c.Kind != sessionevents.ClaimWorks || !c.Final || d.l.Reported.Zero() || d.l.Failing.After(d.l.Reported) {
		return false
	}
	code, _ := d.l.Changed(d.l.Reported, sessionevents.MutationCode)
	tests, _ := d.l.Changed(d.l.Reported, sessionevents.MutationTests)
	// Where nothing changed since the report, "it works" speaks of another case than the
	// person's.
	return tests.Zero() && (!code.Zero() || d.l.Reported == d.l.Asked && !d.l.Asked.Zero())
}
