package intent

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

// play is a run of its own through the layer.
type play struct {
	t      testing.TB
	config *Config
	state  State
	n      int
}

func newPlay(t testing.TB) *play {
	t.Helper()
	c, err := LoadConfig(rules.Default())
	require.NoError(t, err)
	return &play{t: t, config: c}
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// say feeds one event and returns what the layer concludes.
func (p *play) say(typ events.Type, data any) []run.Conclusion {
	return p.as("", typ, data)
}

func (p *play) as(role events.Role, typ events.Type, data any) []run.Conclusion {
	p.n++
	e := events.Event{
		ID: fmt.Sprint("e", p.n), Source: "test", Type: typ, Subject: "r", PartitionKey: "r",
		Time: noon.Add(time.Duration(p.n) * time.Second), Data: data, Credential: role,
	}
	return p.feed(e, nil)
}

// feed lets an event through with what layers before this one concluded.
func (p *play) feed(e events.Event, before []run.Conclusion) []run.Conclusion {
	v := run.NewContext(step.Input{Event: e})
	for _, c := range before {
		v.ConcludeAbout(c.Subject, c.Type, c.Data)
	}
	p.config.Decide(&p.state, v)
	return v.Conclusions()
}

// codes are the codes and types of conclusions, timers left out.
func codes(list []run.Conclusion) []string {
	out := []string{}
	for _, c := range list {
		switch d := c.Data.(type) {
		case *runevents.WarningIssued:
			out = append(out, d.Code)
		case *runevents.ViolationDetected:
			out = append(out, d.Code)
		case *events.TimerSet:
		default:
			out = append(out, string(c.Type))
		}
	}
	return out
}

func find[T any](t testing.TB, list []run.Conclusion) T {
	t.Helper()
	for _, c := range list {
		if data, is := c.Data.(T); is {
			return data
		}
	}
	require.Fail(t, "not concluded", "%v", codes(list))
	var none T
	return none
}

func checkpoint(level string, rivals ...string) *runevents.IntentCheckpoint {
	return &runevents.IntentCheckpoint{
		Session: "s", Turn: 4, TaskType: "targeted_fix",
		Interpretation: "Answer 404.", AmbiguityLevel: level, RivalInterpretations: rivals,
	}
}

func council(level string) *runevents.CouncilCompleted {
	return &runevents.CouncilCompleted{RevisedAmbiguityLevel: level, FailureMode: "ambiguous", PrimaryInterpretationSurvived: true}
}

func edited(files ...string) *sessionevents.TurnEvaluated {
	return &sessionevents.TurnEvaluated{Session: "s", Run: "r", Turn: 1, Observed: &sessionevents.Observations{FilesEdited: files}}
}

func trigger(confirmation string) *runevents.RunStarted {
	return &runevents.RunStarted{Kind: "pipeline", Trigger: &runevents.Trigger{RequireIntentConfirmation: confirmation}}
}

// PL-31: the share of the greatest entropy, at its boundaries.
func TestSpread(t *testing.T) {
	for _, test := range []struct {
		clusters []int
		share    float64
		ok       bool
	}{
		{[]int{5}, 0, true},
		{[]int{1, 1, 1}, 1, true},
		{[]int{2, 2}, 0.5, true},
		{[]int{3, 3, 3}, 0.5, true},
		{[]int{4, 1}, 0.3109, true},
		{[]int{1, 1}, 0, false},
		{[]int{3, 0, -4}, 0, true},
		{nil, 0, false},
	} {
		share, ok := Spread(test.clusters, 3)
		require.Equal(t, test.ok, ok, "%v", test.clusters)
		require.InDelta(t, test.share, share, 1e-4, "%v", test.clusters)
	}
	c := newPlay(t).config
	for clusters, want := range map[string]Level{"[5]": Clear, "[4,1]": Uncertain, "[2,2]": Ambiguous, "[3,3,3]": Ambiguous, "[3,2]": Uncertain, "[1,1]": Clear} {
		var list []int
		require.NoError(t, json.Unmarshal([]byte(clusters), &list))
		level, _ := c.sampled(list)
		require.Equal(t, want, level, clusters)
	}
}

// PL-31: 2 signals are uncertain, 4 ambiguous; the worse of structure and
// self-report counts.
func TestLevels(t *testing.T) {
	c := newPlay(t).config
	for n, want := range []Level{Clear, Clear, Uncertain, Uncertain, Ambiguous, Ambiguous} {
		require.Equal(t, want, c.levelOf(n), n)
	}
	require.Equal(t, Clear, worse("", ""))
	require.Equal(t, Clear, worse("", "nonsense"))
	require.Equal(t, Clear, worse("nonsense", Clear))
	require.Equal(t, Ambiguous, worse(Ambiguous, Clear))
	require.Equal(t, Uncertain, worse(Clear, Uncertain))
}

// PL-33: always and ambiguous pause the run: no default, no timer, and the gate
// of the next phase holds until the answer.
func TestPause(t *testing.T) {
	p := newPlay(t)
	p.say(runevents.TypeRunStarted, trigger("always"))
	p.say(runevents.TypeIntentCheckpoint, checkpoint("ambiguous", "Answer 200."))
	out := p.say(runevents.TypeCouncilCompleted, council("ambiguous"))
	require.Equal(t, []string{"clarification.requested"}, codes(out))
	require.Len(t, out, 1, "no timer")
	asked := find[*runevents.ClarificationRequested](t, out)
	require.Empty(t, asked.Default)
	require.True(t, asked.Until.IsZero())

	gate := func(name runevents.Gate, decision runevents.GateDecision) *runevents.GateDecided {
		g := &runevents.GateDecided{Gate: name, Decision: decision, Rule: "PL-2"}
		p.feed(events.Event{ID: "gate", Type: runevents.TypePhaseStarted, Data: &runevents.PhaseStarted{Phase: "research"}}, []run.Conclusion{{Type: runevents.TypeGateDecided, Data: g}})
		return g
	}
	held := gate(runevents.GateNextPhase, runevents.DecisionAllow)
	require.Equal(t, "hold PL-33 operator", strings.Join([]string{string(held.Decision), held.Rule, string(held.WhoDecides)}, " "))
	require.Len(t, held.Options, 4)
	require.Equal(t, runevents.DecisionDeny, gate(runevents.GateNextPhase, runevents.DecisionDeny).Decision, "a denial stands")
	require.Equal(t, runevents.DecisionAllow, gate(runevents.GateSpawn, runevents.DecisionAllow).Decision)

	p.as(events.RoleOperator, runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{RequestID: asked.RequestID, Option: "A"})
	require.Equal(t, runevents.DecisionAllow, gate(runevents.GateNextPhase, runevents.DecisionAllow).Decision)
}

// PL-36: four options with evidence and effect, default A in four hours.
func TestClarification(t *testing.T) {
	p := newPlay(t)
	p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain", "Answer 200."))
	out := p.say(runevents.TypeCouncilCompleted, council("uncertain"))
	asked := find[*runevents.ClarificationRequested](t, out)
	var ids []string
	for _, o := range asked.Options {
		ids = append(ids, o.ID)
		require.NotEmpty(t, o.Text)
		require.NotEmpty(t, o.Evidence)
		require.NotEmpty(t, o.Effect)
	}
	require.Equal(t, []string{"A", "B", "proceed", "abandon"}, ids)
	require.Equal(t, "A", asked.Default)
	require.Equal(t, "2026-01-02T16:00:02Z", asked.Until.Format(time.RFC3339Nano))
	timer := find[*events.TimerSet](t, out)
	require.Equal(t, "intent.clarification."+asked.RequestID, timer.Name)
	require.Equal(t, asked.Until, timer.Due)

	answer := &runevents.ClarificationAnswered{RequestID: asked.RequestID, Option: "b", By: "mara"}
	require.Equal(t, []string{CodeAnswerRole}, codes(p.as(events.RolePublisher, runevents.TypeClarificationAnswered, answer)))
	require.NotNil(t, p.state.waiting(), "an answer without the credential changes nothing")

	steer := find[*sessionevents.InterruptFired](t, p.as(events.RoleOperator, runevents.TypeClarificationAnswered, answer))
	require.Equal(t, `s "Answer 200." PL-36 pipeline`, fmt.Sprint(steer.Session, " ", steer.Message, " ", steer.Detector, " ", steer.Layer))
	require.Contains(t, steer.Reason, "mara answered")
	require.Empty(t, codes(p.say(events.TypeTimerExpired, &events.TimerExpired{Name: timer.Name})), "no default after an answer")
}

func TestTheOperatorsWords(t *testing.T) {
	for _, test := range []struct{ option, text, want string }{
		{"A", "", `"Answer 404."`},
		{"", "Answer 410.", "Answer 410."},
		{"B", "Answer 410.", "Answer 410."},
		{"PROCEED", "", "Proceed with your best judgment and say which reading you chose."},
		{"abandon", "", "Abandon this task: stop here and leave what you have unmerged."},
	} {
		p := newPlay(t)
		p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain", "Answer 200."))
		asked := find[*runevents.ClarificationRequested](t, p.say(runevents.TypeCouncilCompleted, council("uncertain")))
		details, err := json.Marshal(map[string]string{"option": test.option, "text": test.text})
		require.NoError(t, err)
		byEvent := *p
		said := find[*sessionevents.InterruptFired](t, byEvent.as(events.RoleOperator, runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{RequestID: asked.RequestID, Option: test.option, Text: test.text}))
		require.Equal(t, test.want, said.Message)
		p.state.Requests = []Request{p.state.Requests[0]}
		p.state.Requests[0].Status = open
		acted := find[*sessionevents.InterruptFired](t, p.say(runevents.TypeOperatorAct, &runevents.OperatorAct{Act: "answer", Target: asked.RequestID, By: "mara", Details: details}))
		require.Equal(t, test.want, acted.Message, "operator.act answers as well")
	}
}

// The default comes once, whatever timers do, and never after the run is over.
func TestDefault(t *testing.T) {
	p := newPlay(t)
	p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain", "Answer 200."))
	out := p.say(runevents.TypeCouncilCompleted, council("uncertain"))
	timer := &events.TimerExpired{Name: find[*events.TimerSet](t, out).Name}
	require.Empty(t, codes(p.say(events.TypeTimerExpired, &events.TimerExpired{Name: "intent.clarification.other"})))
	require.Equal(t, []string{"clarification.defaulted"}, codes(p.say(events.TypeTimerExpired, timer)))
	require.Empty(t, codes(p.say(events.TypeTimerExpired, timer)), "twice")

	p = newPlay(t)
	p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain", "Answer 200."))
	timer.Name = find[*events.TimerSet](t, p.say(runevents.TypeCouncilCompleted, council("uncertain"))).Name
	p.say(runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"})
	require.Empty(t, codes(p.say(events.TypeTimerExpired, timer)))
}

// A council that finds the doubt of the ticket asks anew; the question before
// it is withdrawn.
func TestTheCouncilAsksAnew(t *testing.T) {
	p := newPlay(t)
	first := p.say(runevents.TypeTicketReceived, &runevents.TicketReceived{Title: "Improve error handling"})
	require.Equal(t, []string{CodeSubtypeA, "clarification.requested"}, codes(first))
	require.Empty(t, codes(p.say(runevents.TypeIntentCheckpoint, checkpoint("ambiguous", "Redesign the errors."))),
		"the operator is asked already (PL-34)")
	require.Equal(t, []string{CodeCouncilVague, "clarification.requested"},
		codes(p.say(runevents.TypeCouncilCompleted, council("uncertain"))))
	require.Empty(t, codes(p.say(events.TypeTimerExpired, &events.TimerExpired{Name: find[*events.TimerSet](t, first).Name})))
}

// A ticket that came twice is one; one that was written anew settles the question.
func TestTicketWrittenAnew(t *testing.T) {
	p := newPlay(t)
	vague := &runevents.TicketReceived{Title: "Improve error handling"}
	require.Equal(t, []string{CodeSubtypeA, "clarification.requested"}, codes(p.say(runevents.TypeTicketReceived, vague)))
	require.Empty(t, codes(p.say(runevents.TypeTicketReceived, vague)))
	require.NotNil(t, p.state.waiting())
	require.Empty(t, codes(p.say(runevents.TypeTicketReceived, &runevents.TicketReceived{Title: "Return 404 for unknown users", AcceptanceCriteria: []string{"404"}})))
	require.Nil(t, p.state.waiting())
}

// A revised checkpoint climbs the ladder again only if it is less sure.
func TestRevision(t *testing.T) {
	p := newPlay(t)
	require.Equal(t, []string{CodeUncertain}, codes(p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain"))))
	require.Empty(t, codes(p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain"))))
	require.Equal(t, []string{CodeAmbiguous}, codes(p.say(runevents.TypeIntentCheckpoint, checkpoint("ambiguous"))))
	p.say(runevents.TypeCouncilCompleted, council("clear"))
	late := checkpoint("clear")
	late.Turn = 9
	require.Empty(t, codes(p.say(runevents.TypeIntentCheckpoint, late)), "a revision after the council comes when it comes (PL-32)")
}

// PL-32: where the checkpoint does not say its turn, the session's count decides,
// with the turn that is not over yet.
func TestTurnByTheSession(t *testing.T) {
	for turn, want := range map[int][]string{0: {}, 1: {CodeCheckpointTurn}, 2: {}, 5: {}, 6: {CodeCheckpointTurn}} {
		p := newPlay(t)
		p.say(runevents.TypeRunStarted, &runevents.RunStarted{Kind: "pipeline"})
		if turn > 0 {
			p.say(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Run: "r", Turn: turn})
		}
		c := checkpoint("clear")
		c.Turn = 0
		require.Equal(t, want, codes(p.say(runevents.TypeIntentCheckpoint, c)), turn)
	}
}

// PL-32 is about the checkpoint's session.
func TestEditsOfAnotherSession(t *testing.T) {
	p := newPlay(t)
	other := edited("a.go")
	other.Session = "other"
	p.say(sessionevents.TypeTurnEvaluated, other)
	require.Empty(t, codes(p.say(runevents.TypeIntentCheckpoint, checkpoint("clear"))))
}

// Runs that do not use the layer cost nothing but the place of the first edit.
func TestOtherRuns(t *testing.T) {
	p := newPlay(t)
	p.say(runevents.TypeRunStarted, &runevents.RunStarted{Kind: "build", Goal: "x"})
	p.say(runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "implementation"})
	p.say(sessionevents.TypeTurnEvaluated, edited("a.go"))
	p.say(sessionevents.TypeTurnEvaluated, edited("b.go"))
	p.say(runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"})
	require.Equal(t, State{FirstEdit: &Edit{Event: "e3", Session: "s", Path: "a.go"}}, p.state)
	alone := newPlay(t)
	alone.say(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Observed: &sessionevents.Observations{FilesEdited: []string{"a.go"}}})
	require.Equal(t, State{}, alone.state, "a session without a run")
}

// PL-39: the log and the tally, and what is emitted of them event by event.
func TestCalibration(t *testing.T) {
	p := newPlay(t)
	var log Log
	both := func(role events.Role, typ events.Type, data any) {
		before := p.state.Mark()
		p.as(role, typ, data)
		var judged runevents.RunJudged
		p.state.Since(before, &judged)
		require.NotNil(t, judged.Calibration, typ)
		log.Tally = judged.Calibration.Tally
		log.Entries = append(log.Entries, judged.Calibration.Entries...)
		log.Misread = append(log.Misread, judged.Calibration.Misread...)
	}
	both("", runevents.TypeTicketReceived, &runevents.TicketReceived{Title: "Improve error handling"})
	c := checkpoint("uncertain", "Redesign.")
	c.ConfidenceBreakdown = map[string]any{"tier0Injected": true}
	both("", runevents.TypeIntentCheckpoint, c)
	both("", runevents.TypeCouncilCompleted, council("uncertain"))
	both(events.RoleOperator, runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{RequestID: p.state.waiting().ID, Option: "B"})
	both("", runevents.TypeAssumptionsStated, &runevents.AssumptionsStated{Assumptions: []runevents.Assumption{{Assumption: "x", Status: "contradicted"}}})
	both("", runevents.TypeReviewCompleted, &runevents.ReviewCompleted{Reviewer: "r", Findings: []runevents.Finding{{ID: "f", Category: "Intent"}}})
	both("", runevents.TypeCalibrationRecorded, &runevents.CalibrationRecorded{Outcome: "merged", Correction: "B", Subtype: "A", Verdict: "blocking", InterpretationFindings: []string{"f"}})
	both("", runevents.TypeCalibrationRecorded, &runevents.CalibrationRecorded{Outcome: "merged", Correction: "B", Subtype: "B", InterpretationFindings: []string{"f"}})

	got := p.state.Log
	require.Equal(t, Tally{TicketsA: 1, ContradictedB: 1, RecordedA: 1, RecordedB: 1}, got.Tally)
	require.Equal(t, got.Tally, log.Tally)
	var kinds []string
	for _, e := range got.Entries {
		kinds = append(kinds, string(e.What))
	}
	require.Equal(t, []string{"checkpoint", "council", "correction", "result", "result"}, kinds)
	require.JSONEq(t, `{"tier0Injected":true}`, string(got.Entries[0].Breakdown))
	require.Equal(t, []string{"f"}, got.Misread)
	require.Equal(t, got, log)
	var nothing runevents.RunJudged
	p.state.Since(p.state.Mark(), &nothing)
	require.True(t, nothing.Empty())
}

// PL-38: in the evaluator, a contradicted assumption is Subtype B.
func TestContradicted(t *testing.T) {
	c := newPlay(t).config
	v := run.NewContext(step.Input{Event: events.Event{ID: "e", Type: runevents.TypeAssumptionsStated, Data: &runevents.AssumptionsStated{Session: "s", Assumptions: []runevents.Assumption{
		{Assumption: "confirmed", Status: "confirmed"}, {Assumption: "one caller", Evidence: "api.go:12 calls it too", Status: "contradicted"}, {Assumption: "open", Status: "unchecked"},
	}}}})
	c.Signal(v)
	require.Len(t, v.Conclusions(), 1)
	s := v.Conclusions()[0].Data.(*sessionevents.Signal)
	require.Equal(t, "pipeline PL-38 B one caller s [e]", fmt.Sprint(s.Layer, " ", s.Detector, " ", s.Subclass, " ", s.Subject, " ", s.Session, " ", s.Events))
	require.LessOrEqual(t, len(strings.Fields(s.Message)), 40)
}

func TestConfigRefusesWhatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"intent:\n  levels: {uncertain: 4, ambiguous: 2}\n":          "must not be below",
		"intent:\n  checkpoint: {first_turn: 5, last_turn: 3}\n":     "must not be before",
		"intent:\n  clarification: {timeout: 1s}\n":                  "less than a minute",
		"intent:\n  clarification: {default: C}\n":                   "not allowed",
		"ambiguity:\n  weak_modals:\n    - {id: x, variants: ['(']}": "mine.yaml:3: ambiguity.weak_modals.x: ",
	} {
		set, err := rules.Load("mine.yaml", []byte(text))
		require.NoError(t, err)
		_, err = LoadConfig(set)
		require.ErrorContains(t, err, want, text)
	}
}
