package sessionreport

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// notes folds what was said: interrupts, the guard's answers, opinions, halts, and their deliveries.
type notes struct{ *Fold }

func (f notes) interrupt(d *sessionevents.InterruptFired) {
	if f.firedByID(d.ID) != nil {
		return
	}
	if len(f.fired) == 0 {
		f.budget = d.Budget.Before // what it really started with
	}
	f.left = d.Budget.After
	f.charged[d.ID] = d.Budget.After < d.Budget.Before
	f.fired = append(f.fired, &Fired{
		ID: d.ID, Turn: d.Turn, Detector: d.Detector, Class: d.Class, Urgency: d.Urgency, Label: d.UrgencyLabel,
		FromQueue: d.FromQueue, Message: d.Message, Reason: d.Reason, Signals: slices.Clone(d.Signals), Deliveries: []Delivery{},
		Budget: d.Budget, Evidence: slices.Clone(d.Evidence),
	})
	row := f.row(d.Turn)
	row.Interrupts = append(row.Interrupts, d.ID)
	f.spent(d.Turn)
	for _, id := range d.Signals {
		s := f.find(id, d.Detector, d.Turn)
		s.End, s.EndTurn, s.Reason, s.Code, s.Urgency = endFired, d.Turn, "", "", d.Urgency
	}
	how := "interrupt"
	if d.FromQueue {
		how = "interrupt from the queue"
	}
	f.moment(d.Turn, how, d.Detector+" "+d.UrgencyLabel+": "+d.Message)
}

func (f notes) firedByID(id string) *Fired {
	i := slices.IndexFunc(f.fired, func(i *Fired) bool { return i.ID == id })
	if i < 0 {
		return nil
	}
	return f.fired[i]
}

// delivered records a fact about an interrupt of this session (DP-21).
func (f notes) delivered(d *sessionevents.InterruptDelivery) bool {
	i := f.firedByID(d.Interrupt)
	if i == nil && d.Interrupt == "" && d.Session != "" {
		if at := slices.IndexFunc(f.fired, func(i *Fired) bool { return i.Turn == d.Turn }); at >= 0 {
			i = f.fired[at]
		}
	}
	if i == nil {
		return f.answered(d.Interrupt, Delivery{State: d.State, Channel: d.Channel, By: d.By})
	}
	f.settle(i, Delivery{State: d.State, Channel: d.Channel, By: d.By})
	return true
}

// acted records a person's answer to an interrupt; a mute goes to the timeline.
func (f notes) acted(d *runevents.OperatorAct) bool {
	if f.answeredHalt(d) {
		return true
	}
	switch d.Act {
	case runevents.ActMute, runevents.ActUnmute:
		f.moment(f.coverage.lastTurn, string(d.Act), "by "+d.By+": "+d.Why)
		return d.Session == f.session.ID
	case runevents.ActDismiss:
		if i := f.firedByID(d.Target); i != nil {
			f.settle(i, Delivery{State: sessionevents.DeliveryDismissed, By: d.By})
			return true
		}
		return f.answered(d.Target, Delivery{State: sessionevents.DeliveryDismissed, By: d.By})
	case runevents.ActAck:
		if i := f.firedByID(d.Target); i != nil {
			f.settle(i, Delivery{State: sessionevents.DeliveryAcked, By: d.By})
			return true
		}
		return f.answered(d.Target, Delivery{State: sessionevents.DeliveryAcked, By: d.By})
	}
	return false
}

// settle adds a fact once; the first dismissal or failed delivery refunds the unit of the budget (DP-15,
// DP-22).
func (f notes) settle(i *Fired, d Delivery) {
	if slices.Contains(i.Deliveries, d) {
		return
	}
	i.Deliveries = append(i.Deliveries, d)
	switch d.State {
	case sessionevents.DeliveryHeeded, sessionevents.DeliveryIgnored:
		i.Heed, i.HeedAfter = string(d.State), f.coverage.lastTurn-i.Turn
		f.moment(f.coverage.lastTurn, "interrupt "+i.Heed, i.Detector+" of turn "+number(i.Turn))
	case sessionevents.DeliveryDismissed, sessionevents.DeliveryUnsupported:
		i.Dismissed = i.Dismissed || d.State == sessionevents.DeliveryDismissed
		if f.charged[i.ID] {
			delete(f.charged, i.ID)
			f.left++
			f.spent(f.coverage.lastTurn)
		}
	}
}
