package runreport

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// breaksPart are the breaks with what they carry and whether they were warranted (RW-32).
func breaksPart(m Model) doc.Part {
	p := doc.Part{Title: "What halted it", Empty: none(m)}
	for i := range m.Breaks {
		p.Add(m.breakCard(&m.Breaks[i]))
	}
	return p
}

func (m Model) breakCard(b *Break) *doc.Card {
	c := &doc.Card{Title: m.clock(b.Time) + " halted: " + words(string(b.Trigger)), Tone: doc.Bad}
	if b.Kind == runevents.BreakSoft {
		c.Title = m.clock(b.Time) + " to halt after what is under way: " + words(string(b.Trigger))
	}
	if b.Scope == runevents.ScopeSession {
		c.Title += " (session " + b.Session + ")"
	}
	c.Say(b.Reason)
	c.Say(stood(b))
	if n := len(b.UnresolvedFindings); n > 0 {
		c.Say("Unresolved: " + findingsText(b.UnresolvedFindings))
	}
	c.Say(workText(b))
	for _, n := range b.Noted {
		c.Say(fmt.Sprintf("While it was halted: %s. %s", words(string(n.Trigger)), n.Reason))
	}
	if n := len(b.Ignored); n > 0 {
		c.SayAs(doc.Bad, "It went on "+times(n)+" although it was halted.")
	}
	if b.Recovery != nil {
		c.Say(fmt.Sprintf("Recovery option %d chosen%s", b.Recovery.Option, by(b.Recovery.By, b.Recovery.Why)))
	}
	if b.Resumed != nil {
		c.Say("Resumed " + m.clock(b.Resumed.Time) + by(b.Resumed.By, b.Resumed.Why))
	}
	c.SayAs(verdictTone(b.Warrant.Verdict), warrantText(b.Warrant))
	return c
}

// stood is where the run stood when it broke.
func stood(b *Break) string {
	s := b.RunState
	var parts []string
	for _, p := range []struct{ name, value string }{{"phase", mentioned(s.Phase)}, {"task", mentioned(s.Task)}, {"agents", mentioned(s.Agents...)}} {
		if p.value != "" {
			parts = append(parts, p.name+" "+p.value)
		}
	}
	if s.Cycle > 0 {
		parts = append(parts, fmt.Sprintf("cycle %d", s.Cycle))
	}
	if s.Budget != nil {
		parts = append(parts, "spent "+amount(s.Budget.Spent, "")+" of "+amount(s.Budget.Limit, s.Budget.Unit))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Stopped at: " + strings.Join(parts, ", ")
}

func workText(b *Break) string {
	if (b.WIPAction == "" || b.WIPAction == runevents.WIPNone) && b.Present == "" {
		return ""
	}
	text := "Work in progress: " + words(string(b.WIPAction))
	if b.RevertSHA != "" {
		text += " " + quote.Name(b.RevertSHA)
	}
	if b.Present != "" {
		text += ". " + b.Present
	}
	return text
}

// mentioned are the names that others gave to what they work on.
func mentioned(names ...string) string {
	var out []string
	for _, name := range names {
		if name != "" {
			out = append(out, quote.Name(name))
		}
	}
	return strings.Join(out, " ")
}

// passage is what somebody wrote, "" for nothing.
func passage(text string) string {
	if text == "" {
		return ""
	}
	return quote.Passage(text)
}

// shownFindings bounds what a line lists.
const shownFindings = 5

func findingsText(list []runevents.Finding) string {
	var texts []string
	for _, f := range list[:min(len(list), shownFindings)] {
		texts = append(texts, strings.TrimSpace(strings.Join([]string{mentioned(f.ID), string(f.Severity), passage(f.Text)}, " ")))
	}
	text := strings.Join(texts, "; ")
	if left := len(list) - shownFindings; left > 0 {
		text += fmt.Sprintf("; %d more", left)
	}
	return text
}

// shownIDs bounds the evidence that a line lists.
const shownIDs = 6

func ids(list []string) string {
	text := strings.Join(list[:min(len(list), shownIDs)], ", ")
	if left := len(list) - shownIDs; left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}

func by(who, why string) string {
	text := ""
	if who != "" {
		text = " by " + quote.Name(who)
	}
	if why != "" {
		text += ": " + quote.Passage(why)
	}
	return text
}

func warrantText(w runevents.Warrant) string {
	return map[runevents.WarrantVerdict]string{
		runevents.Warranted: "Warranted", runevents.NotWarranted: "Not warranted",
		runevents.Unclear:  "Whether it was warranted is unclear",
		runevents.TooEarly: "Too early to say whether it was warranted",
	}[w.Verdict] + ": " + w.Why
}

func verdictTone(v runevents.WarrantVerdict) doc.Tone {
	switch v {
	case runevents.Warranted:
		return doc.Good
	case runevents.NotWarranted:
		return doc.Bad
	}
	return doc.Faint
}

// openPart is what waits for a person (RW-41, PL-36), each with the command that answers it; what was
// answered is counted.
func openPart(m Model) doc.Part {
	p := doc.Part{Title: "What waits for a person", Key: "waits", Empty: none(m)}
	list := &doc.List{}
	say := func(text, command string) {
		list.Items = append(list.Items, doc.Entry{Text: text, Tone: doc.Bad, Command: command})
	}
	if b := m.openBreak(); b != nil {
		say("Whether it may go on: "+b.Reason, runlist.WayOut(m.Run.ID, b.Trigger))
	}
	for _, q := range m.Questions {
		say(q.Question, fmt.Sprintf("scaffoldwatch answer %s %s OPTION", m.Run.ID, q.RequestID))
	}
	closed := 0
	for _, e := range m.Escalations {
		switch {
		case !e.Open:
			closed++
		case !m.ofOpenBreak(&e): // resuming answers it
			text := m.clock(e.Time) + " " + e.Text
			if e.To != runevents.RecipientUser {
				text += " (for " + string(e.To) + ")"
			}
			if len(e.Reminders) > 0 {
				text += " (reminded)"
			}
			say(text, runlist.Answers(m.Run.ID, m.shortID(e.ID), &e.EscalationRaised))
		}
	}
	p.Add(list)
	if closed > 0 {
		p.SayAs(doc.Faint, page.Plural(closed, "escalation was", "escalations were")+" acknowledged, answered or replaced.")
	}
	return p
}

// openBreak is the break that holds the run up, nil if none does.
func (m Model) openBreak() *Break {
	for i := range m.Breaks {
		if m.Breaks[i].ID == m.Standing.Break && m.Standing.Break != "" {
			return &m.Breaks[i]
		}
	}
	return nil
}

// ofOpenBreak reports whether an escalation reports the open break.
func (m Model) ofOpenBreak(e *Escalation) bool {
	b := m.openBreak()
	return b != nil && strings.HasSuffix(e.Issue, "/"+string(b.Trigger))
}

// shortID is the beginning of an escalation's id that no other of the run has.
func (m Model) shortID(id string) string {
	all := make([]string, 0, len(m.Escalations))
	for _, e := range m.Escalations {
		all = append(all, e.ID)
	}
	return naming.Short(all)[id]
}
