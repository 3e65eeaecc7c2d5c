package sessionreport

import (
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
)

// explained are the parts that say how the session was judged: the template's headings, word for
// word, then what DP-31 adds.
func (s placed) explained() []doc.Part {
	m := s.Model
	parts := []doc.Part{
		s.countedPart(), s.firedPart(),
		s.findingsPart("Queued signals (not fired)", "queued", "", m.NotSent),
		linesPart("Pattern observations", "observations", m.Observations),
		linesPart("Recommendations for next session", "recommendations", m.Advice),
		s.healthPart(),
		s.findingsPart("Signals logged (below threshold)", "logged", "", m.Logged),
		s.settledPart(), s.deliveryPart(), donePart(m), s.timelinePart(), s.flagsPart(), s.detectorsPart(),
		{Title: "Cost", Key: "cost", Blocks: []doc.Block{&doc.Paragraph{Text: costText(m)}}},
		coveragePart(m),
	}
	for i := range parts {
		parts[i].Explain = true
		if parts[i].Key == "recommendations" { // the first parts have them
			parts[i].Not = doc.Text
		}
	}
	return parts
}

// countedPart says which session it is, when it was seen and what was counted.
func (s placed) countedPart() doc.Part {
	m := s.Model
	p := doc.Part{Title: "Counted", Key: "counted"}
	p.Add(&doc.Paragraph{Text: identity(m), Tone: doc.Faint}, &doc.Paragraph{Text: s.period(), Tone: doc.Faint})
	health := doc.Figure{Name: "Codebase health delta", Value: m.Health.Verdict}
	if m.Health.Delta != 0 {
		health.Small = number(m.Health.Delta)
	}
	switch m.Health.Verdict {
	case VerdictDegraded:
		health.Tone = doc.Bad
	case VerdictImproved:
		health.Tone = doc.Good
	}
	p.Add(doc.Except(doc.Text, doc.Figures{
		{Name: "Session turns observed", Value: number(m.Turns)},
		{Name: "Interrupts fired", Value: firedOf(m), Tone: doc.When(len(m.Interrupts) > 0, doc.Bad)},
		{Name: "Interrupts queued (not sent)", Value: number(len(m.NotSent))},
		{Name: "Signals logged (below threshold)", Value: number(len(m.Logged))},
		health,
	}), &doc.Paragraph{Text: foundNothing(m)})
	if m.Prevented != nil {
		p.Add(&doc.Paragraph{Text: m.Prevented.Happened() + "."})
	}
	return p
}

// period is when it was seen, in UTC.
func (m *Model) period() string {
	if m.Session.Opened.IsZero() || m.Session.Last.IsZero() {
		return ""
	}
	return m.Session.Opened.Format(time.DateTime) + " to " + m.Session.Last.Format(time.DateTime) + " UTC"
}

func (s placed) firedPart() doc.Part {
	p := doc.Part{Title: "Interrupts fired this session", Key: "fired"}
	for _, i := range s.Interrupts {
		c := &doc.Card{
			Mark: fmt.Sprintf("[Turn %d] ", i.Turn), Link: s.turnAnchor(i.Turn), Class: classLetter(i.Class), Tone: doc.Bad,
			Title: fmt.Sprintf("CLASS-%s | URGENCY: %s", i.Class, i.Label),
		}
		c.Say(i.Message)
		c.SayAs(doc.Faint, i.Reason)
		if i.Heed == "heeded" {
			c.SayAs(doc.Good, deliveryText(i))
		} else {
			c.SayAs(doc.Faint, deliveryText(i))
		}
		c.Quotes = []doc.Quote{{Brief: s.quoted(i)}}
		p.Add(c)
	}
	return p
}

// findingsPart lists findings with their evidence.
func (s placed) findingsPart(title, key, what string, findings []Finding) doc.Part {
	p := doc.Part{Title: title, Key: key}
	for _, f := range findings {
		c := &doc.Card{
			Mark: fmt.Sprintf("[Turn %d] ", f.Turn), Link: s.turnAnchor(f.Turn), Anchor: s.signalAnchor(f.Signal),
			Title: fmt.Sprintf("%s%s URGENCY %s — %s", what, f.Detector, f.Urgency, described(f)),
			Class: classLetter(f.Class), Quotes: showEvidence(f.Evidence, f.Subject), Fold: true,
		}
		if f.Reason != "" {
			c.Title += " (" + f.Reason + ")"
		}
		c.SayAs(doc.Faint, f.Why)
		p.Add(c)
	}
	return p
}

// settledPart lists the findings that ended unsaid, by their end.
func (s placed) settledPart() doc.Part {
	p := doc.Part{Title: "Suppressed and self-corrected", Key: "settled"}
	for _, g := range []struct {
		what     string
		findings []Finding
	}{{"Self-corrected: ", s.Corrected}, {"Suppressed: ", s.Suppressed}, {"In its grace turn: ", s.Pending}} {
		p.Add(s.findingsPart("", "", g.what, g.findings).Blocks...)
	}
	return p
}

func (s placed) healthPart() doc.Part {
	h := s.Health
	p := doc.Part{Title: "Codebase health delta", Key: "health"}
	verdict := &doc.Paragraph{Text: "Codebase health is " + h.Verdict}
	switch h.Verdict {
	case VerdictDegraded:
		verdict.Text += " by " + page.Plural(h.DebtAdded+h.OfSubagents, "point")
		verdict.Tone = doc.Bad
	case VerdictImproved:
		verdict.Tone = doc.Good
	}
	verdict.Text += "."
	p.Add(doc.Except(doc.HTML, &doc.Paragraph{Text: healthParagraph(h), Tone: verdict.Tone}))
	if verdict.Tone == doc.Bad {
		verdict.Tone = doc.Plain // in HTML that is the mark of what was not watched
	}
	for _, b := range []doc.Block{
		verdict, s.balance(), doc.Lines(h.Explanation), s.debts("Still open", h.Open), s.debts("Removed", h.Removed),
	} {
		p.Add(doc.Except(doc.Text, b))
	}
	return p
}

