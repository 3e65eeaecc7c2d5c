package backtest

import (
	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// side holds what one set of rules decided.
type side struct {
	groups map[string]*group
	totals totals
	// slim keeps no signals: for a sweep.
	slim bool
}

// group holds what is known about one session or run.
type group struct {
	facts []*fact
	// signals that may still be said or queued, by id
	open      map[string]*fact
	byID      map[string]*fact // interrupts
	exhausted bool
}

// totals counts how signals ended.
type totals struct {
	signals, immediate, fromQueue, queued, expired, unsent, logged, suppressed, corrected, coalesced, exhausted, breaks int
}

func (t *totals) add(o totals) {
	t.signals += o.signals
	t.immediate += o.immediate
	t.fromQueue += o.fromQueue
	t.queued += o.queued
	t.expired += o.expired
	t.unsent += o.unsent
	t.logged += o.logged
	t.suppressed += o.suppressed
	t.corrected += o.corrected
	t.coalesced += o.coalesced
	t.exhausted += o.exhausted
	t.breaks += o.breaks
}

func newSide(slim bool) *side { return &side{groups: map[string]*group{}, slim: slim} }

func (s *side) group(name string) *group {
	g := s.groups[name]
	if g == nil {
		g = &group{open: map[string]*fact{}, byID: map[string]*fact{}}
		s.groups[name] = g
	}
	return g
}

// take folds an event that was derived from an input and returns its decision, nil if it has none.
func (s *side) take(e events.Event, input int) *fact {
	s.count(e)
	f := s.decided(e)
	if f == nil {
		return nil
	}
	f.input = input
	g := s.group(f.group)
	switch f.kind {
	case view.KindSignal:
		g.open[f.id] = f
		if s.slim {
			return f
		}
	case view.KindFire:
		g.byID[f.id] = f
		g.said(e.Data.(*sessionevents.InterruptFired))
	}
	g.facts = append(g.facts, f)
	return f
}

// said ends the signals that an interrupt carries.
func (g *group) said(d *sessionevents.InterruptFired) {
	for _, id := range d.Signals {
		if f := g.open[id]; f != nil {
			f.value = "fired, " + d.UrgencyLabel
			delete(g.open, id)
		}
	}
}

// count adds an event to the totals and to the reactions to an interrupt.
func (s *side) count(e events.Event) {
	switch d := e.Data.(type) {
	case *sessionevents.InterruptFired:
		if d.FromQueue {
			s.totals.fromQueue++
		} else {
			s.totals.immediate++
		}
	case *sessionevents.InterruptQueued:
		s.totals.queued++
	case *sessionevents.Signal:
		s.totals.signals++
	case *sessionevents.Disposition:
		s.ended(e, d)
	case *sessionevents.BudgetExhausted:
		if g := s.group(e.Subject); !g.exhausted {
			g.exhausted = true
			s.totals.exhausted++
		}
	case *runevents.WiggumBreak:
		s.totals.breaks++
	case *sessionevents.InterruptDelivery:
		s.followed(e.Subject, d.Interrupt, d.State, d.Channel)
	case *runevents.OperatorAct:
		if d.Act == runevents.ActDismiss {
			s.followed(e.Subject, d.Target, sessionevents.DeliveryDismissed, "")
		}
	}
}

// ended counts the one end of a signal that was not said (DP-18).
func (s *side) ended(e events.Event, d *sessionevents.Disposition) {
	switch e.Type {
	case sessionevents.TypeSignalExpired:
		s.totals.expired++
	case sessionevents.TypeSignalUnsent:
		s.totals.unsent++
	case sessionevents.TypeSignalLogged:
		s.totals.logged++
	case sessionevents.TypeSignalSuppressed:
		s.totals.suppressed++
	case sessionevents.TypeSignalSelfCorrected:
		s.totals.corrected++
	case sessionevents.TypeSignalCoalesced:
		s.totals.coalesced++
	}
	g := s.group(e.Subject)
	if f := g.open[d.Signal]; f != nil {
		f.value = string(e.Type)[len("signal."):] + ", " + d.Urgency.String()
		delete(g.open, d.Signal)
	}
}

// followed records the reaction to an interrupt. What a person says takes precedence over a judgement.
func (s *side) followed(group, id string, state sessionevents.DeliveryState, channel string) {
	g := s.groups[group]
	if g == nil {
		return
	}
	f := g.byID[id]
	if f == nil {
		return
	}
	f.heard = f.heard || channel != ""
	switch state {
	case sessionevents.DeliveryDelivered, sessionevents.DeliveryAcked:
		f.heard = true
	case sessionevents.DeliveryHeeded:
		f.outcome = judged(f.outcome, view.Heeded)
	case sessionevents.DeliveryIgnored:
		f.outcome = judged(f.outcome, view.Ignored)
	case sessionevents.DeliveryDismissed:
		f.outcome = view.Dismissed
	}
}

func judged(known, now view.Outcome) view.Outcome {
	if known == view.Dismissed {
		return known
	}
	return now
}

// signal returns a signal that has not ended, nil if there is none.
func (s *side) signal(group, id string) *fact {
	if g := s.groups[group]; g != nil {
		return g.open[id]
	}
	return nil
}
