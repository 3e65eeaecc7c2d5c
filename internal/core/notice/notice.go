package notice

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Notice is one thing that people are told.
type Notice struct {
	About   string    `json:"about"` // id of the event
	Kind    string    `json:"kind"`
	Layer   string    `json:"layer"`
	Subject string    `json:"subject"` // run or session
	Run     string    `json:"run,omitempty"`
	At      time.Time `json:"at"`
	Title   string    `json:"title"`
	Text    string    `json:"text,omitempty"`
	URL     string    `json:"url,omitempty"`
	Outcome string    `json:"outcome,omitempty"`
	Command string    `json:"command,omitempty"`
	// Urgent bypasses working hours.
	Urgent bool `json:"urgent,omitempty"`
	// Open names what it waits for, "" where nothing does: it is over when that is.
	Open string `json:"open,omitempty"`
	Held bool   `json:"held,omitempty"` // notification.held was told
}

// told is what an event says, before it is worded.
type told struct {
	kind  string
	facts map[string]string
	open  string
	done  bool // nothing waits after it
}

// Describe words what people are told of an event: nothing of most, the
// operator and the team of some.
func (w *Words) Describe(e events.Event, run Run) []Notice {
	var list []Notice
	for _, t := range w.told(e) {
		kind := w.kind(t.kind)
		t.facts["run"], t.facts["goal"] = e.Subject, run.Goal
		list = append(list, Notice{
			About: e.ID, Kind: t.kind, Layer: kind.Layer, Subject: e.Subject, Run: runOf(e), At: e.Time.UTC(),
			Title: w.shorten(oneLine(fill(kind.Title, t.facts))), Text: w.text(kind.Text, t.facts),
			URL: t.facts["url"], Outcome: t.facts["outcome"], Command: t.facts["command"],
			Urgent: run.Urgent || !kind.Hold, Open: t.open,
		})
	}
	return list
}

// runOf is the run an event is about, "" for a session that belongs to none.
func runOf(e events.Event) string {
	switch d := e.Data.(type) {
	case *events.WiggumBreak:
		return d.Run
	case *events.EscalationRaised:
		return d.Run
	case *events.HaltIgnored:
		return d.Run
	}
	return e.Subject
}

// told is the list of what is told at all.
func (w *Words) told(e events.Event) []told {
	switch d := e.Data.(type) {
	case *events.WiggumBreak:
		return w.stopped(e.Subject, d)
	case *events.EscalationRaised:
		return escalated(e, d)
	case *events.HaltIgnored:
		return ignored(e.Subject, d)
	case *events.GateDecided:
		return denied(e.Subject, d)
	case *events.ClarificationRequested:
		return asked(e.Subject, d)
	case *events.RunCompleted:
		return w.ended(d)
	}
	return nil
}
