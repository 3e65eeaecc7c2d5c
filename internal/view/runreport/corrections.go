package runreport

import (
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Correction is a corrective action and whether it helped (RW-42).
type Correction struct {
	Event   string                     `json:"event"`
	Time    time.Time                  `json:"time"`
	Layer   sessionevents.Layer        `json:"layer"`
	Issue   string                     `json:"issue"`
	Step    int                        `json:"step"`
	Action  runevents.CorrectionAction `json:"action"` // correct, replace, pause, stop; escalate: a person was asked
	Text    string                     `json:"text"`
	Target  string                     `json:"target,omitempty"`
	Outcome string                     `json:"outcome"`
	Again   []string                   `json:"again"`              // the signals of the same issue since
	Tested  string                     `json:"occasion,omitempty"` // the first event that could have shown it again
}

// Effectiveness sums up one action over all issues (RW-42).
type Effectiveness struct {
	Action   runevents.CorrectionAction `json:"action"`
	Issued   int                        `json:"issued"`
	Recurred int                        `json:"recurred"`
	Held     int                        `json:"held"`
	Untested int                        `json:"untested"`
	Open     int                        `json:"open"`
}

// Share returns the share of judged actions that held; ok is false if none was judged.
func (e Effectiveness) Share() (share float64, ok bool) {
	judged := e.Held + e.Recurred
	if judged == 0 {
		return 0, false
	}
	return float64(e.Held) / float64(judged), true
}

// saying is what a corrective action says, and to whom.
type saying struct{ text, target string }

func (f decided) corrected(ev events.Event, d *runevents.CorrectionIssued) {
	f.ran = true
	f.moment(ev, "correction ("+string(d.Action)+"): "+quote.Path(d.Issue), d.Text)
	f.say(d.Text, target(d.Target))
}

func target(to runevents.Recipient) string {
	if to.ID == "" {
		return string(to.Kind)
	}
	return string(to.Kind) + " " + to.ID
}

// say keeps the words of the corrective action that the event took, if it took one.
func (f decided) say(text, target string) {
	if len(f.remedies.Corrections) > len(f.said) {
		f.said = append(f.said, saying{f.settings.short(text), target})
	}
}

// corrections returns the corrective actions with their outcome so far.
func (f decided) corrections() []Correction {
	out := []Correction{}
	for i, said := range f.said {
		c := f.remedies.Corrections[i]
		out = append(out, Correction{
			Event: c.Event, Time: c.Time, Layer: c.Layer, Issue: c.Issue, Step: c.Step, Action: c.Action, Text: said.text, Target: said.target,
			Outcome: f.remedies.Helped(&c), Again: append([]string{}, c.Again...), Tested: c.Tested,
		})
	}
	return out
}

// effectiveness sums up, the actions in the order of the ladder.
func effectiveness(list []Correction) []Effectiveness {
	out := []Effectiveness{}
	for _, action := range []runevents.CorrectionAction{runevents.CorrectionCorrect, runevents.CorrectionReplace, runevents.CorrectionPause, runevents.CorrectionStop, ActionEscalate} {
		e := Effectiveness{Action: action}
		for _, c := range list {
			if c.Action == action {
				e.count(c.Outcome)
			}
		}
		if e.Issued > 0 {
			out = append(out, e)
		}
	}
	return out
}

func (e *Effectiveness) count(outcome string) {
	e.Issued++
	switch outcome {
	case Recurred:
		e.Recurred++
	case Held:
		e.Held++
	case Untested:
		e.Untested++
	default:
		e.Open++
	}
}

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
