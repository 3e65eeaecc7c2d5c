package runreport

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// decided folds what was decided about the run: breaks, control, gates, escalations, corrections, cycles.
type decided struct{ *Fold }

func (f decided) broke(ev events.Event, d *runevents.WiggumBreak) {
	f.ran = true
	f.moment(ev, string(d.Kind)+" break: "+words(string(d.Trigger)), d.Reason)
	if d.Scope == runevents.ScopeSession {
		f.run.Lone = f.run.Lone || ev.Subject == f.run.ID
	}
	if replaced := f.breakByID(d.Upgrades); replaced != nil {
		replaced.UpgradedBy = ev.ID
	}
	if f.room(len(f.breaks)) {
		one := &Break{ID: ev.ID, Time: ev.Time.UTC(), WiggumBreak: *d, Warrant: notRecorded}
		one.Reason, one.Present = f.settings.short(d.Reason), f.settings.short(d.Present)
		f.breaks = append(f.breaks, one)
	}
}

// notRecorded is the verdict on a break of a stream that holds no verdicts.
var notRecorded = runevents.Warrant{
	Verdict: runevents.Unclear, Basis: runevents.BasisNotRecorded, Why: "No verdict on this break is recorded.", Evidence: []string{},
}

func (f decided) breakByID(id string) *Break {
	i := slices.IndexFunc(f.breaks, func(b *Break) bool { return id != "" && b.ID == id })
	if i < 0 {
		return nil
	}
	return f.breaks[i]
}

func (f decided) noted(ev events.Event, d *runevents.BreakNoted) {
	f.moment(ev, "on the open break: "+words(string(d.Trigger)), d.Reason)
	if b := f.breakByID(d.Break); b != nil && f.room(len(b.Noted)) {
		b.Noted = append(b.Noted, Noted{Event: ev.ID, Kind: d.Kind, Trigger: d.Trigger, Reason: f.settings.short(d.Reason)})
	}
}

func (f decided) haltIgnored(ev events.Event, d *runevents.HaltIgnored) {
	f.moment(ev, "halt ignored", d.Reason)
	if b := f.breakByID(d.Break); b != nil && f.room(len(b.Ignored)) {
		b.Ignored = append(b.Ignored, ev.ID)
	}
}

// listed returns the breaks with their outcome so far.
func (f decided) listed() []Break {
	out := []Break{}
	for _, b := range f.breaks {
		one := *b
		one.Noted, one.Ignored = slices.Clone(b.Noted), slices.Clone(b.Ignored)
		out = append(out, one)
	}
	return out
}

// control folds the current control state of the run or one of its sessions.
func (f decided) control(ev events.Event, d *runevents.ControlChanged) {
	if d.Ended { // it says nothing of whether it may go on
		return
	}
	if d.Scope == runevents.ScopeSession {
		if s := f.sessions.of(f.Fold, ev.Subject); s != nil {
			s.State = d.State
		}
	}
	if ev.Subject == f.run.ID {
		f.standing = Standing{State: d.State, Break: d.Break, Who: f.settings.short(d.Who), Why: f.settings.short(d.Why)}
		if d.State != runevents.ControlRunning || f.run.Lone {
			f.moment(ev, "control: "+string(d.State), joined(mentioned(d.Who), passage(d.Why)))
		}
	}
}

// judgedBreak keeps the outcome of a break, and whether it was warranted (RW-32).
func (f decided) judgedBreak(ev events.Event, d *runevents.BreakJudged) {
	b := f.breakByID(d.Break)
	if b == nil {
		return
	}
	if d.Reverted != "" && b.Reverted == "" {
		f.moment(events.Event{ID: d.Reverted, Time: ev.Time}, "merge reverted", mentioned(b.RevertSHA))
	}
	b.Resumed, b.Recovery, b.Reverted, b.Warrant = d.Resumed, d.Recovery, d.Reverted, d.Warrant
}
