package runreport

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// broken is a break with what is needed to judge it.
type broken struct {
	Break
	subject string // run or session
	at      int    // Fold.seen when it came
	resumed int    // Fold.seen when it was resumed; 0: it was not
	closed  string // session.closed of its session
}

func (f *Fold) broke(ev events.Event, d *events.WiggumBreak) {
	f.ran = true
	f.moment(ev, string(d.Kind)+" break: "+string(d.Trigger), d.Reason)
	if d.Scope == events.ScopeSession {
		f.run.Lone = f.run.Lone || ev.Subject == f.run.ID
	}
	for _, b := range f.breaks {
		if d.Upgrades != "" && b.ID == d.Upgrades {
			b.UpgradedBy = ev.ID
		}
	}
	if !f.room(len(f.breaks)) {
		return
	}
	one := &broken{Break: Break{ID: ev.ID, Time: ev.Time.UTC(), WiggumBreak: *d}, subject: ev.Subject, at: f.seen}
	one.Reason, one.Present = f.settings.short(d.Reason), f.settings.short(d.Present)
	f.breaks = append(f.breaks, one)
}

func (f *Fold) noted(ev events.Event, d *events.BreakNoted) {
	f.moment(ev, "on the open break: "+string(d.Trigger), d.Reason)
	for _, b := range f.breaks {
		if b.ID == d.Break && f.room(len(b.Noted)) {
			b.Noted = append(b.Noted, Noted{Event: ev.ID, Kind: d.Kind, Trigger: d.Trigger, Reason: f.settings.short(d.Reason)})
		}
	}
}

func (f *Fold) haltIgnored(ev events.Event, d *events.HaltIgnored) {
	f.moment(ev, "halt ignored", d.Reason)
	for _, b := range f.breaks {
		if b.ID == d.Break && f.room(len(b.Ignored)) {
			b.Ignored = append(b.Ignored, ev.ID)
		}
	}
}

// control is how the run or one of its sessions stands now. One that runs again
// without a break behind it was resumed (RW-34).
func (f *Fold) control(ev events.Event, d *events.ControlChanged) {
	if d.Scope == events.ScopeSession {
		if s := f.sessions.of(f, ev.Subject); s != nil {
			s.State = d.State
		}
	}
	if ev.Subject == f.run.ID {
		f.standing = Standing{State: d.State, Break: d.Break, Who: f.settings.short(d.Who), Why: f.settings.short(d.Why)}
		if d.State != events.ControlRunning || f.run.Lone {
			f.moment(ev, "control: "+string(d.State), joined(d.Who, d.Why))
		}
	}
	if d.State != events.ControlRunning || d.Break != "" {
		return
	}
	for _, b := range f.breaks {
		if b.subject == ev.Subject && b.resumed == 0 && b.UpgradedBy == "" {
			b.resumed = f.seen
			b.Resumed = &Resume{Event: ev.CausationID, Time: ev.Time.UTC(), By: f.settings.short(d.Who), Why: f.settings.short(d.Why)}
		}
	}
}

// reverted notes that infrastructure saw the broken merge taken back (RW-30).
func (f *Fold) reverted(ev events.Event, d *events.GitCommit) {
	if d.Blocked || d.Purpose != "revert" && !strings.HasPrefix(strings.ToLower(d.Message), "revert") {
		return
	}
	for _, b := range f.breaks {
		if b.Trigger == events.TriggerBrokenSuite && b.resumed == 0 && b.Reverted == "" {
			b.Reverted = ev.ID
			f.moment(ev, "merge reverted", b.RevertSHA)
		}
	}
}

// recovered is a person's choice after a failure of isolation (WP-2).
func (f *Fold) recovered(ev events.Event, d *events.RecoverySelected) {
	f.moment(ev, "recovery chosen", joined(d.By, d.Why))
	for _, b := range f.breaks {
		if b.resumed == 0 && b.Recovery == nil && b.UpgradedBy == "" && b.Scope != events.ScopeSession {
			b.Recovery = &Choice{Event: ev.ID, Option: d.Option, By: f.settings.short(d.By), Why: f.settings.short(d.Why)}
		}
	}
}
