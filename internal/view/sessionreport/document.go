package sessionreport

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	heading = "SCAFFOLD-WATCH SESSION REPORT"
	// maxShown is how many claims that the record does not show are listed.
	maxShown = 5
)

// Document lays the report out for a person: what happened and what to do, in words (CO-9b). How
// it was decided, what was counted and what was watched is marked as explanation.
func Document(m Model) doc.Document { return newPlaced(m, Anchor(0)).document() }

// Anchor returns the anchor of the session at an index of a page.
func Anchor(index int) string { return "s" + number(index+1) }

// placed is a report with the places of its findings on a page.
type placed struct {
	Model
	id    string
	where map[string]string   // signal → anchor of where it is told
	told  map[string]*Finding // signal → its finding
}

func newPlaced(m Model, id string) placed {
	s := placed{Model: m, id: id, where: map[string]string{}, told: map[string]*Finding{}}
	for _, list := range [][]Finding{m.NotSent, m.Logged, m.Suppressed, m.Corrected, m.Expired, m.Pending} {
		for i := range list {
			s.told[list[i].Signal] = &list[i]
			s.where[list[i].Signal] = s.signalAnchor(list[i].Signal)
		}
	}
	for i := range m.Coalesced {
		s.told[m.Coalesced[i].Signal] = &m.Coalesced[i]
	}
	for i := range m.Said {
		s.told[m.Said[i].Signal] = &m.Said[i]
	}
	for i, fired := range m.Interrupts {
		for _, signal := range fired.Signals {
			s.where[signal] = s.interruptAnchor(i)
		}
	}
	return s
}

func (s placed) signalAnchor(signal string) string { return s.id + "-signal-" + signal }

func (s placed) interruptAnchor(i int) string { return s.id + "-interrupt-" + number(i+1) }

func (s placed) turnAnchor(turn int) string { return s.id + "-turn-" + number(turn) }

func (s placed) document() doc.Document {
	m := s.Model
	d := doc.Document{
		Of: "session " + m.Session.ID, Heading: heading, Name: title(m), Brief: figures(m), Anchor: s.id,
		Quiet: m.Counts.Detected == 0 && m.Prevented == nil && len(subagentLines(m)) == 0 && m.Coverage.whole(),
		Lead:  []doc.Block{&doc.Paragraph{Text: called(m), Tone: doc.Faint}},
		Tail:  doc.More,
	}
	if m.Session.Task != "" {
		d.Lead = append(d.Lead, &doc.Paragraph{Label: "Task", Text: passage(m.Session.Task)})
	}
	counted := doc.Part{Explain: true, Not: doc.HTML, Blocks: []doc.Block{&doc.Paragraph{Text: numbers(m)}}}
	d.Parts = append([]doc.Part{
		counted, happenedPart(m), nextPart(m.ToDo()), preventedPart(m.Prevented), s.toldPart(), haltsPart(m), forRunPart(m),
		linesPart(subagentsTitle, "subagents", subagentLines(m)), claimsPart(m), openPart(m),
		linesPart("Seen and not said", "smaller", smaller(m)), linesPart("What it changed", "changed", m.Leaves()),
		linesPart("For the next session", "next", m.Advice), linesPart("Not watched", "gaps", gaps(m.Coverage)),
	}, s.explained()...)
	return d
}

func linesPart(title, key string, lines []string) doc.Part {
	return doc.Part{Title: title, Key: key, Blocks: []doc.Block{doc.Lines(lines)}}
}

// title is what a person calls the session: its project and the first words of its task.
func title(m Model) string {
	name := naming.Project(m.Session.Workspace)
	if task := naming.Task(m.Session.Task); task != "" {
		name += " " + quote.Passage(task)
	}
	if name == "" {
		name = "Session " + naming.Brief(m.Session.ID)
	}
	return strings.TrimSpace(name)
}