// debts are things with their cost and where they are reported.
func (s placed) debts(name string, debts []Debt) *doc.Table {
	t := &doc.Table{Caption: name, Columns: []string{"What", "Where", "Points"}}
	for _, d := range debts {
		what := d.Detector + " " + quote.Path(d.Subject)
		if d.Duplicate {
			what += " (duplication)"
		}
		where := ""
		if d.Path != "" {
			where = quote.Path(d.Path)
		}
		t.Row(what, where, number(d.Points))
		t.Rows[len(t.Rows)-1][0].Link = s.where[d.Signal]
	}
	return t
}

func (s placed) deliveryPart() doc.Part {
	p := doc.Part{Title: "Delivery and heed", Key: "delivery", Not: doc.Text}
	t := &doc.Table{Columns: []string{"Interrupt", "Delivery", "Heed"}}
	for i, f := range s.Interrupts {
		t.Row(fmt.Sprintf("[Turn %d] %s", f.Turn, f.Detector), deliveryText(f), heedWord(f))
		row := t.Rows[len(t.Rows)-1]
		row[0].Link = s.interruptAnchor(i)
		if f.Heed == "heeded" {
			row[2].Tone = doc.Good
		}
	}
	p.Add(t, &doc.Paragraph{Text: "Interrupt budget: " + s.budgetText()}, s.budgetChart())
	return p
}

func heedWord(f Fired) string {
	switch {
	case f.Dismissed:
		return "dismissed"
	case f.Heed == "":
		return "not judged"
	}
	return f.Heed
}

func donePart(m Model) doc.Part {
	p := doc.Part{Title: doneTitle, Key: "done"}
	if m.Done != nil && len(m.Done.Claims)+len(m.Done.Open) > 0 {
		p.Add(&doc.Paragraph{Text: m.Done.Heading() + "."}, doc.Lines(m.Done.Lines(false, toList(m.Session.ID))))
	}
	return p
}

func (s placed) flagsPart() doc.Part {
	p := doc.TablePart("Red flags", "Phrase", "Times", "First said")
	p.Key = "flags"
	for _, r := range s.RedFlags {
		turns := make([]string, 0, len(r.Turns))
		for _, n := range r.Turns {
			turns = append(turns, number(n))
		}
		in := " in turn "
		if len(turns) > 1 {
			in = " in turns "
		}
		p.Row(r.ID, number(r.Count), quote.Passage(r.Sentence)+in+strings.Join(turns, ", "))
	}
	return p
}

func coveragePart(m Model) doc.Part {
	p := doc.Part{Title: "Coverage", Key: "coverage", Always: true}
	for _, text := range coverageText(m) {
		loud := strings.HasPrefix(text, "not watched") || strings.Contains(text, "was not evaluated") ||
			strings.Contains(text, "were blind")
		p.SayAs(doc.When(loud, doc.Bad), text)
	}
	return p
}

// toldIn formats a finding as a line of the timeline.
func toldIn(f *Finding) string {
	text := "Detected " + f.Detector + ": " + described(*f) + " → " + endWord(f.End)
	if f.End == endCoalesced || f.EndTurn == 0 || f.EndTurn == f.Turn {
		return text
	}
	return text + " in turn " + number(f.EndTurn)
}

// endWord is the end of a signal in words.
func endWord(end string) string {
	switch end {
	case endCorrected:
		return "corrected by the agent"
	case endCoalesced:
		return "counted on an earlier one"
	case endUnsent:
		return "not sent"
	}
	return end
}

// detectorsPart counts the signals by detector and end.
func (s placed) detectorsPart() doc.Part {
	p := doc.Part{Title: "Signals by detector", Key: "detectors"}
	if s.Counts.Detected == 0 {
		return p
	}
	scale := 0
	for _, t := range s.Detectors {
		scale = max(scale, t.Detected)
	}
	all := endsOf(s.Counts)
	table := &doc.Table{Columns: []string{"Detector", "Signals by their end", "Heed"}}
	for _, t := range s.Detectors {
		bar := endsOf(t.Counts)
		bar.Scale = scale
		words := make([]string, 0, len(bar.Segments))
		for _, part := range bar.Segments {
			words = append(words, fmt.Sprintf("%d %s", part.Size, part.Words))
		}
		text := strings.Join(words, ", ")
		if t.NotSent != "" {
			text += " (not sent: " + t.NotSent + ")"
		}
		table.Row(name(t), text, heedText(t))
		table.Rows[len(table.Rows)-1][1].Bar = &bar
	}
	p.Add(&doc.Picture{Legend: all.Segments}, table)
	return p
}

func endsOf(c Counts) doc.Bar {
	var b doc.Bar
	b.Add("fired", c.Fired, "fired")
	b.Add("unsent", c.Unsent+c.Queued+c.Pending, "not sent")
	b.Add("logged", c.Logged, "logged")
	b.Add("suppressed", c.Suppressed, "suppressed")
	b.Add("corrected", c.Corrected, "self-corrected")
	b.Add("expired", c.Expired, "expired")
	b.Add("coalesced", c.Coalesced, "coalesced")
	return b
}
