package runreport

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// guarded keeps what the guard answered before a tool of one of the run's sessions ran (GD-21).
func (f *Fold) guarded(ev events.Event, d *sessionevents.GuardDecided) {
	c := prevented.Of(ev, d)
	f.prevented.Add(c)
	f.moment(ev, string(c.Outcome), passage(c.Command))
}

// preventedPart is what the guard denied, warned of or kept in the run's sessions (GD-21).
func preventedPart(m Model) doc.Part {
	p := doc.Part{Title: prevented.Title}
	if m.Prevented == nil {
		return p
	}
	p.Say(m.Prevented.Happened() + ".")
	for i := range m.Prevented.Calls {
		call := &m.Prevented.Calls[i]
		c := &doc.Card{Title: "session " + quote.Name(call.Session) + ", " + call.InTurn(), Tone: doc.Bad}
		c.Say(call.What())
		if next := call.Next(); next != "" {
			c.SayAs(doc.Good, "The way back: "+next)
		}
		p.Add(c)
	}
	if rest := m.Prevented.Rest(); rest != "" {
		p.SayAs(doc.Faint, rest)
	}
	return p
}
