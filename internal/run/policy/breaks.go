package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// isHard reports whether a wish halts at once.
func isHard(wish *runevents.WiggumBreak) bool { return wish.Kind == runevents.BreakHard }

// settle is RW-32: one open break per scope. A hard wish upgrades a soft break
// that is still pending; any other wish is noted on the open one, but for what was
// done against the halt (WP-2).
func (t *settlement) settle(wish *runevents.WiggumBreak, all []verdict.Conclusion) {
	subject, control := t.scope(wish)
	open := control.Open
	if open == nil && wish.Scope == runevents.ScopeSession && t.state.Control.State == runevents.ControlHalted {
		open = t.state.Control.Open // the run's halt is the session's
	}
	if open != nil && (control.State != runevents.ControlDraining || open.Kind == runevents.BreakHard || !isHard(wish)) {
		if t.against(open, wish) {
			t.complete(wish)
			t.report(subject, wish, t.tell(runevents.TypeWiggumBreak, subject, wish), all)
			return
		}
		open.note(wish.Trigger)
		t.tell(runevents.TypeBreakNoted, subject, &runevents.BreakNoted{
			Break: open.ID, Kind: wish.Kind, Trigger: wish.Trigger, Reason: wish.Reason, Evidence: wish.Evidence,
		})
		return
	}
	if open != nil {
		wish.Upgrades = open.ID
	}
	t.complete(wish)
	id := t.tell(runevents.TypeWiggumBreak, subject, wish)
	t.open(control, wish, id)
	t.report(subject, wish, id, all)
}

// note keeps a trigger that the break stands for too.
func (o *Open) note(trigger runevents.BreakTrigger) {
	if trigger != o.Trigger && !slices.Contains(o.Noted, trigger) {
		o.Noted = append(o.Noted, trigger)
	}
}

// against reports whether a wish is for something that was done against the halt,
// and not told yet.
func (t *settlement) against(open *Open, wish *runevents.WiggumBreak) bool {
	if !t.Breaks[string(wish.Trigger)].AgainstHalt || open.Trigger == wish.Trigger || slices.Contains(open.Against, wish.Trigger) {
		return false
	}
	open.Against = append(open.Against, wish.Trigger)
	return true
}

// scope is what a wish halts: the run, or one session alone (RW-35).
func (t *settlement) scope(wish *runevents.WiggumBreak) (string, *Control) {
	about := t.Breaks[string(wish.Trigger)]
	if wish.Kind == "" {
		wish.Kind = about.Kind
	}
	if wish.Session == "" && t.state.Sessions[t.in.Event.Subject] != nil {
		wish.Session = t.in.Event.Subject
	}
	if wish.Scope == runevents.ScopeSession && wish.Session != "" {
		wish.Run = t.state.Run
		return wish.Session, &t.state.session(wish.Session, t.Kept.Sessions).Control
	}
	subject := t.subject("")
	t.state.hear(subject)
	wish.Scope, wish.Run, wish.Session, wish.Turn = runevents.ScopeRun, subject, "", 0
	return subject, &t.state.Control
}

// complete fills in what a break carries (RW-32).
func (t *settlement) complete(wish *runevents.WiggumBreak) {
	wish.RunState = t.state.runState()
	wish.UnresolvedFindings = t.unresolved(t.state)
	if wish.Evidence == nil {
		wish.Evidence = []string{}
	}
	if len(wish.RunState.LastEvents) == 0 { // of a session alone: what led to it
		wish.RunState.LastEvents = wish.Evidence
	}
	if wish.WIPAction == "" {
		wish.WIPAction = runevents.WIPFinishThenHalt
		if isHard(wish) {
			wish.WIPAction = runevents.WIPCommit
		}
	}
	if wish.Scope == runevents.ScopeRun { // of a session its layer says all there is (RW-35)
		t.explain(wish)
	}
}

