package attest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// sessionOf returns the part of a session's report that is attested: no text of the transcript.
func sessionOf(m sessionreport.Model, models map[string]bool) Session {
	c := m.Coverage
	s := Session{
		ID: m.Session.ID, Run: m.Session.Run, First: m.Session.Opened.UTC(), Last: m.Session.Last.UTC(), Closed: m.Session.Closed,
		Turns: Turns{
			Received: c.Received, Watched: c.Evaluated, NotWatched: c.NotWatched, Failed: len(c.Failed), Skipped: c.Skipped,
			Refused: c.RefusedTurns, NoBaseline: c.NoBaseline,
		},
		Findings: findings(m), Interrupts: []Interrupt{},
	}
	if a := m.Session.Agent; a != nil {
		s.Agent = Agent{ID: a.ID, Kind: a.Kind, Archetype: a.Archetype}
		if a.Model != "" {
			models[a.Model] = true
		}
	}
	s.Agent.Models = append([]string{}, slices.Sorted(maps.Keys(models))...)
	for _, i := range m.Interrupts {
		said := Interrupt{
			ID: i.ID, Turn: i.Turn, Detector: i.Detector, Urgency: decimal(i.Urgency), Signals: append([]string{}, i.Signals...),
			States: []string{}, Heed: cmp.Or(i.Heed, "not_judged"), Dismissed: i.Dismissed,
		}
		for _, d := range i.Deliveries {
			said.States = append(said.States, string(d.State))
		}
		s.Interrupts = append(s.Interrupts, said)
	}
	return s
}

// findings lists every signal once, by turn.
func findings(m sessionreport.Model) []Finding {
	all, seen := []Finding{}, map[string]bool{}
	for _, f := range slices.Concat(m.Said, m.NotSent, m.Logged, m.Suppressed, m.Corrected, m.Expired, m.Pending, m.Coalesced) {
		if seen[f.Signal] {
			continue
		}
		seen[f.Signal] = true
		all = append(all, Finding{
			Signal: f.Signal, Turn: f.Turn, Detector: f.Detector, Class: string(f.Class), CWE: f.CWE, File: f.Path, Line: f.Line,
			Urgency: decimal(f.Urgency), End: f.End, Code: f.Code, Times: f.Times,
		})
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Signal, b.Signal)) })
	return all
}

// decimal returns an urgency rounded to its one decimal place.
func decimal(u sessionevents.Urgency) float64 { return float64(u) / 10 }

// runOf returns the part of a run's report, and of the events it was derived from, that is attested.
func runOf(m runreport.Model, recorded []events.Event) Run {
	ids := sha256.New()
	for _, e := range recorded {
		fmt.Fprintln(ids, e.ID)
	}
	r := Run{
		Record: hex.EncodeToString(ids.Sum(nil)),
		ID:     m.Run.ID, Completed: m.Run.Completed, Outcome: m.Run.Outcome, Breaks: []Break{}, Gates: []Gate{}, Violations: []Violation{},
	}
	for _, b := range m.Breaks {
		out := Break{ID: b.ID, Time: b.Time.UTC(), Kind: string(b.Kind), Trigger: string(b.Trigger)}
		if b.Resumed != nil {
			out.Resumed = b.Resumed.By
		}
		r.Breaks = append(r.Breaks, out)
	}
	for _, g := range m.Gates {
		r.Gates = append(r.Gates, Gate{
			Event: g.Event, Time: g.Time.UTC(), Gate: string(g.Gate), Decision: string(g.Decision), Rule: g.Rule, Decides: string(g.WhoDecides),
		})
	}
	for _, v := range m.Violations {
		r.Violations = append(r.Violations, Violation{Event: v.Event, Code: v.Code, Rule: v.Rule})
	}
	for _, c := range m.Coverage.Claims {
		r.Claims += c.Count
	}
	return r
}
