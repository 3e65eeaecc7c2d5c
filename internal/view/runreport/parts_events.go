package runreport

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// eventsPart names the events that the other parts rest on without naming them (CO-9b).
func eventsPart(m Model) doc.Part {
	p := doc.Part{Title: "Its events", Explain: true}
	say := func(what string, events ...string) {
		if len(events) > 0 && strings.Join(events, "") != "" {
			p.Say(what + ": " + ids(events))
		}
	}
	for i := range m.Breaks {
		b := &m.Breaks[i]
		say(m.clock(b.Time)+" "+words(string(b.Trigger)), b.Evidence...)
		say("How that was judged", b.Warrant.Evidence...)
	}
	for i := range m.Corrections {
		c := &m.Corrections[i]
		say(m.clock(c.Time)+" "+issueWords(c.Issue)+", seen again", c.Again...)
		if c.Outcome == Held {
			say(m.clock(c.Time)+" "+issueWords(c.Issue)+", first occasion", c.Tested)
		}
	}
	for _, list := range [][]Judged{m.Violations, m.Warnings} {
		for i := range list {
			say(m.clock(list[i].Time)+" "+list[i].Code, eventsOf(list[i].Evidence)...)
		}
	}
	if m.Isolation != nil {
		for i := range m.Isolation.Incidents {
			say("Isolation incident", m.Isolation.Incidents[i].Event)
		}
	}
	for _, d := range m.Pipeline.Degradations {
		say("Degradation of "+mentioned(d.Phase), d.Event)
	}
	for _, l := range m.Pipeline.Leftovers {
		say("Left over", l.Event)
	}
	for _, s := range m.Pipeline.Scopes {
		say("Scope check", s.Event)
	}
	return p
}

func eventsOf(list []runevents.Reference) (out []string) {
	for _, r := range list {
		if r.Event != "" {
			out = append(out, r.Event)
		}
	}
	return out
}
