package runreport

import (
	"fmt"
	"math"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/head"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// steersPart is what was said to agents outside the interrupt budget.
func steersPart(m Model) doc.Part {
	p := doc.Part{Title: "Told for the run"}
	for i := range m.Steers {
		s := &m.Steers[i]
		state := "delivery not known"
		if n := len(s.Delivery); n > 0 {
			state = string(s.Delivery[n-1])
		}
		p.Say(fmt.Sprintf("%s session %s: %s (%s; %s)", m.clock(s.Time), s.Session, s.Message, s.Rule, state))
	}
	return p
}

// sessionsTitle is the heading of the table of sessions.
const sessionsTitle = "Sessions"

// sessionsPart lists the sessions; each has a report of its own.
func sessionsPart(m Model) doc.Part {
	p := doc.TablePart(sessionsTitle, "Session", "Agent", "Turns", "Findings", "Told", "State")
	known := make([]string, 0, len(m.Sessions))
	for i := range m.Sessions {
		known = append(known, m.Sessions[i].ID)
	}
	short := naming.Short(known)
	for i := range m.Sessions {
		s := &m.Sessions[i]
		state := string(s.State)
		if s.Closed {
			state = "closed"
		}
		agent := s.AgentID
		if agent == "" && s.Agent != nil {
			agent = s.Agent.Kind
		}
		if agent != "" {
			agent = quote.Name(agent)
		}
		turns := strconv.Itoa(s.Turns)
		if s.TurnsFailed > 0 {
			turns += fmt.Sprintf(" (%d not watched)", s.TurnsFailed)
		}
		id := s.ID
		if naming.Generated(id) {
			id = short[id]
		}
		p.Row(id, agent, turns, numberOrNone(s.Signals), numberOrNone(s.Interrupts), state)
	}
	if len(p.Rows()) > 0 {
		p.SayAs(doc.Faint, "Each has a report of its own: `scaffoldwatch report SESSION`.")
	}
	return p
}

// spentText is what the run reported of its own budget.
func spentText(m Model) string {
	c := m.Cost
	switch {
	case c.Reports == 0:
		return ""
	case c.Limit > 0:
		return "It spent " + amount(cents(c.Spent), "") + " of " + amount(c.Limit, c.Unit) + "."
	}
	return "It spent " + amount(cents(c.Spent), c.Unit) + "."
}

func costPart(m Model) doc.Part {
	p := doc.Part{Title: "Tokens"}
	c := m.Cost
	if c.Turns > 0 {
		text := fmt.Sprintf(
			"Its sessions used %s input and %s output tokens in %s",
			page.Count(int(c.InputTokens)),
			page.Count(int(c.OutputTokens)),
			page.Plural(c.Turns, "turn"),
		)
		if c.CostUSD > 0 {
			text += ", " + amount(cents(c.CostUSD), "USD")
		}
		p.Say(text + ".")
	}
	return p
}

// cents rounds what was summed to hundredths of a cent.
func cents(x float64) float64 { return math.Round(x*10000) / 10000 }

func timelinePart(m Model) doc.Part {
	p := doc.Part{Title: "Timeline", Explain: true} // the order of what the parts before it say
	for _, t := range m.Timeline {
		p.Say(m.clock(t.Time) + " " + joined(t.What, t.Text))
	}
	if m.TimelineCut > 0 {
		p.SayAs(doc.Faint, page.Plural(m.TimelineCut, "more entry is", "more entries are")+" left out.")
	}
	return p
}

// coveragePart says what was watched (DP-33).
func coveragePart(m Model) doc.Part {
	c := m.Coverage
	gaps := notWatched(m) != "" || len(c.Claims) > 0 || c.Pending > 0 || c.NewsNotHeld
	p := doc.Part{Title: "Coverage", Always: true, Explain: !gaps} // counts alone say little
	p.Say(fmt.Sprintf("%s received, %d evaluated; %s.", page.Plural(c.Events, "run event"), c.Evaluated, page.Plural(c.Turns, "turn")))
	if c.Pending > 0 {
		p.SayAs(doc.Bad, page.Plural(c.Pending, "run event is", "run events are")+" not evaluated yet.")
	}
	for _, f := range c.Failed {
		p.SayAs(doc.Bad, fmt.Sprintf("Not evaluated: %s: %s", mentioned(string(f.Type), f.Event), quote.Line(f.Why)))
	}
	if c.TurnsFailed > 0 {
		p.SayAs(doc.Bad, "Not evaluated: "+page.Plural(c.TurnsFailed, "turn")+".")
	}
	for _, claim := range c.Claims {
		p.SayAs(doc.Bad, fmt.Sprintf("Claims, not facts: %s %s without the credential it needs (first %s).", page.Plural(claim.Count, "event"), claim.Type, claim.First))
	}
	if c.NewsNotHeld {
		p.SayAs(doc.Bad, "Not in this bundle: what was decided about the run beside others of its workspace (PL-10) and project (RW-15), such as warnings of runs in progress. The report of a running system has it, or a bundle of those days (export --since).")
	}
	if c.LeftOut > 0 {
		p.SayAs(doc.Faint, page.Plural(c.LeftOut, "entry is", "entries are")+" left out; the stream has them.")
	}
	if heads := head.Text(m.Heads); heads != "" {
		p.SayAs(doc.Faint, heads)
	}
	return p
}

// Moments are the entries of the timeline in words, each on a line of its own
// that no text of an agent can break out of.
func (m Model) Moments() []string {
	lines := make([]string, 0, len(m.Timeline))
	for _, t := range m.Timeline {
		lines = append(lines, page.Plain(m.clock(t.Time)+" "+joined(t.What, t.Text)))
	}
	return lines
}
