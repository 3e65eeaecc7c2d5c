package pipeline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

var loaded = func() *Config {
	config, err := LoadConfig(rules.Default())
	if err != nil {
		panic(err)
	}
	return config
}()

var beginning = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// story plays events against states of groups, as the dispatcher does; relays
// and timers go where they belong.
type story struct {
	t      require.TestingT
	config *Config
	groups map[string]*State
	now    time.Time
	count  int
	waits  []waiting
	// snapshots: every state goes through JSON after every event.
	snapshots bool
}

type waiting struct {
	group, subject, name string
	due                  time.Time
	details              json.RawMessage
}

func newStory(t require.TestingT) *story {
	config := *loaded
	return &story{t: t, config: &config, groups: map[string]*State{}, now: beginning}
}

// tell plays one event of a run and returns what was concluded, a line each.
func (s *story) tell(run string, typ events.Type, data any) []string {
	s.now = s.now.Add(time.Second)
	lines := s.elapse()
	lines = append(lines, s.feed(run, run, typ, data)...)
	return append(lines, s.elapse()...)
}

// after lets time pass before the next event.
func (s *story) after(d time.Duration) *story {
	s.now = s.now.Add(d - time.Second)
	return s
}

func (s *story) elapse() []string {
	var out []string
	for {
		next := -1
		for i, w := range s.waits {
			if !w.due.After(s.now) && (next < 0 || w.due.Before(s.waits[next].due)) {
				next = i
			}
		}
		if next < 0 {
			return out
		}
		w := s.waits[next]
		s.waits = append(s.waits[:next:next], s.waits[next+1:]...)
		out = append(out, s.feed(w.group, w.subject, events.TypeTimerExpired, &events.TimerExpired{Name: w.name, Due: w.due, Details: w.details})...)
	}
}

func (s *story) feed(group, subject string, typ events.Type, data any) []string {
	s.count++
	state := s.groups[group]
	if state == nil {
		state = &State{}
		s.groups[group] = state
	}
	e := events.Event{ID: fmt.Sprintf("e%d", s.count), Source: "test", Type: typ, Subject: subject, PartitionKey: group, Time: s.now, Data: data}
	e.Credential = events.ClaimedRole(e)
	v := run.NewContext(step.Input{Event: e})
	s.config.Decide(state, v)
	if s.snapshots {
		text, err := json.Marshal(state)
		require.NoError(s.t, err)
		s.groups[group] = &State{}
		require.NoError(s.t, json.Unmarshal(text, s.groups[group]))
	}
	var out []string
	for _, c := range v.Conclusions() {
		if timer, is := c.Data.(*events.TimerSet); is {
			s.set(group, subject, timer)
			continue
		}
		out = append(out, line(c))
	}
	return out
}

func (s *story) set(group, subject string, timer *events.TimerSet) {
	if timer.Group != "" {
		group = timer.Group
	}
	s.waits = append(s.waits, waiting{group, subject, timer.Name, timer.Due, timer.Details})
}

func line(c run.Conclusion) string {
	about := ""
	if c.Subject != "" {
		about = " about " + c.Subject
	}
	switch d := c.Data.(type) {
	case *runevents.GateDecided:
		ahead := ""
		if d.Ahead {
			ahead = " ahead"
		}
		return fmt.Sprintf("gate %s %s %s%s: %s", d.Gate, d.Decision, d.Rule, ahead, d.Why)
	case *runevents.ViolationDetected:
		return fmt.Sprintf("V %s %s%s: %s%s", d.Rule, d.Code, about, d.What, shown(d.Evidence))
	case *runevents.WarningIssued:
		return fmt.Sprintf("W %s %s%s: %s%s", d.Rule, d.Code, about, d.What, shown(d.Evidence))
	case *runevents.EscalationRaised:
		return fmt.Sprintf("escalation to %s %s: %s", d.To, d.Issue, d.Text)
	case *sessionevents.InterruptFired:
		return fmt.Sprintf("interrupt%s %s: %s", about, d.Detector, d.Message)
	}
	return fmt.Sprintf("%s %T", c.Type, c.Data)
}

func shown(evidence []runevents.Reference) string {
	var out []string
	for _, e := range evidence {
		out = append(out, strings.TrimSuffix(e.Event+" "+e.Path, " "))
	}
	return " [" + strings.Join(out, ", ") + "]"
}

