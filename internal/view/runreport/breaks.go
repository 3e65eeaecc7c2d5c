package runreport

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/aftermath"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func (f *Fold) broke(ev events.Event, d *runevents.WiggumBreak) {
	f.ran = true
	f.moment(ev, string(d.Kind)+" break: "+string(d.Trigger), d.Reason)
	if d.Scope == runevents.ScopeSession {
		f.run.Lone = f.run.Lone || ev.Subject == f.run.ID
	}
	if len(f.after.Breaks) > len(f.breaks) {
		one := *d
		one.Reason, one.Present = f.settings.short(d.Reason), f.settings.short(d.Present)
		f.breaks = append(f.breaks, one)
	}
}

// listed are the breaks with what came of them by now.
func (f *Fold) listed() []Break {
	out := []Break{}
	for i := range f.breaks {
		b := f.after.Breaks[i]
		out = append(out, Break{
			ID: b.ID, Time: b.Time, WiggumBreak: f.breaks[i], UpgradedBy: b.UpgradedBy, Noted: slices.Clone(b.Noted), Resumed: b.Resumed,
			Recovery: b.Recovery, Reverted: b.Reverted, Ignored: slices.Clone(b.Ignored), Warrant: f.after.Warrant(f.settings.Aftermath(), &b),
		})
	}
	return out
}

// control is how the run or one of its sessions stands now.
func (f *Fold) control(ev events.Event, d *runevents.ControlChanged) {
	if d.Ended { // it says nothing of whether it may go on
		return
	}
	if d.Scope == runevents.ScopeSession {
		if s := f.sessions.of(f, ev.Subject); s != nil {
			s.State = d.State
		}
	}
	if ev.Subject == f.run.ID {
		f.standing = Standing{State: d.State, Break: d.Break, Who: f.settings.short(d.Who), Why: f.settings.short(d.Why)}
		if d.State != runevents.ControlRunning || f.run.Lone {
			f.moment(ev, "control: "+string(d.State), joined(d.Who, d.Why))
		}
	}
}

// reverted says that infrastructure saw the broken merge taken back (RW-30).
func (f *Fold) reverted(ev events.Event, d *runevents.GitCommit) {
	if !aftermath.Reverts(d) {
		return
	}
	for i := range f.breaks {
		if f.after.Breaks[i].Reverted == ev.ID {
			f.moment(ev, "merge reverted", f.breaks[i].RevertSHA)
		}
	}
}
