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

// effectsPart is effectiveness by corrective action (RW-42).
func effectsPart(m Model) doc.Part {
	p := doc.TablePart("Effectiveness of corrective actions", "Action", "Issued", "Recurred", "Held", "No occasion", "Open", "Effective")
	for _, e := range m.Effectiveness {
		effective := "not known"
		if share, ok := e.Share(); ok {
			effective = percent(share)
		}
		p.Row(string(e.Action), strconv.Itoa(e.Issued), strconv.Itoa(e.Recurred), strconv.Itoa(e.Held), strconv.Itoa(e.Untested), strconv.Itoa(e.Open), effective)
	}
	return p
}

func correctionsPart(m Model) doc.Part {
	p := doc.Part{Title: "Corrective actions", Empty: none(m)}
	for i := range m.Corrections {
		c := &m.Corrections[i]
		text := fmt.Sprintf("%s step %d, %s, to %s, about %s: %s", clock(c.Time), c.Step, c.Action, c.Target, quote.Path(c.Issue), outcomeText(c))
		p.SayAs(map[string]doc.Tone{Recurred: doc.Bad, Held: doc.Good}[c.Outcome], text)
	}
	return p
}

func outcomeText(c *Correction) string {
	switch c.Outcome {
	case Recurred:
		return "it was seen again " + page.Plural(len(c.Again), "time", "times") + " (" + ids(c.Again) + ")"
	case Held:
		return "it was not seen again; first occasion: " + c.Tested
	case Untested:
		return "there was no occasion to see it again"
	}
	return "it was not seen again so far"
}

func shadowsPart(m Model) doc.Part {
	p := doc.Part{Title: "Shadows", Empty: none(m)}
	for i := range m.Shadows {
		s := &m.Shadows[i]
		text := fmt.Sprintf("%s %s %s", clock(s.Time), s.Rule, quote.Path(s.Issue))
		if s.AgentID != "" {
			text += ", agent " + quote.Name(s.AgentID)
		}
		text += ": " + s.Reason
		if s.Suppressed != "" {
			p.SayAs(doc.Faint, text+" Not acted on: "+s.Suppressed)
			continue
		}
		p.Say(text)
	}
	return p
}

// judgedPart lists violations or warnings.
func judgedPart(m Model, title string, list []Judged, as doc.Tone) doc.Part {
	p := doc.Part{Title: title, Empty: none(m)}
	for i := range list {
		j := &list[i]
		rules := strings.Join(append([]string{j.Rule}, j.Invariants...), ", ")
		p.SayAs(as, fmt.Sprintf("%s %s (%s): %s%s", clock(j.Time), j.Code, rules, j.What, evidenceText(j.Evidence)))
	}
	return p
}

func evidenceText(list []runevents.Reference) string {
	var places []string
	for _, r := range list {
		text := r.Path
		if text == "" {
			text = r.Event
		}
		if r.Line > 0 {
			text += ":" + strconv.Itoa(r.Line)
		}
		if text != "" {
			places = append(places, text)
		}
	}
	if len(places) == 0 {
		return ""
	}
	return " (" + ids(places) + ")"
}

func gatesPart(m Model) doc.Part {
	p := doc.TablePart("Gates", "Time", "Gate", "Decision", "Rule", "Why")
	for i := range m.Gates {
		g := &m.Gates[i]
		name := string(g.Gate)
		for _, detail := range []string{g.Phase, g.AgentID} {
			if detail != "" {
				name += " " + quote.Name(detail)
			}
		}
		if g.Wave > 0 {
			name += " wave " + strconv.Itoa(g.Wave)
		}
		if g.Ahead {
			name += " (asked ahead)"
		}
		p.Row(clock(g.Time), name, words(string(g.Decision)), g.Rule, g.Why)
	}
	return p
}

func policiesPart(m Model) doc.Part {
	p := doc.Part{Title: "Policies"}
	for i := range m.Policies.Budget {
		b := &m.Policies.Budget[i]
		p.Say(fmt.Sprintf("%s budget at %d %%: %s; %s of %s spent", clock(b.Time), b.Threshold, words(string(b.Action)), amount(b.Spent, ""), amount(b.Limit, b.Unit)))
	}
	for _, c := range m.Policies.Checkpoints {
		p.Say(fmt.Sprintf("%s checkpoint: %s%s", clock(c.Time), c.Decision, by("", c.Why)))
	}
	return p
}

// cyclesPart are the cycles with their convergence (RW-31).
func cyclesPart(m Model) doc.Part {
	p := doc.TablePart("Cycles", "Cycle", "Open", "Critical", "Resolved", "New", "Persistent", "Regressed", "Score")
	for _, c := range m.Cycles {
		compared := []string{"", "", "", ""}
		if c.Compared {
			compared = []string{strconv.Itoa(c.Resolved), strconv.Itoa(c.New), strconv.Itoa(c.Persistent), strconv.Itoa(c.Regressed)}
		}
		p.Row(append(append([]string{cycleName(c), strconv.Itoa(c.Open), strconv.Itoa(c.Critical)}, compared...), cycleScore(c))...)
	}
	return p
}

func cycleName(c Cycle) string {
	text := "?"
	if c.Cycle > 0 {
		text = strconv.Itoa(c.Cycle)
	}
	if c.Decision != "" {
		text += ", " + c.Decision
	}
	if c.Limit {
		text += ", at the limit"
	}
	return text
}

func cycleScore(c Cycle) string {
	switch {
	case c.Given != nil:
		return score(c.Given) + " given"
	case c.Compared:
		return score(c.Score)
	}
	return ""
}