// loud are the conclusions that are more than an open gate.
func loud(lines []string) []string {
	var out []string
	for _, l := range lines {
		if !strings.HasPrefix(l, "gate ") || !strings.Contains(l, " allow ") {
			out = append(out, l)
		}
	}
	return out
}

func artifact(t require.TestingT, text string) runevents.Artifact {
	var a runevents.Artifact
	require.NoError(t, json.Unmarshal([]byte(text), &a))
	return a
}

const (
	discovery = `{"kind":"wr.discovery_handoff","version":1,"selectedDirection":"retry in the client","designDocPath":"docs/retry.md","confidenceBand":"high","keyInvariants":["one charge a payment"]}`
	shaping   = `{"kind":"wr.shaping_handoff","version":1,"pitchPath":"docs/pitch.md","selectedShape":"a wrapper","appetite":"small","keyConstraints":[],"rabbitHoles":[],"outOfScope":[],"validationChecklist":["charges once","gives up after three"]}`
	coding    = `{"kind":"wr.coding_handoff","version":1,"branchName":"retry","keyDecisions":["wrapper"],"knownLimitations":[],"testsAdded":["TestRetry"],"filesChanged":["pay.go"]}`
	review    = `{"kind":"wr.review_verdict","version":1,"verdict":"clean","confidence":"high","findings":[],"summary":"as shaped"}`
)

func pipelineRun() *runevents.RunStarted {
	return &runevents.RunStarted{Kind: "pipeline", Goal: "Retry failed charges"}
}

func started(phase, contract string) *runevents.PhaseStarted {
	return &runevents.PhaseStarted{Phase: phase, ContractRef: contract}
}

func (s *story) completed(phase, contract, notes string, documents ...string) *runevents.PhaseCompleted {
	d := &runevents.PhaseCompleted{Phase: phase, ContractRef: contract, Notes: notes}
	for _, text := range documents {
		d.Artifacts = append(d.Artifacts, artifact(s.t, text))
	}
	return d
}

// A clean run says nothing but that gates are open.
func TestCleanRunIsSilent(t *testing.T) {
	s := newStory(t)
	var all []string
	tell := func(typ events.Type, data any) { all = append(all, s.tell("run", typ, data)...) }
	tell(runevents.TypeRunStarted, &runevents.RunStarted{Kind: "pipeline", Workspace: "shop", Goal: "Retry failed charges"})
	tell(runevents.TypePhaseStarted, started("discovery", "wr.discovery_handoff"))
	tell(runevents.TypePhaseCompleted, s.completed("discovery", "", "found it", discovery))
	tell(runevents.TypePhaseStarted, started("shaping", "wr.contracts.shaping_handoff"))
	tell(runevents.TypePhaseCompleted, s.completed("shaping", "", "", shaping))
	tell(runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "coding", Workflow: "wr.coding-task"})
	tell(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Run: "run", Turn: 1, Observed: &sessionevents.Observations{FilesEdited: []string{"pay.go"}}})
	tell(runevents.TypeGitCommit, &runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorInfra}, SHA: "1", Files: []string{"pay.go"}})
	tell(runevents.TypePhaseCompleted, s.completed("coding", "", "", coding))
	tell(runevents.TypeAgentSpawned, &runevents.AgentSpawned{AgentID: "critic", Role: "adversarial", Mode: "blind", DeclaredInputs: []string{"diff", "tier0"}, ContextKeys: []string{"diff", "tier0"}})
	tell(runevents.TypeReviewCompleted, &runevents.ReviewCompleted{Reviewer: "critic", Verdict: "clean", Checklist: []runevents.ChecklistItem{{Item: "charges once", Result: "passed"}, {Item: "gives up after three", Result: "unverifiable"}}})
	tell(runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "review", Workflow: "mr-review"})
	tell(runevents.TypePhaseCompleted, s.completed("review", "", "", review))
	tell(runevents.TypeScopeChecked, &runevents.ScopeChecked{Criteria: []runevents.Criterion{{Criterion: "a", Status: "met", Evidence: "pay.go"}}, CriteriaSource: "ticket"})
	tell(runevents.TypeGateRequested, &runevents.GateRequested{Gate: "merge"})
	tell(runevents.TypeMergeCompleted, &runevents.MergeCompleted{SHA: "2"})
	tell(runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"})
	require.Empty(t, loud(all))
	require.Len(t, all, 6, "an answer for each that asks: %v", all)
	require.Equal(t, []Evaluation{{Agent: "critic", Role: "adversarial", Mode: "blind", Verdict: "clean", Event: "e12"}}, s.groups["run"].Run.Judged)
}
