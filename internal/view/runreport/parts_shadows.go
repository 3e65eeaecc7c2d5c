package runreport

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// effectsPart is effectiveness by corrective action (RW-42).
func effectsPart(m Model) doc.Part {
	p := doc.TablePart(
		"Whether corrections helped",
		"Action",
		"Issued",
		"Recurred",
		"Held",
		"No occasion",
		"Open",
		"Effective",
	)
	p.Explain = true
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
	p := doc.Part{Title: "Corrections", Empty: none(m)}
	for i := range m.Corrections {
		c := &m.Corrections[i]
		text := fmt.Sprintf(
			"%s %s: %s (%s); %s",
			m.clock(c.Time),
			issueWords(c.Issue),
			actionWords(c.Action),
			c.Target,
			outcomeText(c),
		)
		p.SayAs(map[string]doc.Tone{Recurred: doc.Bad, Held: doc.Good}[c.Outcome], text)
	}
	return p
}

// actionWords say what was asked for (RW-40).
func actionWords(a runevents.CorrectionAction) string {
	switch a {
	case runevents.CorrectionCorrect:
		return "told to correct it"
	case runevents.CorrectionReplace:
		return "to be replaced"
	case ActionEscalate:
		return "a person was asked"
	}
	return string(a)
}

func outcomeText(c *Correction) string {
	switch c.Outcome {
	case Recurred:
		return "it was seen again " + times(len(c.Again))
	case Held:
		return "it was not seen again"
	case Untested:
		return "there was no occasion to see it again"
	}
	return "it was not seen again so far"
}

func shadowsPart(m Model) doc.Part {
	p := doc.Part{Title: "Agents off course", Empty: none(m)}
	for i := range m.Shadows {
		s := &m.Shadows[i]
		text := m.clock(s.Time) + " " + issueWords(s.Issue)
		if s.AgentID != "" {
			text += ", agent " + quote.Name(s.AgentID)
		}
		text += ": " + s.Reason + " (" + s.Rule + ")"
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
		p.SayAs(as, fmt.Sprintf("%s %s (%s, %s)%s", m.clock(j.Time), j.What, j.Code, rules, placesText(j.What, j.Evidence)))
	}
	return p
}

// placesText are the places in files that a text does not name; the events are in [eventsPart].
func placesText(what string, list []runevents.Reference) string {
	var places []string
	for _, r := range list {
		switch {
		case r.Path == "", r.Line == 0 && strings.Contains(what, r.Path):
		case r.Line > 0:
			places = append(places, r.Path+":"+strconv.Itoa(r.Line))
		default:
			places = append(places, r.Path)
		}
	}
	if len(places) == 0 {
		return ""
	}
	return ": " + ids(places)
}

// refusedPart are the gates that were not opened; [gatesPart] has all.
func refusedPart(m Model) doc.Part {
	p := doc.Part{Title: "Not allowed"}
	for i := range m.Gates {
		if g := &m.Gates[i]; g.refused() {
			p.SayAs(doc.Bad, fmt.Sprintf("%s %s: %s (%s)", m.clock(g.Time), gateName(g), g.Why, g.Rule))
		}
	}
	return p
}

// refused reports whether an answer let nothing through.
func (g *Gate) refused() bool { return g.Decision != runevents.DecisionAllow && !g.Ahead }

func gateName(g *Gate) string {
	name := words(string(g.Gate))
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
	return name
}

func gatesPart(m Model) doc.Part {
	p := doc.TablePart("Gates", "Gate", "Time", "Decision", "Rule", "Why")
	p.Explain = true
	for i := range m.Gates {
		g := &m.Gates[i]
		p.Row(gateName(g), m.clock(g.Time), words(string(g.Decision)), g.Rule, g.Why)
	}
	return p
}

func policiesPart(m Model) doc.Part {
	p := doc.Part{Title: "Policies"}
	for i := range m.Policies.Budget {
		b := &m.Policies.Budget[i]
		p.Say(fmt.Sprintf("%s budget at %d %%: %s; %s of %s spent", m.clock(b.Time), b.Threshold,
			words(string(b.Action)), amount(b.Spent, ""), amount(b.Limit, b.Unit)))
	}
	for _, c := range m.Policies.Checkpoints {
		p.Say(fmt.Sprintf("%s checkpoint: %s%s", m.clock(c.Time), c.Decision, by("", c.Why)))
	}
	return p
}

// cyclesPart says what each cycle left open.
func cyclesPart(m Model) doc.Part {
	p := doc.Part{Title: "Cycles"}
	for _, c := range m.Cycles {
		p.Say("Cycle " + cycleName(c) + ": " + cycleText(c))
	}
	return p
}

// convergencePart are the figures by which cycles were judged (RW-31).
func convergencePart(m Model) doc.Part {
	p := doc.TablePart(
		"Convergence",
		"Cycle",
		"Open",
		"Critical",
		"Resolved",
		"New",
		"Persistent",
		"Regressed",
		"Score",
	)
	p.Explain = true
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

// words are a code as people read it.
func words(code string) string { return strings.ReplaceAll(code, "_", " ") }

// local is a time as the reader's clock shows it (CO-9b).
func (m Model) local(at time.Time) time.Time {
	if m.Zone == nil {
		return at.UTC()
	}
	return at.In(m.Zone)
}

func (m Model) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return m.local(at).Format("15:04:05")
}

// issueWords names an issue: "explorer/rabbit_hole" is the rabbit hole of an explorer.
func issueWords(issue string) string {
	about, what, cut := strings.Cut(issue, "/")
	if !cut {
		return quote.Path(words(issue))
	}
	return quote.Path(words(about)) + ", " + quote.Path(words(what))
}

// amount is a number without zeros at its end.
func amount(x float64, unit string) string {
	return strings.TrimSpace(strconv.FormatFloat(x, 'f', -1, 64) + " " + mentioned(unit))
}

func score(x *float64) string {
	if x == nil {
		return "none"
	}
	return strconv.FormatFloat(*x, 'f', 2, 64)
}

func cycleText(c Cycle) string {
	text := page.Plural(c.Open, "finding open", "findings open")
	if c.Critical > 0 {
		text += fmt.Sprintf(" (%d critical)", c.Critical)
	}
	for _, n := range []struct {
		count int
		what  string
	}{{c.Resolved, "resolved"}, {c.New, "new"}, {c.Persistent, "persistent"}, {c.Regressed, "regressed"}} {
		if n.count > 0 { // zeros are not printed (CO-9b)
			text += fmt.Sprintf(", %d %s", n.count, n.what)
		}
	}
	return text
}

func percent(share float64) string { return strconv.Itoa(int(share*100+0.5)) + " %" }

// times is how often something happened.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
