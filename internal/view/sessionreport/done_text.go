package sessionreport

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
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
	claims := 0
	var parts []string
	for _, v := range worstFirst {
		if n := d.Verdicts[v]; n > 0 {
			claims += n
			parts = append(parts, fmt.Sprintf("%d %s", n, verdictWords[v]))
		}
	}
	text := page.Plural(claims, "claim")
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	changes := 0
	for _, n := range d.Changes {
		changes += n
	}
	text += fmt.Sprintf(", %s, %s", page.Plural(d.Runs, "check"), page.Plural(changes, "change"))
	if n := len(d.Open); n > 0 {
		text += fmt.Sprintf(", %s open", page.Plural(n, "promise"))
	}
	return text
}

// Lines are the claims that a reader needs, worst first; those in the middle of the work
// are listed where they are contradicted or unproven.
func (d *Done) Lines() []string {
	var out []string
	for i := range d.Receipts {
		out = append(out, receiptLine(&d.Receipts[i]))
	}
	for _, c := range d.Claims {
		if !c.Final && (c.Verdict == sessionevents.Proven || c.Verdict == sessionevents.NotCheckable) {
			continue
		}
		out = append(out, claimLine(c))
	}
	for _, p := range d.Open {
		out = append(out, fmt.Sprintf("open (since turn %d): %s", p.Turn, quote.Plain(p.Text)))
	}
	return out
}

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
	m.Session.ID = shortID(id)
	text := identity(m)
	if name := title(m); m.Session.ID != id && !strings.HasPrefix(name, "Session ") {
		text += ", " + name
	}
	return text
}

// Ledger lays out the claims of a session; without a heading of its own.
func Ledger(m Model) doc.Document {
	d := doc.Document{Of: "session " + m.Session.ID, Heading: ledgerName(m)}
	lines := []string{"No claim, check or change was seen."}
	if m.Done != nil {
		d.Heading += ": " + m.Done.Heading()
		lines = m.Done.Lines()
	}
	list := doc.Lines(lines)
	list.Bare = true
	d.Parts = []doc.Part{{Blocks: []doc.Block{list}}}
	return d
}
