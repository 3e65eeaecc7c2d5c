package runreport

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// signal folds a shadow; those of sessions are their own reports'.
func (f decided) signal(ev events.Event, d *sessionevents.Signal) {
	if d.Layer == sessionevents.LayerSession || d.Layer == "" {
		if s := f.sessions.of(f.Fold, d.Session); s != nil {
			s.Signals++
		}
		return
	}
	f.ran = true
	f.moment(ev, d.Detector+" "+quote.Path(d.Subject), joined(d.AgentID, d.Reason))
	if !f.room(len(f.shadows)) {
		return
	}
	f.shadows = append(f.shadows, Shadow{
		Event: ev.ID, Time: ev.Time.UTC(), Rule: d.Detector, Layer: d.Layer, Issue: d.Subject, AgentID: d.AgentID, Session: d.Session,
		Cycle: d.Cycle, Confidence: d.Confidence, Message: f.settings.short(d.Message), Reason: f.settings.short(d.Reason),
		Suppressed: f.settings.short(d.Suppressed), Conditions: slices.Clone(d.Conditions), Events: slices.Clone(d.Events),
	})
}

func (f decided) escalated(ev events.Event, d *runevents.EscalationRaised) {
	f.ran = true
	if d.Reminder {
		f.moment(ev, "reminder: "+quote.Path(d.Issue), d.Text)
		for _, e := range f.escalations {
			if e.ID == d.Of && len(e.Reminders) < f.settings.Limits.Entries {
				e.Reminders = append(e.Reminders, ev.ID)
			}
		}
		return
	}
	f.moment(ev, "escalation: "+quote.Path(d.Issue), d.Text)
	f.say(d.Text, string(d.To)) // where it is the third step of the ladder (RW-40)
	if f.room(len(f.escalations)) {
		one := &Escalation{ID: ev.ID, Time: ev.Time.UTC(), EscalationRaised: *d}
		one.Text = f.settings.short(d.Text)
		f.escalations = append(f.escalations, one)
	}
}

func (f decided) judgement(ev events.Event, d runevents.Judgement, list *[]Judged, what string) {
	f.ran = true
	f.moment(ev, what+" "+d.Code, d.What)
	if f.room(len(*list)) {
		d.What = f.settings.short(d.What)
		*list = append(*list, Judged{Event: ev.ID, Time: ev.Time.UTC(), Judgement: d})
	}
}

func (f decided) gate(ev events.Event, d *runevents.GateDecided) {
	if d.Decision != runevents.DecisionAllow && !d.Ahead {
		f.moment(ev, "gate "+string(d.Gate)+": "+string(d.Decision), d.Why)
	}
	if f.room(len(f.gates)) {
		one := Gate{Event: ev.ID, Time: ev.Time.UTC(), GateDecided: *d}
		one.Why = f.settings.short(d.Why)
		f.gates = append(f.gates, one)
	}
}

// interrupt folds what was said to an agent; interrupts of sessions use the budget and appear in the
// sessions' own reports.
func (f decided) interrupt(ev events.Event, d *sessionevents.InterruptFired) {
	if s := f.sessions.of(f.Fold, d.Session); s != nil {
		s.Interrupts++
	}
	if d.Layer == sessionevents.LayerSession || d.Layer == "" {
		return
	}
	f.ran = true
	f.moment(ev, "said to "+d.Session, d.Message)
	if f.room(len(f.steers)) {
		f.steers = append(f.steers, &Steer{
			ID: d.ID, Time: ev.Time.UTC(), Rule: d.Detector, Layer: d.Layer, Session: d.Session, Turn: d.Turn, Message: f.settings.short(d.Message),
		})
	}
}

func (f decided) delivery(d *sessionevents.InterruptDelivery) {
	for _, s := range f.steers {
		if s.ID == d.Interrupt && !slices.Contains(s.Delivery, d.State) {
			s.Delivery = append(s.Delivery, d.State)
		}
	}
}

func (f decided) budget(ev events.Event, d *runevents.PolicyBudget) {
	f.moment(ev, fmt.Sprintf("budget at %d %%", d.Threshold), words(string(d.Action)))
	if f.room(len(f.policies.Budget)) {
		f.policies.Budget = append(f.policies.Budget, Threshold{Event: ev.ID, Time: ev.Time.UTC(), PolicyBudget: *d})
	}
}

func (f decided) checkpoint(ev events.Event, d *runevents.PolicyCheckpoint) {
	f.moment(ev, "checkpoint: "+string(d.Decision), d.Why)
	if f.room(len(f.policies.Checkpoints)) {
		f.policies.Checkpoints = append(f.policies.Checkpoints, Checkpoint{Event: ev.ID, Time: ev.Time.UTC(), Decision: d.Decision, Why: f.settings.short(d.Why)})
	}
}
