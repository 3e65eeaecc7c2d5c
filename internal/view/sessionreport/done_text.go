package sessionreport

import (
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
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
	text := page.Plural(claims, "claim", "claims")
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	changes := 0
	for _, n := range d.Changes {
		changes += n
	}
	text += fmt.Sprintf(", %s, %s", page.Plural(d.Runs, "check", "checks"), page.Plural(changes, "change", "changes"))
	if n := len(d.Open); n > 0 {
		text += fmt.Sprintf(", %s open", page.Plural(n, "promise", "promises"))
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

// done writes the ledger of done (PD-3).
func (p *markdown) done(m Model) {
	if m.Done == nil || len(m.Done.Claims)+len(m.Done.Open)+len(m.Done.Receipts) == 0 {
		return
	}
	p.part("### "+doneTitle+": "+m.Done.Heading(), m.Done.Lines())
}

// RenderDone writes the ledgers of sessions as text or Markdown, the worst session as it
// comes: the caller sorts.
func RenderDone(w io.Writer, markdownForm bool, sessions ...Model) error {
	var out strings.Builder
	for i, m := range sessions {
		if i > 0 {
			out.WriteByte('\n')
		}
		name, lines := identity(m), []string{"No claim, check or change was seen."}
		if m.Done != nil {
			name, lines = name+": "+m.Done.Heading(), m.Done.Lines()
		}
		if markdownForm {
			var p markdown
			p.part("## "+page.Escape(name), lines)
			out.WriteString(strings.TrimRight(p.String(), "\n") + "\n")
			continue
		}
		out.WriteString(page.Plain(name) + "\n")
		for _, l := range lines {
			out.WriteString("  " + page.Plain(l) + "\n")
		}
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	return nil
}
