package policy

import (
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Issue is a step of the ladder (RW-40): a shadow or a breached boundary. The
// group of a project hears of issues of several runs.
type Issue struct {
	Run   string              `json:"run,omitempty"`
	Layer sessionevents.Layer `json:"layer"`
	Issue string              `json:"issue"`
	Count int                 `json:"count"`
}

// Repeats are the times one shadow was seen in one cycle (RW-30).
type Repeats struct {
	Issue  string   `json:"issue"`
	Cycle  int      `json:"cycle,omitempty"`
	Count  int      `json:"count"`
	Events []string `json:"events,omitempty"`
}

// signal is RW-40: what was seen is corrected, then acted on, then a person's.
// Signals of sessions have the interrupt budget instead.
func (f *fold) signal(data *sessionevents.Signal) {
	switch data.Layer {
	case sessionevents.LayerArchetype, sessionevents.LayerSystem, sessionevents.LayerPolicy:
	default:
		return
	}
	if data.Suppressed != "" {
		return
	}
	if data.Run == f.in.Event.Group() {
		f.state.hear(data.Run)
	}
	issue := f.issue(data)
	issue.Count++
	broken := f.repeatedShadow(data)
	switch {
	case issue.Count == 1:
		f.correct(data, 1, "correct", data.Message, f.recipient(data))
	case issue.Count == 2:
		f.secondStep(data)
	case !broken && !f.awaited(issue):
		f.escalate(data, issue.Count)
	}
}

func (f *fold) issue(data *sessionevents.Signal) *Issue {
	s := f.state
	for i := range s.Ladder {
		if one := &s.Ladder[i]; one.Issue == data.Subject && one.Layer == data.Layer && one.Run == data.Run {
			return one
		}
	}
	s.Ladder = keepLast(append(s.Ladder, Issue{Run: data.Run, Layer: data.Layer, Issue: data.Subject}), f.Kept.Issues)
	return &s.Ladder[len(s.Ladder)-1]
}

// repeatedShadow is RW-30: the same shadow too often in one cycle.
func (f *fold) repeatedShadow(data *sessionevents.Signal) bool {
	if data.Layer != sessionevents.LayerArchetype {
		return false
	}
	cycle := data.Cycle
	if cycle <= 0 {
		cycle = f.state.Place.Cycle
	}
	s := f.state
	at := slices.IndexFunc(s.Shadows, func(r Repeats) bool { return r.Issue == data.Subject && r.Cycle == cycle })
	if at < 0 {
		s.Shadows = keepLast(append(s.Shadows, Repeats{Issue: data.Subject, Cycle: cycle}), f.Kept.Issues)
		at = len(s.Shadows) - 1
	}
	seen := &s.Shadows[at]
	seen.Count++
	seen.Events = keepLast(append(seen.Events, f.in.Event.ID), f.RepeatedShadow)
	if seen.Count < f.RepeatedShadow {
		return false
	}
	f.breaks(runevents.TriggerRepeatedShadow, fmt.Sprintf("%s was seen %d times in %s, the last time: %s", title(data), seen.Count, cycleName(cycle), sentence(data.Reason)), seen.Events)
	return true
}

// recipient is who can correct it: the agent whose behaviour it is, else the
// orchestrator; prompts and budgets are the orchestrator's.
func (f *fold) recipient(data *sessionevents.Signal) runevents.Recipient {
	if data.AgentID == "" || data.Layer == sessionevents.LayerPolicy {
		return runevents.Recipient{Kind: toOrchestrator}
	}
	to := runevents.Recipient{Kind: "agent", ID: data.AgentID, Session: data.Session}
	switch {
	case f.observe:
		to.Session = "" // reported, and nowhere delivered (DP-25)
	case to.Session == "":
		to.Session = f.state.sessionOf(data.AgentID)
	}
	return to
}

func (f *fold) correct(data *sessionevents.Signal, step int, action, text string, target runevents.Recipient) {
	subject := data.Run
	if target.Session != "" { // who listens for a session hears of it
		subject = target.Session
	}
	f.v.TellAbout(subject, runevents.TypeCorrectionIssued, &runevents.CorrectionIssued{
		Layer: data.Layer, Issue: data.Subject, Step: step, Action: action, Text: text, Target: target, Cause: data.ID,
		Rule: data.Detector, Reason: data.Reason,
	})
}

// secondStep: the correction did not help.
func (f *fold) secondStep(data *sessionevents.Signal) {
	switch data.Layer {
	case sessionevents.LayerArchetype:
		f.correct(data, 2, "replace", filled(f.Ladder.Archetype.Replace, data), runevents.Recipient{Kind: toOrchestrator})
	case sessionevents.LayerSystem:
		text := filled(f.Ladder.System.Pause, data)
		f.correct(data, 2, "pause", text, runevents.Recipient{Kind: toUser})
		f.pause(data.Run, text)
	case sessionevents.LayerPolicy:
		text := filled(f.Ladder.Policy.Stop, data)
		f.correct(data, 2, "stop", text, runevents.Recipient{Kind: toOrchestrator})
		if data.Run == f.state.Run {
			f.breaks(runevents.TriggerCheckpoint, fmt.Sprintf("Force stop with clean state, %s for the second time: %s", title(data), sentence(data.Reason)), []string{f.in.Event.ID})
		}
	}
}

func (f *fold) pause(run, why string) {
	s := f.state
	if run == s.Run && s.Control.State == runevents.ControlRunning {
		s.Control.State, s.Control.Why, s.Control.Who = runevents.ControlPaused, why, ""
		s.Checkpoint.stop()
		s.changed = true
	}
}

func (f *fold) escalate(data *sessionevents.Signal, count int) {
	what := map[sessionevents.Layer]string{
		sessionevents.LayerArchetype: f.Ladder.Archetype.Escalate,
		sessionevents.LayerSystem:    f.Ladder.System.Escalate,
		sessionevents.LayerPolicy:    f.Ladder.Policy.Escalate,
	}[data.Layer]
	f.v.Escalate(runevents.EscalationRaised{
		Layer: data.Layer, Issue: data.Subject, To: toUser, Run: data.Run,
		Text: fmt.Sprintf("%s was seen %d times, the last time: %s Neither step before it helped: %s.", title(data), count, sentence(data.Reason), what),
	})
}

// awaited reports whether a person has been asked already and not answered.
func (f *fold) awaited(issue *Issue) bool {
	return slices.ContainsFunc(f.state.Escalations, func(e Escalation) bool {
		return e.Layer == issue.Layer && e.Issue == issue.Issue && e.Run == issue.Run
	})
}

// Recipients of corrections and escalations.
const (
	toUser         = "user"
	toOrchestrator = "orchestrator"
)

func filled(text string, data *sessionevents.Signal) string {
	agent := data.AgentID
	if agent == "" {
		agent = "the agent"
	}
	return strings.NewReplacer("{issue}", title(data), "{agent}", agent, "{reason}", sentence(data.Reason), "{text}", data.Message).Replace(text)
}

// title is an issue as people read it: "RW-11 (echo chamber)".
func title(data *sessionevents.Signal) string {
	_, name, named := strings.Cut(data.Subject, "/")
	if !named {
		name = data.Subject
	}
	if name = strings.ReplaceAll(name, "_", " "); data.Detector == "" {
		return name
	}
	return data.Detector + " (" + name + ")"
}
