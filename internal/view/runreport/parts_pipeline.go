package runreport

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// degradationsPart is PL-3: phases that handed over less, and the consequences.
func degradationsPart(m Model) doc.Part {
	p := doc.TablePart(
		"Chain of degradations",
		"Phase",
		"Cycle",
		"Quality",
		"Findings citing missing context",
		"Fix loops after it",
	)
	for _, d := range m.Pipeline.Degradations {
		p.Row(
			mentioned(d.Phase),
			numberOrNone(d.Cycle),
			string(d.Quality),
			strconv.Itoa(d.Findings),
			strconv.Itoa(d.FixLoops),
		)
	}
	var after []string // what `on_partial` is to be decided by
	if n := m.Pipeline.FindingsCited; n > 0 {
		after = append(after, page.Plural(n, "finding that cites", "findings that cite")+" missing context")
	}
	if n := m.Pipeline.FixLoops; n > 0 {
		after = append(after, page.Plural(n, "fix loop"))
	}
	if len(after) > 0 {
		p.Say("After partial handovers came " + strings.Join(after, " and ") + ".")
	}
	return p
}

func numberOrNone(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// evaluationsPart tags every evaluation with the mode it was made in (PL-20).
func evaluationsPart(m Model) doc.Part {
	p := doc.TablePart("Evaluations", "Agent", "Role", "Mode", "Verdict", "Event")
	p.Explain = true
	for _, e := range m.Pipeline.Evaluations {
		p.Row(mentioned(e.Agent), e.Role, e.Mode, e.Verdict, e.Event)
	}
	return p
}

// leftoversPart is what loops left at their limit, and scope checks as recounted
// (PL-8, PL-40).
func leftoversPart(m Model) doc.Part {
	p := doc.Part{Title: "Left over, and scope"}
	for _, l := range m.Pipeline.Leftovers {
		p.Say(fmt.Sprintf("Cycle %d stopped at its limit with %s: %s", l.Cycle,
			page.Plural(len(l.Findings)+len(l.Residual), "thing"),
			ids(append(append([]string{}, l.Findings...), l.Residual...))))
	}
	for _, s := range m.Pipeline.Scopes {
		var found []string
		for _, n := range []struct {
			count int
			what  string
		}{{s.Missing, "missing"}, {s.Unclear, "unclear"}, {s.Creep, "beyond the scope"}} {
			if n.count > 0 {
				found = append(found, strconv.Itoa(n.count)+" "+n.what)
			}
		}
		if len(found) == 0 {
			found = []string{"nothing missing, nothing beyond the scope"}
		}
		p.Say(fmt.Sprintf("Scope check: %s (confidence %s)", strings.Join(found, ", "), s.Confidence))
	}
	return p
}

// calibrationPart is PL-39: the tally of the two kinds of error, and the log.
func calibrationPart(m Model) doc.Part {
	p := doc.TablePart("Intent calibration", "Subtype", "Seen", "Recorded")
	p.Explain = true
	if m.Calibration == nil {
		return p
	}
	t := m.Calibration.Tally
	p.Row("A: the ticket was vague or ambiguous", strconv.Itoa(t.TicketsA), strconv.Itoa(t.RecordedA))
	p.Row("B: the ticket was clear, the picture of the code wrong", strconv.Itoa(t.ContradictedB), strconv.Itoa(t.RecordedB))
	if t.Unclassified > 0 {
		p.Row("neither", "", strconv.Itoa(t.Unclassified))
	}
	for i := range m.Calibration.Entries {
		p.Say(logText(&m.Calibration.Entries[i]))
	}
	if len(m.Calibration.Misread) > 0 {
		p.Say("Findings tagged as misread intent: " + ids(m.Calibration.Misread))
	}
	return p
}

func logText(e *runevents.CalibrationEntry) string {
	var parts []string
	for _, p := range []struct{ name, value string }{
		{"level", e.Level},
		{"said", e.Self},
		{"option", e.Option},
		{"outcome", e.Outcome},
		{"verdict", e.Verdict},
		{"subtype", e.Subtype},
		{"text", e.Text},
		{"misread", strings.Join(e.Findings, ", ")},
		{"breakdown", string(e.Breakdown)},
	} {
		switch {
		case p.value == "":
		case p.name == "text" && strings.Contains(p.value, " "):
			parts = append(parts, p.name+" "+quote.Passage(strings.Trim(p.value, `"`)))
		default:
			parts = append(parts, p.name+" "+quote.Name(p.value))
		}
	}
	return string(e.What) + ": " + strings.Join(parts, "; ") + " (" + quote.Name(e.Event) + ")"
}