// explain adds what the rule data say of a trigger.
func (t *settlement) explain(wish *runevents.WiggumBreak) {
	about := t.Breaks[string(wish.Trigger)]
	if about.Cause != "" {
		wish.Reason = sentence(wish.Reason) + " " + about.Cause
	}
	if wish.Present == "" {
		wish.Present = t.present(about.Present)
	}
	for _, o := range about.Options {
		if !slices.ContainsFunc(wish.Options, func(w runevents.Option) bool { return w.ID == o.ID }) {
			wish.Options = append(wish.Options, runevents.Option{ID: o.ID, Text: o.Text, Tradeoff: o.Tradeoff})
		}
	}
}

// present is what to show a person: the best result so far, or that the run
// needs another approach.
func (t *settlement) present(what string) string {
	switch {
	case what == "best" && t.state.Cycles.Best != nil:
		return strings.ReplaceAll(t.Present.Best, "{result}", t.state.Cycles.Best.String())
	case what == "best":
		return strings.ReplaceAll(t.Present.Best, "{result}", t.state.Place.result())
	case what == "approach":
		return t.Present.Approach
	}
	return ""
}

// result is what there is to show of a run without cycles.
func (p *Place) result() string {
	switch p.Tasks {
	case 0:
		return "what is committed"
	case 1:
		return "1 task completed"
	}
	return fmt.Sprintf("%d tasks completed", p.Tasks)
}

// open writes the control state that the break means (RW-33).
func (t *settlement) open(control *Control, wish *runevents.WiggumBreak, id string) {
	s := t.state
	replaced := control.Open
	control.Open = &Open{ID: id, Kind: wish.Kind, Trigger: wish.Trigger, Upgraded: wish.Upgrades, Event: t.in.Event.ID, Revert: wish.RevertSHA}
	if replaced != nil {
		control.Open.note(replaced.Trigger)
		for _, trigger := range replaced.Noted {
			control.Open.note(trigger)
		}
	}
	control.Who, control.Why = "", shortened(wish.Reason, t.Kept.Text)
	control.State = runevents.ControlDraining
	if isHard(wish) {
		control.State = runevents.ControlHalted
	}
	s.changed = true
	for _, session := range s.Sessions {
		if control == &s.Control || control == &session.Control {
			session.Drained, session.Ignored = false, 0
		}
	}
	if control == &s.Control && isHard(wish) {
		s.Checkpoint.stop()
	}
}

// report tells people of a break, once: where the layer that wished it escalates
// by itself, with the options it knows, that is the report. A break that
// replaces another replaces its report.
func (t *settlement) report(subject string, wish *runevents.WiggumBreak, id string, all []verdict.Conclusion) {
	s := t.state
	if wish.Upgrades != "" {
		s.Escalations = slices.DeleteFunc(s.Escalations, func(e Escalation) bool { return e.Break == wish.Upgrades })
	}
	layer := t.Breaks[string(wish.Trigger)].Layer
	for i := range all {
		own, is := all[i].Data.(*runevents.EscalationRaised)
		if is && own.Layer == layer && len(own.Options) > 0 && !t.raised(own, id) {
			t.raise(t.subject(all[i].Subject), own, id)
			all[i].Data = nil
		}
	}
	if slices.ContainsFunc(s.Escalations, func(e Escalation) bool { return e.Break == id }) {
		return
	}
	text := sentence(wish.Reason)
	if wish.Present != "" {
		text += " " + sentence(wish.Present)
	}
	if strings.Contains(wish.Present, wish.Reason) {
		text = sentence(wish.Present)
	}
	t.raise(subject, &runevents.EscalationRaised{
		Layer: layer, Issue: "break/" + string(wish.Trigger), To: toUser, Text: text, Options: slices.Clone(wish.Options),
		Run: s.Run, Session: wish.Session,
	}, id)
}

// raised reports whether an escalation of this event stands already; then it is
// the report of the break.
func (t *settlement) raised(own *runevents.EscalationRaised, broken string) bool {
	for i := range t.state.Escalations {
		if e := &t.state.Escalations[i]; e.Issue == own.Issue && e.Layer == own.Layer && slices.Contains(t.ids, e.ID) {
			e.Break = broken
			return true
		}
	}
	return false
}
