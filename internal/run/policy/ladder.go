package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Issue is an issue on the ladder (RW-40): a shadow or a breached boundary. The group of
// a project has issues of several runs.
type Issue struct {
	Run   string              `json:"run,omitempty"`
	Layer sessionevents.Layer `json:"layer"`
	Issue string              `json:"issue"`
	Count int                 `json:"count"`
}

// onLadder reports whether a signal belongs on the ladder (RW-40). Signals of sessions
// use the interrupt budget instead.
func onLadder(data *sessionevents.Signal) bool {
	switch data.Layer {
	case sessionevents.LayerArchetype, sessionevents.LayerSystem, sessionevents.LayerPolicy:
		return data.Suppressed == ""
	}
	return false
}

// issueSeen counts an issue (RW-40).
var issueSeen = Rule{ID: "RW-40", Folds: true, On: run.Types(sessionevents.TypeSignalDetected), Run: run.With(func(c *Context, data *sessionevents.Signal) {
	if !onLadder(data) {
		return
	}
	if data.Run == c.Event.Group() {
		c.state.Begin(data.Run)
	}
	s := c.state
	if s.issue(data) == nil {
		s.Ladder = text.Newest(append(s.Ladder, Issue{Run: data.Run, Layer: data.Layer, Issue: data.Subject}), c.config.Kept.Issues)
	}
	s.issue(data).Count++
})}

// issue returns the issue of a signal, nil if it is unknown.
func (s *State) issue(data *sessionevents.Signal) *Issue {
	for i := range s.Ladder {
		if one := &s.Ladder[i]; one.Issue == data.Subject && one.Layer == data.Layer && one.Run == data.Run {
			return one
		}
	}
	return nil
}

// ladder is RW-40: an issue is corrected first, then acted on, then escalated to a
// person. A shadow that breaks the run is reported with the break.
var ladder = Rule{ID: "RW-40", On: run.Types(sessionevents.TypeSignalDetected), Run: run.With(func(c *Context, data *sessionevents.Signal) {
	if !onLadder(data) {
		return
	}
	issue, s := c.state.issue(data), sighting{c, data}
	switch {
	case issue.Count == 1:
		s.correct(1, runevents.CorrectionCorrect, data.Message, s.recipient())
	case issue.Count == 2:
		s.secondStep()
	case !s.repeatedTooOften() && !c.state.awaited(issue):
		s.escalate(issue.Count)
	}
})}

// sighting is a signal that shows an issue.
type sighting struct {
	*Context
	data *sessionevents.Signal
}

// recipient returns who can correct an issue: the agent it is about, or else the
// orchestrator, which is responsible for prompts and budgets.
func (s sighting) recipient() runevents.Recipient {
	if s.data.AgentID == "" || s.data.Layer == sessionevents.LayerPolicy {
		return runevents.Recipient{Kind: runevents.RecipientOrchestrator}
	}
	to := runevents.Recipient{Kind: runevents.RecipientAgent, ID: s.data.AgentID, Session: s.data.Session}
	switch {
	case s.config.ObserveOnly:
		to.Session = "" // reported but not delivered (DP-25)
	case to.Session == "":
		to.Session = s.state.SessionOf(s.data.AgentID)
	}
	return to
}

func (s sighting) correct(step int, action runevents.CorrectionAction, text string, target runevents.Recipient) {
	subject := s.data.Run
	if target.Session != "" { // subscribers of the session receive it
		subject = target.Session
	}
	s.ConcludeAbout(subject, runevents.TypeCorrectionIssued, &runevents.CorrectionIssued{
		Layer: s.data.Layer, Issue: s.data.Subject, Step: step, Action: action, Text: text, Target: target, Cause: s.data.ID,
		Rule: s.data.Detector, Reason: s.data.Reason,
	})
}

// secondStep acts on an issue whose correction did not help.
func (s sighting) secondStep() {
	switch s.data.Layer {
	case sessionevents.LayerArchetype:
		s.correct(2, runevents.CorrectionReplace, filled(s.config.Ladder.Archetype.Replace, s.data), runevents.Recipient{Kind: runevents.RecipientOrchestrator})
	case sessionevents.LayerSystem:
		text := filled(s.config.Ladder.System.Pause, s.data)
		s.correct(2, runevents.CorrectionPause, text, runevents.Recipient{Kind: runevents.RecipientUser})
		s.state.pause(s.data.Run, text)
	case sessionevents.LayerPolicy:
		text := filled(s.config.Ladder.Policy.Stop, s.data)
		s.correct(2, runevents.CorrectionStop, text, runevents.Recipient{Kind: runevents.RecipientOrchestrator})
		if s.data.Run == s.state.Run {
			s.requestBreak(runevents.TriggerCheckpoint, fmt.Sprintf("Force stop with clean state, %s for the second time: %s", title(s.data), settle.Sentence(s.data.Reason)), []string{s.Event.ID})
		}
	}
}

func (s *State) pause(run, why string) {
	if run == s.Run && s.Control.State == runevents.ControlRunning {
		s.Control.State, s.Control.Why, s.Control.Who = runevents.ControlPaused, why, ""
		s.Checkpoint.stop()
		s.Changed()
	}
}

func (s sighting) escalate(count int) {
	what := map[sessionevents.Layer]string{
		sessionevents.LayerArchetype: s.config.Ladder.Archetype.Escalate,
		sessionevents.LayerSystem:    s.config.Ladder.System.Escalate,
		sessionevents.LayerPolicy:    s.config.Ladder.Policy.Escalate,
	}[s.data.Layer]
	s.Escalate(runevents.EscalationRaised{
		Layer: s.data.Layer, Issue: s.data.Subject, To: runevents.RecipientUser, Run: s.data.Run,
		Text: fmt.Sprintf("%s was seen %d times, the last time: %s Neither step before it helped: %s.", title(s.data), count, settle.Sentence(s.data.Reason), what),
	})
}

// awaited reports whether a question to a person is unanswered.
func (s *State) awaited(issue *Issue) bool {
	return slices.ContainsFunc(s.Escalations, func(e settle.Escalation) bool {
		return e.Layer == issue.Layer && e.Issue == issue.Issue && e.Run == issue.Run
	})
}

func filled(text string, data *sessionevents.Signal) string {
	agent := data.AgentID
	if agent == "" {
		agent = "the agent"
	}
	return strings.NewReplacer("{issue}", title(data), "{agent}", agent, "{reason}", settle.Sentence(data.Reason), "{text}", data.Message).Replace(text)
}

// title describes an issue for people: "RW-11 (echo chamber)".
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
