package intent

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// PL-32: who builds something names another reading of the task.
func TestRivals(t *testing.T) {
	for name, test := range map[string]struct {
		task   string
		rivals []string
		want   []string
	}{
		"feature without":     {"feature", nil, []string{CodeNoRival}},
		"refactor, blank":     {"refactor", []string{" "}, []string{CodeNoRival}},
		"feature, its own":    {"feature", []string{"answer 404."}, []string{CodeNoRival}},
		"feature with one":    {"feature", []string{"Answer 200 with an empty body."}, []string{}},
		"a fix needs none":    {"targeted_fix", nil, []string{}},
		"nobody says of what": {"", nil, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			c := checkpoint("clear", test.rivals...)
			c.TaskType = test.task
			require.Equal(t, test.want, codes(p.say(runevents.TypeIntentCheckpoint, c)))
		})
	}
}

// PL-31: plans that were made independently of each other.
func TestPlansThatDisagree(t *testing.T) {
	for said, want := range map[any][]string{
		"inconsistent": {CodeUncertain}, "they diverge": {CodeUncertain}, false: {CodeUncertain},
		"consistent": {}, " Agree ": {}, true: {}, "": {}, 3.5: {},
	} {
		p := newPlay(t)
		c := checkpoint("clear")
		c.PlanConsistency = said
		require.Equal(t, want, codes(p.say(runevents.TypeIntentCheckpoint, c)), "%v", said)
	}
}

// PL-38a: what was looked at before the checkpoint.
func TestEnoughContext(t *testing.T) {
	clear := &runevents.TicketReceived{
		Title:              "Return 404 for unknown users",
		AcceptanceCriteria: []string{"GET /users/unknown answers 404"},
	}
	open := &runevents.TicketReceived{Title: "Return 404 for unknown users"} // without criteria
	tiers := func(sections ...runevents.ContextSection) *runevents.ContextAssembled {
		return &runevents.ContextAssembled{Sections: append(sections, runevents.ContextSection{
			Name: "adr",
			Tier: new(0),
		})}
	}
	given := func(fields map[string]any) *runevents.IntentCheckpoint {
		c := checkpoint("clear")
		c.ConfidenceBreakdown = fields
		return c
	}
	epic := runevents.ContextSection{Name: "epic", Tier: new(1)}
	chat := func(status string) runevents.ContextSection {
		return runevents.ContextSection{Name: "chat", Tier: new(2), Status: status}
	}
	for name, test := range map[string]struct {
		ticket  *runevents.TicketReceived
		context *runevents.ContextAssembled
		fields  map[string]any
		want    []string
	}{
		"open, Tier 2 not searched": {open, tiers(epic), map[string]any{
			"tier1Complete":  true,
			"tier2Retrieved": false,
		}, []string{CodeContextIncomplete}},
		"open, nobody says": {open, tiers(epic), map[string]any{"tier1Complete": true}, []string{}},
		"open, Tier 2 searched": {open, tiers(epic), map[string]any{
			"tier1Complete":  true,
			"tier2Retrieved": true,
		}, []string{}},
		"open, searched in vain": {
			open, tiers(epic, chat("empty")),
			map[string]any{"tier2Retrieved": false},
			[]string{},
		},
		"open, none is configured": {
			open, tiers(epic, chat("unconfigured")),
			map[string]any{"tier2_retrieved": false},
			[]string{},
		},
		"clear, Tier 2 not searched": {clear, tiers(epic), map[string]any{"tier2Retrieved": false}, []string{}},
		"Tier 1 not asked": {
			clear, nil,
			map[string]any{"tier1Complete": false},
			[]string{CodeContextIncomplete},
		},
		"Tier 1 asked, nothing there": {clear, tiers(runevents.ContextSection{
			Name: "epic", Tier: new(1),
			Status: "empty",
		}), map[string]any{"tier1Complete": false}, []string{}},
		"nothing said of the tiers":    {clear, nil, nil, []string{}},
		"nothing known of any context": {nil, nil, map[string]any{"tier2Retrieved": false}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			if test.ticket != nil {
				p.say(runevents.TypeTicketReceived, test.ticket)
			}
			if test.context != nil {
				p.say(runevents.TypeContextAssembled, test.context)
			}
			require.Equal(t, test.want, codes(p.say(runevents.TypeIntentCheckpoint, given(test.fields))))
		})
	}
}

// PL-32: a checkpoint that names no session is that of the run's worker.
func TestTurnWithoutASession(t *testing.T) {
	for turn, want := range map[int][]string{0: {}, 1: {CodeCheckpointTurn}, 2: {}, 5: {}, 6: {CodeCheckpointTurn}} {
		p := newPlay(t)
		p.say(runevents.TypeRunStarted, &runevents.RunStarted{Kind: "pipeline"})
		if turn > 0 {
			p.say(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Run: "r", Turn: turn})
		}
		c := checkpoint("clear")
		c.Turn, c.Session = 0, ""
		require.Equal(t, want, codes(p.say(runevents.TypeIntentCheckpoint, c)), turn)
	}
}

// PL-36: an answer names a question that is open.
func TestAnswerToAnotherQuestion(t *testing.T) {
	p := newPlay(t)
	p.say(runevents.TypeIntentCheckpoint, checkpoint("uncertain", "Answer 200."))
	asked := find[*runevents.ClarificationRequested](t, p.say(runevents.TypeCouncilCompleted, council("uncertain")))
	for _, id := range []string{"no-such-question", asked.RequestID + "x"} {
		require.Equal(t, []string{CodeAnswerUnknown}, codes(p.as(events.RoleOperator,
			runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{RequestID: id, Option: "A"})), id)
		require.NotNil(t, p.state.waiting(), "the question stays open")
	}
	require.Equal(t, []string{"interrupt.fired"}, codes(p.as(events.RoleOperator,
		runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{Option: "A"})), "no id means the one that is open")
	require.Nil(t, p.state.waiting())
}
