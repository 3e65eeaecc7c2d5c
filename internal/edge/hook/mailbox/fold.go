package mailbox

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	maxMutes  = 64     // for one session or group, the dispatcher's default
	maxGroups = 10_000 // groups with mutes for future sessions
	// maxOutcomes limits the facts that wait to be recorded while no hook is called.
	maxOutcomes = 1024
)

// By names the hooks' mailbox in interrupt.delivery.
const By = "scaffoldwatch hook"

// types are the event types that the mailbox reads from DECISIONS.
var types = []events.Type{
	sessionevents.TypeInterruptFired, sessionevents.TypeInterruptDelivery, sessionevents.TypeTurnEvaluated,
	sessionevents.TypeSessionClosed, runevents.TypeOperatorAct, runevents.TypeCorrectionIssued,
	runevents.TypeControlChanged, runevents.TypeContentPurged,
}

// decided is a fold of DECISIONS. Sequences are 0 where all of it is folded in order.
type decided struct {
	boxes    boxes
	control  *control.Projection
	outcomes outcomes // waiting to be recorded
	caught   bool     // what is decided is followed
}

// clear forgets everything except how many interrupts were dropped.
func (d *decided) clear() {
	d.boxes.clear()
	d.control, d.outcomes, d.caught = &control.Projection{}, nil, false
}

// fold folds an event, at its sequence, into the boxes that do not contain it yet.
func (d *decided) fold(e events.Event, at uint64) {
	switch data := e.Data.(type) {
	case *sessionevents.InterruptFired, *runevents.CorrectionIssued:
		d.fired(e, at)
	case *sessionevents.InterruptDelivery:
		d.recorded(data, e.Group(), at)
	case *sessionevents.TurnEvaluated:
		if b := d.boxes.target(data.Session, e.Group(), at); b != nil {
			b.run, b.turn = data.Run, data.Turn
			d.outcomes.expired(b.expire())
		}
	case *sessionevents.SessionClosed:
		d.closed(data.Session, at)
	case *runevents.ControlChanged:
		d.changed(e, at)
	case *runevents.ContentPurged:
		d.purged(e.Group(), data.IDs, at)
	case *runevents.OperatorAct:
		if data.Act == runevents.ActMute || data.Act == runevents.ActUnmute {
			d.muted(e.Group(), data, at)
		}
	}
}

// fired stores an interrupt, or a correction in its form (RW-40), for its session. One with the content of
// a denial is recorded as emitted by that.
func (d *decided) fired(e events.Event, at uint64) {
	i, ok := runevents.AsInterrupt(e.ID, e.Group(), e.Data)
	if !ok {
		return
	}
	b := d.boxes.target(i.Session, e.Group(), at)
	if b == nil {
		return
	}
	b.run = i.Run
	if i.Turn > b.turn { // the turns before the last one are not read where a session is opened
		b.turn = i.Turn
		d.outcomes.expired(b.expire())
	}
	if said := b.denied(i); said != nil && d.caught {
		fact := outcome(i, sessionevents.DeliveryEmitted)
		fact.Channel = said.Channel
		b.emit(fact.InterruptDelivery, false)
		d.outcomes.add(fact)
		return
	}
	if b.fired(i) != nil {
		d.boxes.dropped++
	}
}

// recorded folds a fact about an interrupt. An interrupt that is already recorded as expired is not
// recorded so again.
func (d *decided) recorded(fact *sessionevents.InterruptDelivery, group string, at uint64) {
	if b := d.boxes.target(fact.Session, group, at); b != nil {
		b.told(fact)
	}
	d.outcomes.remove(func(f Fact) bool { return fact.Interrupt != "" && f.Interrupt == fact.Interrupt })
}

// closed forgets a session except for its mutes: it may be reopened, and they then still apply.
func (d *decided) closed(session string, at uint64) {
	b := d.boxes.existing(session, at)
	if b == nil {
		return
	}
	d.outcomes.expired(b.waiting)
	if b.waiting, b.emitted = nil, nil; len(b.mutes) == 0 {
		d.boxes.remove(b)
	}
}

