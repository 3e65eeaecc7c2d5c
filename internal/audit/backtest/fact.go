package backtest

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// fact is one decision.
type fact struct {
	kind     view.Kind
	id       string // of the event
	group    string // the session or run that it is about
	detector string
	about    string // the key, together with kind, detector and found
	found    int    // turn of the signal that it rests on
	turn     int
	value    string // what was decided
	message  string
	evidence string
	input    int // number of the input that caused it
	outcome  view.Outcome
	heard    bool
}

type key struct {
	kind            view.Kind
	detector, about string
	found           int
}

func (f *fact) key() key { return key{f.kind, f.detector, f.about, f.found} }

// decided returns the decision in an event, or nil if the event is not compared.
func (s *side) decided(e events.Event) *fact {
	f := &fact{id: e.ID, group: e.Subject}
	switch d := e.Data.(type) {
	case *sessionevents.InterruptFired:
		f.kind, f.id, f.detector, f.turn = view.KindFire, d.ID, d.Detector, d.Turn
		f.message, f.evidence = d.Message, evidenceLine(d.Evidence)
		if len(d.Signals) > 0 {
			f.restsOn(s.signal(e.Subject, d.Signals[0]))
		}
		f.value = "at once, " + d.UrgencyLabel
		if d.FromQueue {
			f.value = "from the queue, " + d.UrgencyLabel
		}
	case *sessionevents.InterruptQueued:
		f.kind, f.detector, f.turn = view.KindQueue, d.Detector, d.Turn
		f.value = fmt.Sprintf("%s, %s", d.Urgency, strings.ReplaceAll(string(d.Reason), "_", " "))
		f.restsOn(s.signal(e.Subject, d.Signal))
	case *sessionevents.Signal:
		f.kind, f.id, f.detector, f.turn = view.KindSignal, d.ID, d.Detector, d.Turn
		f.found, f.about, f.message, f.evidence, f.value = d.Turn, d.Subject, d.Message, evidenceLine(d.Evidence), "detected, "+d.Urgency.String()
	case *runevents.WiggumBreak:
		f.kind, f.detector, f.about, f.turn = view.KindBreak, string(d.Trigger), string(d.Scope), d.Turn
		f.value, f.message, f.evidence = string(d.Kind), d.Reason, strings.Join(d.Evidence, "; ")
	case *runevents.GateDecided:
		f.kind, f.detector = view.KindGate, string(d.Gate)
		f.about = strings.Trim(fmt.Sprintf("%s %s %s", d.Asked, d.Phase, d.AgentID), " ")
		f.value, f.message, f.evidence = string(d.Decision), d.Why, referenceLine(d.Evidence)
	case *runevents.ViolationDetected:
		judgement(f, view.KindViolation, runevents.Judgement(*d))
	case *runevents.WarningIssued:
		judgement(f, view.KindWarning, runevents.Judgement(*d))
	case *runevents.CorrectionIssued:
		f.kind, f.detector, f.about = view.KindCorrection, d.Issue, d.Target.ID
		f.value, f.message, f.evidence = fmt.Sprintf("step %d, %s", d.Step, d.Action), d.Text, d.Reason
	case *runevents.EscalationRaised:
		f.kind, f.detector, f.about = view.KindEscalation, string(d.Layer), d.Issue
		f.value, f.message = "to "+string(d.To), d.Text
	default:
		return nil
	}
	f.message, f.evidence = line(f.message), line(f.evidence)
	return f
}

// restsOn links a decision to the signal that it says or queues, if that is known.
func (f *fact) restsOn(signal *fact) {
	if signal == nil {
		return
	}
	f.about, f.found = signal.about, signal.turn
	f.evidence = cmp.Or(f.evidence, signal.evidence)
}

func judgement(f *fact, kind view.Kind, d runevents.Judgement) {
	f.kind, f.detector, f.about = kind, cmp.Or(d.Code, d.Rule), strings.Trim(d.AgentID+" "+d.Phase, " ")
	f.value, f.message, f.evidence = d.Rule, d.What, referenceLine(d.Evidence)
}

// evidenceLine returns the first place that an interrupt cites, on one line.
func evidenceLine(list []sessionevents.Evidence) string {
	if len(list) == 0 {
		return ""
	}
	e := list[0]
	place := e.Path
	if e.Path != "" && e.Line > 0 {
		place = fmt.Sprintf("%s:%d", e.Path, e.Line)
	}
	return strings.Trim(place+": "+e.Quote, ": ")
}

func referenceLine(list []runevents.Reference) string {
	if len(list) == 0 {
		return ""
	}
	r := list[0]
	place := cmp.Or(r.Path, r.Event)
	if r.Path != "" && r.Line > 0 {
		place = fmt.Sprintf("%s:%d", r.Path, r.Line)
	}
	return strings.Trim(place+": "+r.What, ": ")
}

// maxLine limits a kept message or piece of evidence, in characters.
const maxLine = 240

// line returns text on one line of limited length.
func line(s string) string { return text.Short(text.Line(s), maxLine) }