// called names a session for a person: what it is called, by whom, how long.
func called(m Model) string {
	text := "Session " + naming.Brief(m.Session.ID)
	if project := naming.Project(m.Session.Workspace); project != "" {
		text += " in " + project
	}
	if a := m.Session.Agent; a != nil && a.Kind != "" {
		text += ", " + a.Kind
		if a.Model != "" {
			text += " with " + a.Model
		}
	}
	text += ", " + page.Plural(m.Turns, "turn")
	if !m.Session.Closed {
		text += ", still open"
	}
	if n := m.Session.DoneTurn; n > 0 {
		text += fmt.Sprintf(" (it signalled in turn %d that it is done)", n)
	}
	return text
}

func happenedPart(m Model) doc.Part {
	happened := m.Happened()
	if len(happened) == 0 {
		happened = []string{foundOrGap(m)}
	}
	p := linesPart("What happened", "happened", happened)
	if m.Opinions != nil {
		p.Add(&doc.Paragraph{Text: m.Opinions.Text(), Tone: doc.Faint})
	}
	return p
}

// foundOrGap says that nothing was found, unless nothing was watched.
func foundOrGap(m Model) string {
	if !m.Coverage.whole() {
		return gapSentence(m.Coverage)
	}
	return Nothing
}

// nextPart lists what a person can do.
func nextPart(list []Next) doc.Part {
	items := &doc.List{}
	for _, n := range list {
		items.Items = append(items.Items, doc.Entry{Text: n.Text, Command: n.Command})
	}
	return doc.Part{Title: "What to do", Key: "do", Blocks: []doc.Block{items}}
}

func preventedPart(section *prevented.Section) doc.Part {
	p := doc.Part{Title: prevented.Title, Key: "prevented"}
	if section == nil {
		return p
	}
	for i := range section.Calls {
		c := &section.Calls[i]
		card := &doc.Card{Title: c.InTurn(), Tone: doc.Bad, Class: "B"}
		card.Say(c.What())
		if next := c.Next(); next != "" {
			card.SayAs(doc.Good, "The way back: "+next)
		}
		p.Add(card)
	}
	if rest := section.Rest(); rest != "" {
		p.Add(&doc.Paragraph{Text: rest, Tone: doc.Faint})
	}
	return p
}

// toldPart lists what the agent was told, or would have been.
func (s placed) toldPart() doc.Part {
	p := doc.Part{Title: "What it was told", Key: "told"}
	if !s.delivered() {
		p.Title = "What it would have been told"
	}
	for i := range s.Interrupts {
		f := &s.Interrupts[i]
		c := &doc.Card{
			Mark: fmt.Sprintf("Turn %d: ", f.Turn), Link: s.turnAnchor(f.Turn), Title: s.title(f.Detector),
			Class: classLetter(f.Class), Anchor: s.interruptAnchor(i), Tone: doc.When(!f.FromQueue, doc.Bad),
		}
		c.Say(f.Message)
		evidence, about := s.restsOn(*f)
		c.Quotes = showEvidence(evidence, about.Subject)
		for at, e := range evidence {
			if brief(e.Quote) != "" {
				c.Quotes[at].Brief = fmt.Sprintf("turn %d: %s", about.Turn, quote.Passage(spoken(e.Quote)))
				break
			}
		}
		if text, good := reacted(f); good {
			c.SayAs(doc.Good, text)
		} else {
			c.SayAs(doc.Faint, text)
		}
		p.Add(c)
	}
	return p
}