// changed folds a control.changed. What has ended is forgotten, so that memory does not grow with the past.
func (d *decided) changed(e events.Event, at uint64) {
	if change, is := d.control.Decide(e, at); is && change.Ended {
		d.control.Forget(change.Key)
	}
}

// purged forgets a group that an operator erases, as every stage does (AU-40): what its sessions were to be
// told, their mutes, and that it was stopped.
func (d *decided) purged(group string, ids []string, at uint64) {
	if !d.boxes.partly {
		delete(d.boxes.mutes, group)
	}
	for b := range d.boxes.ofGroup(group) {
		if d.boxes.isNew(b, at) || !b.opened {
			d.boxes.remove(b)
		}
	}
	all := append(slices.Clone(ids), group)
	d.outcomes.remove(func(f Fact) bool { return slices.Contains(all, f.Session) })
	for _, id := range all {
		d.forgetControl(id)
	}
}

// forgetControl forgets the states of a session or run.
func (d *decided) forgetControl(id string) {
	d.control.Forget(runevents.RunControlKey(id))
	d.control.Forget(runevents.SessionControlKey(id))
}

// hear records, for the parent of a subagent, an interrupt of urgency 4.0 or a denial.
func (d *decided) hear(session, what, s, handle string) {
	parent, own := naming.Split(session)
	if parent != "" && d.caught && s != "" {
		note := "Subagent " + quote.Line(own) + " " + what + ": " + quote.Line(s)
		d.boxes.own(parent).heard.add(note, handle)
	}
}

// muted puts a person's mute in force, or ends it, as the dispatcher does (DP-25): in a session, or in all
// current and future sessions of a group. An act that cannot be decoded changes nothing.
func (d *decided) muted(group string, act *runevents.OperatorAct, at uint64) {
	x := &d.boxes
	if act.Session != "" {
		if b := x.target(act.Session, group, at); b != nil {
			b.mutes = withMute(b.mutes, act, b.turn)
		}
		return
	}
	room := len(x.mutes) < maxGroups || x.mutes[group] != nil
	if !x.partly && room || x.partly && x.isNew(x.at(group), at) {
		x.mutes[group] = withMute(x.mutes[group], act, 0)
	}
	for b := range x.ofGroup(group) {
		if x.isNew(b, at) {
			b.mutes, b.through = withMute(b.mutes, act, b.turn), at
		}
	}
}

func withMute(have []budget.Mute, act *runevents.OperatorAct, turn int) []budget.Mute {
	mute, err := budget.MuteOf(act, turn)
	switch {
	case err != nil:
		return have
	case act.Act == runevents.ActUnmute:
		return mute.Without(have)
	}
	return text.Newest(append(slices.Clone(have), mute), maxMutes)
}

// Fact is the outcome of an interrupt, and the run of its session, "" for none.
type Fact struct {
	Run string
	sessionevents.InterruptDelivery
}

// outcome returns the fact that an interrupt is in a state.
func outcome(i *sessionevents.InterruptFired, state sessionevents.DeliveryState) Fact {
	return Fact{i.Run, sessionevents.InterruptDelivery{
		Interrupt: i.ID, Session: i.Session, Turn: i.Turn, State: state, By: By,
	}}
}

// outcomes are facts to be recorded with the next hook.
type outcomes []Fact

// add queues a fact, unless it is queued: its session may have been opened again.
func (o *outcomes) add(f Fact) {
	if !slices.ContainsFunc(*o, func(q Fact) bool { return q.Interrupt == f.Interrupt && q.State == f.State }) {
		*o = text.Newest(append(*o, f), maxOutcomes)
	}
}

// expired queues that interrupts will no longer be emitted (DP-21).
func (o *outcomes) expired(old []*sessionevents.InterruptFired) {
	for _, i := range old {
		o.add(outcome(i, sessionevents.DeliveryExpired))
	}
}

func (o *outcomes) remove(which func(Fact) bool) { *o = slices.DeleteFunc(*o, which) }
