// Package notice decides what is sent to whom, through which channel and when (PL-50, PL-51); package
// notify sends it. It is a pure fold of DECISIONS: events arrive through [State.Apply], the time through
// [State.Tick], the outcome of a message through [State.Done]; [State.Due] returns what is to be sent now.
// It delays, groups, repeats, holds and gives up. Everything it knows is in State, which is plain JSON and
// bounded.
package notice

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Notice is one thing to notify people of.
type Notice struct {
	About   string                      `json:"about"` // id of the event
	Kind    string                      `json:"kind"`
	Layer   runevents.NotificationLayer `json:"layer"`
	Subject string                      `json:"subject"` // run or session
	Run     string                      `json:"run,omitempty"`
	At      time.Time                   `json:"at"`
	Title   string                      `json:"title"`
	Text    string                      `json:"text,omitempty"`
	URL     string                      `json:"url,omitempty"`
	Outcome string                      `json:"outcome,omitempty"`
	Command string                      `json:"command,omitempty"`
	// Urgent bypasses working hours.
	Urgent bool `json:"urgent,omitempty"`
	// Open identifies what it waits for, "" if nothing: the notice is over when that is.
	Open string `json:"open,omitempty"`
	// Of is the escalation that this one is a reminder of, Cause the event that it follows from: of
	// everything that follows from one event, only the weightiest notice is sent.
	Of    string `json:"of,omitempty"`
	Cause string `json:"cause,omitempty"`
	// Until is when a default is taken if nobody answers, zero for none.
	Until time.Time `json:"until,omitzero"`
	Held  bool      `json:"held,omitempty"` // notification.held was recorded
	Over  bool      `json:"over,omitempty"` // answered while its message is pending
}

// told is the content of a notice before it is put into words.
type told struct {
	kind  string
	facts map[string]string
	open  string
	of    string // the escalation that it is a reminder of
}

// Describe returns the notices of an event for the operator and the team; most events have none.
func (w *Words) Describe(e events.Event, run Run, link string) []Notice {
	var list []Notice
	link = linkOf(link, runOf(e))
	for _, t := range w.told(e) {
		kind := w.kind(t.kind)
		t.facts["run"], t.facts["goal"], t.facts["link"] = e.Subject, quoted(run.Goal), link
		list = append(list, Notice{
			About: e.ID, Kind: t.kind, Layer: kind.Layer, Subject: e.Subject, Run: runOf(e), At: e.Time.UTC(),
			Title: w.shorten(text.Line(fill(kind.Title, t.facts))), Text: w.text(kind.Text, t.facts),
			URL: cmp.Or(t.facts["url"], link), Outcome: t.facts["outcome"], Command: t.facts["command"],
			Urgent: run.Urgent || !kind.Hold, Open: t.open, Of: t.of, Cause: e.CausationID, Until: until(e),
		})
	}
	return list
}

// until returns when the default of a question is taken, zero for any other event.
func until(e events.Event) time.Time {
	d, is := e.Data.(*runevents.ClarificationRequested)
	if !is || d.Default == "" {
		return time.Time{}
	}
	return d.Until.UTC()
}

// latest returns when a notice must be sent at the latest: with half of the time left in which somebody can
// answer, zero if there is no such time.
func (n *Notice) latest(now time.Time) time.Time {
	if n.Until.IsZero() {
		return time.Time{}
	}
	return now.Add(max(0, n.Until.Sub(now)) / 2)
}

// linkOf returns the address of a run's page, "" if none is configured.
func linkOf(pattern, run string) string {
	if run == "" {
		return ""
	}
	return strings.ReplaceAll(pattern, "{run}", url.PathEscape(run))
}

// runOf returns the run that an event is about, "" for a session without a run.
func runOf(e events.Event) string {
	switch d := e.Data.(type) {
	case *runevents.WiggumBreak:
		return d.Run
	case *runevents.EscalationRaised:
		return d.Run
	case *runevents.HaltIgnored:
		return d.Run
	case *sessionevents.InterruptFired:
		return d.Run
	case *sessionevents.GuardDecided:
		return d.Run
	}
	return e.Subject
}

// told returns the notices of an event.
func (w *Words) told(e events.Event) []told {
	switch d := e.Data.(type) {
	case *runevents.WiggumBreak:
		return w.stopped(e.Subject, d)
	case *runevents.EscalationRaised:
		return escalated(e, d)
	case *runevents.HaltIgnored:
		return ignored(e.Subject, d)
	case *runevents.GateDecided:
		return denied(e.Subject, d)
	case *runevents.ClarificationRequested:
		return asked(e.Subject, d)
	case *runevents.RunCompleted:
		return w.ended(d)
	case *sessionevents.InterruptFired:
		return w.interrupted(d)
	case *sessionevents.GuardDecided:
		return w.prevented(e, d)
	}
	return nil
}
