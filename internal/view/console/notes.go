package console

import (
	"fmt"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	prevention "github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// note is something that scaffoldwatch said, prevented or found about a claim, at its place in the
// timeline.
type note struct {
	ID, What, Tone, Of       string
	Alarm                    bool
	Command, Text, Why, Back string
	Explained                []string // how it was decided (CO-9b)
	Answers                  []button
}

// notes returns the notes of one turn: what was prevented, said and halted, then the claims.
func (m *Session) notes(turn int) (list []note) {
	r := &m.Report
	add := func(n note) {
		n.ID = "t" + strconv.Itoa(turn) + "-" + strconv.Itoa(len(list)+1)
		list = append(list, n)
	}
	if r.Prevented != nil {
		for i := range r.Prevented.Calls {
			if c := &r.Prevented.Calls[i]; c.Turn == turn {
				add(note{
					What: outcome(
						c.Outcome,
					), Tone: outcomeTone(c.Outcome), Of: m.found(c.Rule), Alarm: c.Outcome == sessionevents.GuardDenied,
					Command: cutLine(
						c.Command,
						objectLimit,
					), Text: page.Plain(c.What()), Back: page.Plain(c.Next()), Answers: m.restorable(c),
				})
			}
		}
	}
	for i := range r.Interrupts {
		if f := &r.Interrupts[i]; f.Turn == turn {
			add(m.told(f))
		}
	}
	for _, a := range r.ForRun {
		if a.Turn == turn {
			add(note{
				What: "told, for its run", Tone: toneCare, Of: page.Plain(a.Issue), Text: page.Plain(a.Message),
				Why: page.Plain(a.Reason),
			})
		}
	}
	if r.Done != nil {
		for _, c := range r.Done.Claims {
			if c.Turn == turn {
				one := m.claim(c)
				add(note{What: "claim " + one.Verdict, Tone: one.Tone, Text: "“" + one.Text + "”", Why: one.Why})
			}
		}
	}
	return list
}

// restorable returns the answers that restore what was saved before a call.
func (m *Session) restorable(c *prevention.Call) []button {
	if c.RescueRef == "" {
		return nil
	}
	return m.buttons("/sessions/"+m.Report.Session.ID, m.restoring(c.Session, c.RescueRef)...)
}

// told returns an interrupt with its outcome.
func (m *Session) told(f *sessionreport.Fired) note {
	one := note{
		What: "told",
		Tone: toneCare,
		Of:   m.found(f.Detector),
		Text: page.Plain(f.Message),
		Why:  reaction(f),
	}
	switch {
	case f.Dismissed, m.Answered[f.ID]:
	default:
		one.Answers = m.verdicts(f.ID, "/sessions/"+m.Report.Session.ID)
	}
	if len(f.Deliveries) == 0 {
		one.What = "would have been told"
	}
	one.Explained = append(one.Explained, "Urgency "+page.Plain(f.Label)+".")
	if f.Reason != "" {
		one.Explained = append(one.Explained, page.Plain(f.Reason))
	}
	if f.FromQueue {
		one.Explained = append(one.Explained, "It waited for a pause in the work.")
	} else if f.Budget.Before != f.Budget.After {
		one.Explained = append(one.Explained, fmt.Sprintf("It took one of the session's %d interrupts; %d were left.", m.Report.Budget, f.Budget.After))
	}
	for _, e := range f.Evidence {
		if text := page.Plain(e.Quote); text != "" {
			one.Explained = append(one.Explained, cutText(text, saysLimit))
		}
	}
	return one
}

// reaction returns the reaction to an interrupt, "" while it is not known.
func reaction(f *sessionreport.Fired) string {
	switch {
	case f.Dismissed:
		return "A person said: a false alarm."
	case f.Heed == "heeded":
		return "The agent reacted."
	case f.Heed == "ignored":
		return "The agent did not react."
	}
	return ""
}

// unsaid returns the findings of a turn that were not said, each with the reason.
func (m *Session) unsaid(turn int) (list []string) {
	r := &m.Report
	for _, part := range []struct {
		findings []sessionreport.Finding
		why      string
	}{
		{r.NotSent, "waits, or became too old"}, {r.Logged, "not sure or not urgent enough"}, {r.Suppressed, "held back"}, {r.Corrected, "the agent corrected it itself"}, {r.Pending, "in its grace turn"},
	} {
		for _, f := range part.findings {
			if f.Turn != turn {
				continue
			}
			text, why := f.Message, part.why
			if text == "" {
				text = f.Subject
			}
			if f.Reason != "" {
				why += ": " + f.Reason
			}
			list = append(list, m.found(f.Detector)+page.Plain(": "+text+" ("+why+")"))
		}
	}
	return list
}
