package sessionreport

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Ends of a signal as the report names them.
const (
	endFired      = "fired"
	endLogged     = "logged"
	endSuppressed = "suppressed"
	endCorrected  = "self_corrected"
	endExpired    = "expired"
	endCoalesced  = "coalesced"
	endUnsent     = "unsent"
	endQueued     = "queued"
	endPending    = "pending"
)

var ends = map[events.Type]string{
	sessionevents.TypeSignalLogged: endLogged, sessionevents.TypeSignalSuppressed: endSuppressed,
	sessionevents.TypeSignalSelfCorrected: endCorrected, sessionevents.TypeSignalExpired: endExpired,
	sessionevents.TypeSignalCoalesced: endCoalesced, sessionevents.TypeSignalUnsent: endUnsent,
}

// queueLine is the lowest urgency that is queued: a validator's cap below it means LOG only.
const queueLine sessionevents.Urgency = 20

// Capped reports whether a validator limited a signal to LOG, so that it does not count as debt (DP-31).
func Capped(s *sessionevents.Signal) bool { return s.Cap != nil && *s.Cap < queueLine }

func (f *Fold) detected(s *sessionevents.Signal) {
	if s.ID == "" || f.signals[s.ID] != nil {
		return
	}
	finding := &Finding{
		Signal: s.ID, Turn: s.Turn, Detector: s.Detector, Class: s.Class, Subclass: s.Subclass, CWE: s.CWE,
		Subject: s.Subject, Message: s.Message, Why: s.Reason, Fix: s.Fix, Evidence: slices.Clone(s.Evidence),
		Urgency: s.Urgency, ReworkCost: s.ReworkCost, Confidence: s.Confidence, End: endPending, Times: 1,
	}
	for _, e := range s.Evidence {
		if e.Path != "" {
			finding.Path, finding.Line = e.Path, e.Line
			break
		}
	}
	f.signals[s.ID] = finding
	f.order = append(f.order, finding)
	f.capped[s.ID] = Capped(s)
	row := f.row(s.Turn)
	row.Signals = append(row.Signals, s.ID)
}

// disposed ends a signal. One whose detection was not seen is still reported, as far as the disposition
// describes it.
func (f *Fold) disposed(typ events.Type, d *sessionevents.Disposition) {
	end, known := ends[typ]
	if !known {
		return
	}
	s := f.find(d.Signal, d.Detector, d.Turn)
	s.End, s.EndTurn, s.Reason, s.Code, s.Urgency = end, d.Turn, d.Reason, string(d.Code), d.Urgency
	if words := f.settings.Reasons[d.Reason]; words != "" {
		s.Reason = words
	}
	switch end {
	case endCoalesced:
		s.Into = d.Into
		f.carry(s, d)
	case endCorrected:
		f.moment(d.Turn, "corrected by the agent", s.Detector+": "+s.Message)
	case endExpired, endSuppressed:
		f.moment(d.Turn, end, s.Detector+": "+s.Reason)
	}
}

// carry adds a coalesced signal to the one that represents it.
func (f *Fold) carry(s *Finding, d *sessionevents.Disposition) {
	if into := f.signals[d.Into]; into != nil && into != s {
		into.Times += s.Times
		into.Urgency = max(into.Urgency, d.Urgency)
	}
}

func (f *Fold) find(id, detector string, turn int) *Finding {
	s := f.signals[id]
	if s == nil {
		s = &Finding{Signal: id, Turn: turn, Detector: detector, Class: classOf(detector), Times: 1}
		f.signals[id] = s
		f.order = append(f.order, s)
	}
	return s
}

// classOf is the class of a session-layer detector: the letter of its id.
func classOf(detector string) sessionevents.Class {
	if detector == "" {
		return ""
	}
	return sessionevents.Class(detector[:1])
}

func (f *Fold) queued(d *sessionevents.InterruptQueued) {
	s := f.find(d.Signal, d.Detector, d.Turn)
	s.End, s.EndTurn, s.Reason, s.Code, s.Urgency = endQueued, d.Turn, string(d.Reason), string(d.Reason), d.Urgency
	f.moment(d.Turn, "queued", d.Detector+" at "+d.Urgency.String()+" ("+f.settings.worded(string(d.Reason))+"): "+s.Message)
}

// ended lists the findings with one of the outcomes, in the order of detection.
func (f closing) ended(in ...string) []Finding {
	found := []Finding{}
	for _, s := range f.order {
		if slices.Contains(in, s.End) {
			found = append(found, *s)
		}
	}
	return found
}

// notSent returns the findings that wait, waited until the end, or expired in the queue, the most urgent
// first (DP-31).
func (f closing) notSent() []Finding {
	waiting := f.ended(endQueued, endUnsent, endExpired)
	slices.SortStableFunc(waiting, func(a, b Finding) int { return int(b.Urgency - a.Urgency) })
	return waiting
}

func count(findings []*Finding) Counts {
	c := Counts{Detected: len(findings)}
	for _, s := range findings {
		switch s.End {
		case endFired:
			c.Fired++
		case endLogged:
			c.Logged++
		case endSuppressed:
			c.Suppressed++
		case endCorrected:
			c.Corrected++
		case endExpired:
			c.Expired++
		case endCoalesced:
			c.Coalesced++
		case endUnsent:
			c.Unsent++
		case endQueued:
			c.Queued++
		default:
			c.Pending++
		}
	}
	return c
}
