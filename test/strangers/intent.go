package strangers

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const ticketed = "r-ticketed"

// meant returns a run from a ticket whose text, readings, assumptions and sources are a stranger's.
func meant(foreign string) []events.Event {
	s := &script{at: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
	add := func(typ events.Type, data any) { s.add(typ, ticketed, data) }
	add(runevents.TypeRunStarted, &runevents.RunStarted{Kind: "pipeline", Trigger: &runevents.Trigger{ID: foreign, RequireIntentConfirmation: "always"}})
	add(runevents.TypeTicketReceived, &runevents.TicketReceived{Title: "Fix it. " + foreign, Text: "Make it somewhat better, maybe. " + foreign, AcceptanceCriteria: []string{foreign}})
	add(runevents.TypeAssumptionsStated, &runevents.AssumptionsStated{Assumptions: []runevents.Assumption{
		{Assumption: foreign, Evidence: foreign, FalsificationQuery: foreign, Status: "unchecked"}, {Assumption: "x " + foreign, Status: "contradicted", Evidence: foreign},
	}})
	add(runevents.TypeContextAssembled, &runevents.ContextAssembled{Phase: foreign, Contradictions: []runevents.Contradiction{
		{What: foreign, Between: []string{"ticket", foreign}}, {What: "y " + foreign, Between: []string{"code", "ticket"}, ResolvedTo: "ticket"}, {What: "z " + foreign, Between: []string{"code", "ticket"}, ResolvedTo: foreign},
	}})
	add(runevents.TypeIntentCheckpoint, &runevents.IntentCheckpoint{
		Interpretation: foreign, RivalInterpretations: []string{foreign, "no " + foreign}, UnresolvedAssumptions: []string{foreign}, AmbiguityLevel: "ambiguous", TaskType: foreign,
	})
	add(runevents.TypeAgentSpawned, &runevents.AgentSpawned{AgentID: id(foreign), Archetype: "challenger", Role: "challenger", Mode: "blind", ContextKeys: []string{"primary_interpretation", foreign}, ModelFamily: foreign, MaxTurns: 1})
	add(runevents.TypeCouncilCompleted, &runevents.CouncilCompleted{
		RevisedAmbiguityLevel: "uncertain", FailureMode: foreign, Dissents: []string{foreign}, WinningInterpretation: &runevents.Interpretation{Text: foreign, Basis: "confidence " + foreign},
		Members: []runevents.CouncilMember{{AgentID: foreign, Role: foreign, ModelFamily: foreign, Mode: foreign, Turns: 1}},
	})
	add(runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{Actor: runevents.Actor{Kind: runevents.ActorHuman}, RequestID: id(foreign), Text: "as the ticket says", By: "ann"})
	add(runevents.TypeScopeChecked, &runevents.ScopeChecked{Criteria: []runevents.Criterion{{Criterion: foreign, Status: "missing", Evidence: foreign}}})
	add(runevents.TypeCalibrationRecorded, &runevents.CalibrationRecorded{Outcome: foreign, Correction: foreign, Verdict: foreign, Subtype: foreign})
	return s.list
}