// spoken returns the words of a quote: of the input of a tool what it looks for and where, without the names of its
// parameters.
func spoken(quote string) string {
	var input map[string]any
	if json.Unmarshal([]byte(quote), &input) != nil {
		return quote
	}
	var words []string
	for _, name := range []string{"command", "pattern", "query", "url", "file_path", "path"} {
		if text, is := input[name].(string); is && text != "" {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return quote
	}
	return strings.Join(words, " in ")
}

// reacted is what became of what was said, "" where that is not known.
func reacted(f *Fired) (text string, good bool) {
	switch {
	case f.Dismissed:
		return "A person said: a false alarm.", false
	case len(f.Deliveries) == 0:
		return "", false
	case f.Heed == "heeded":
		return "The agent reacted.", true
	case f.Heed == "ignored":
		return "The agent did not react.", false
	}
	return "", false
}

func haltsPart(m Model) doc.Part {
	p := doc.Part{Title: haltsTitle, Key: "halts"}
	for _, h := range m.Halts {
		c := &doc.Card{Title: h.Heading(), Tone: doc.Bad, Class: "B"}
		c.Say(h.Reason)
		c.SayAs(doc.Faint, h.State())
		p.Add(c)
	}
	return p
}

func forRunPart(m Model) doc.Part {
	p := doc.Part{Title: forRunTitle, Key: "forrun"}
	for _, a := range m.ForRun {
		c := &doc.Card{Title: a.Heading(), Tone: doc.Bad, Class: "other"}
		c.Say(a.Message)
		c.SayAs(doc.Faint, a.Delivery())
		p.Add(c)
	}
	return p
}

// claimsPart lists what the record does not show of what the agent claimed at the end of its
// responses.
func claimsPart(m Model) doc.Part {
	p := doc.Part{Title: "Claimed, and not shown by the record", Key: "claims"}
	if m.Done == nil {
		return p
	}
	left := m.Done.Verdicts[sessionevents.Contradicted] + m.Done.Verdicts[sessionevents.Unproven]
	for i := range m.Done.Claims {
		c := &m.Done.Claims[i]
		if !c.Final || c.Verdict != sessionevents.Contradicted && c.Verdict != sessionevents.Unproven || len(p.Blocks) == maxShown {
			continue
		}
		left--
		verdict, tone := "without evidence", doc.Plain
		if c.Verdict == sessionevents.Contradicted {
			verdict, tone = "contradicted", doc.Bad
		}
		card := &doc.Card{Title: fmt.Sprintf("Turn %d, %s: %s", c.Turn, verdict, quote.Line(c.Text)), Tone: tone}
		card.SayAs(doc.Faint, c.Why)
		p.Add(card)
	}
	if left > 0 {
		which := "more claim"
		if len(p.Blocks) == 0 {
			which = "claim"
		}
		p.Add(&doc.Paragraph{Text: page.Plural(left, which) + ": " + toList(m.Session.ID), Tone: doc.Faint})
	}
	return p
}

// openPart lists what is not done.
func openPart(m Model) doc.Part {
	list, left := m.Undone()
	p := linesPart(UndoneTitle, "open", list)
	if left > 0 {
		p.Add(&doc.Paragraph{Text: page.Plural(left, "more thing") + ": " + toList(m.Session.ID), Tone: doc.Faint})
	}
	return p
}

// Report is the report in all its forms.
func Report(m Model) doc.Report {
	return doc.Report{
		Of: "session " + m.Session.ID, Model: m, Screen: func() doc.Document { return Document(m) },
		Prescribed: func() doc.Document { return Prescribed(m) }, Page: func() doc.Page { return Page(m) },
	}
}

// Page puts the reports of sessions on one page. Several reports are collapsed below a table that says what
// happened in each session.
func Page(models ...Model) doc.Page {
	p := doc.Page{Of: page.Plural(len(models), "session"), Heading: heading + "S"}
	switch len(models) {
	case 0:
		p.Lead = []doc.Block{&doc.Paragraph{Text: "No session was seen."}}
	case 1:
		p.Of, p.Heading = "session "+models[0].Session.ID, heading
	default:
		p.Lead = []doc.Block{overview(models)}
	}
	for i, m := range models {
		p.Documents = append(p.Documents, newPlaced(m, Anchor(i)).document())
	}
	return p
}

// overview is a line for each session.
func overview(models []Model) *doc.Table {
	t := &doc.Table{
		Caption: number(len(models)) + " sessions, in the order they appeared",
		Columns: []string{"Session", "Id", "Turns", "What happened"},
	}
	ids := make([]string, 0, len(models))
	for _, m := range models {
		ids = append(ids, m.Session.ID)
	}
	short := naming.Short(ids)
	for i, m := range models {
		happened := m.Happened()
		if len(happened) == 0 {
			happened = []string{foundOrGap(m)}
		}
		id := m.Session.ID
		if naming.Generated(id) {
			id = short[id]
		}
		t.Row(title(m), id, number(m.Turns), strings.Join(happened, " "))
		row := t.Rows[len(t.Rows)-1]
		row[0].Link = Anchor(i)
		row[3].Tone = doc.When(!m.Coverage.whole(), doc.Bad)
	}
	return t
}
