package sessionreport

import (
	"fmt"
	"maps"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const doneTitle = "Proof of done"

var verdictWords = map[sessionevents.Verdict]string{
	sessionevents.Contradicted: "contradicted", sessionevents.Unproven: "unproven", sessionevents.NotCheckable: "not checkable", sessionevents.Proven: "proven",
}

// ClaimsInWords says how many claims have which verdict, "" where none can be checked.
func ClaimsInWords(verdicts map[sessionevents.Verdict]int) string {
	var parts []string
	for _, v := range []struct {
		verdict sessionevents.Verdict
		words   string
	}{
		{sessionevents.Proven, "shown by the record"}, {sessionevents.Unproven, "without evidence"}, {sessionevents.Contradicted, "contradicted"},
	} {
		if n := verdicts[v.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v.words))
		}
	}
	return strings.Join(parts, ", ")
}

// Heading is the ledger in one line.
func (d *Done) Heading() string {
	claims, which := counted(d.Verdicts)
	text := page.Plural(claims, "claim") + which
	if claims == 0 {
		text = "no claim"
	}
	changes := 0
	for _, n := range d.Changes {
		changes += n
	}
	for _, one := range []struct {
		n    int
		what string
	}{{d.Runs, "check"}, {changes, "change"}} {
		if one.n > 0 { // zeros are not printed (CO-9b)
			text += ", " + page.Plural(one.n, one.what)
		}
	}
	if n := len(d.Open); n > 0 {
		text += fmt.Sprintf(", %s open", page.Plural(n, "promise"))
	}
	return text
}

// Lines are the claims that a reader needs, worst first, and what is open; those in the middle of the work are
// listed where they are contradicted or unproven, or if all are wanted. What is not listed is counted, with what
// lists it.
func (d *Done) Lines(all bool, lists string) []string {
	var out []string
	for i := range d.Receipts {
		out = append(out, receiptLine(&d.Receipts[i]))
	}
	midway, gone := map[sessionevents.Verdict]int{}, maps.Clone(d.Verdicts)
	for i := range d.Claims {
		gone[d.Claims[i].Verdict]--
		if !all && Midway(d.Claims[i]) {
			midway[d.Claims[i].Verdict]++
			continue
		}
		out = append(out, claimLine(d.Claims[i]))
	}
	if n, which := counted(midway); n > 0 {
		out = append(out, page.Plural(n, "more claim")+" from the middle of the work"+which+": "+lists)
	}
	if n, which := counted(gone); n > 0 {
		out = append(out, page.Plural(n, "earlier claim")+which+": only the latest "+number(maxClaims)+" are kept")
	}
	for _, p := range d.Open {
		out = append(out, openLine(p))
	}
	return out
}

// Midway reports whether a claim was made in the middle of the work and needs nobody.
func Midway(c sessionevents.Claim) bool {
	return !c.Final && (c.Verdict == sessionevents.Proven || c.Verdict == sessionevents.NotCheckable)
}

func openLine(p sessionevents.Promise) string {
	return fmt.Sprintf("open (since turn %d): %s", p.Turn, quote.Plain(p.Text))
}

// counted is how many claims there are, and of which verdicts: " (6 proven, 1 not checkable)".
func counted(verdicts map[sessionevents.Verdict]int) (n int, which string) {
	var parts []string
	for _, v := range worstFirst {
		if verdicts[v] > 0 {
			n += verdicts[v]
			parts = append(parts, page.Count(verdicts[v])+" "+verdictWords[v])
		}
	}
	if n > 0 {
		which = " (" + strings.Join(parts, ", ") + ")"
	}
	return n, which
}

// toList is the command that lists every claim of a session.
func toList(session string) string { return "scaffoldwatch done " + naming.Brief(session) + " --all" }

func claimLine(c sessionevents.Claim) string {
	text := fmt.Sprintf("%s [Turn %d] %s %s", strings.ToUpper(verdictWords[c.Verdict]), c.Turn, quote.Text(c.Text), quote.Line(c.Why))
	if c.Show != "" && c.Verdict != sessionevents.Proven {
		text += " To show it: " + quote.Code(quote.Plain(c.Show))
	}
	return text
}

// ledgerName says which session it is: one whose id says nothing by what a person calls it (CO-5).
func ledgerName(m Model) string {
	id := m.Session.ID
	m.Session.ID = naming.Brief(id)
	if parent, _ := naming.Split(id); m.Session.Run == parent {
		m.Session.Run = "" // its own name says so
	}
	m.Session.Run = naming.Brief(m.Session.Run)
	text := identity(m)
	if name := title(m); m.Session.ID != id && !strings.HasPrefix(name, "Session ") {
		text += ", " + name
	}
	return text
}

// Ledger lays out the claims of a session, all of them or those a reader needs; without a heading of its own.
func Ledger(m Model, all bool) doc.Document {
	d := doc.Document{Of: "session " + m.Session.ID, Heading: ledgerName(m)}
	lines := []string{"No claim, check or change was seen."}
	if m.Done != nil {
		d.Heading += ": " + m.Done.Heading()
		lines = m.Done.Lines(all, "--all lists them")
	}
	list := doc.Lines(lines)
	list.Bare = true
	d.Parts = []doc.Part{{Blocks: []doc.Block{list}}}
	return d
}
