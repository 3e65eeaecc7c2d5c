package client

import (
	"context"
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// RuleFailClosed is the rule given for a gate that was not decided.
const RuleFailClosed = "fail-closed"

// Gate asks a gate before the act (launch, worktrees, merge, next_phase, spawn). It fails
// closed: on an error, such as a timeout or an unreachable broker, the decision is deny
// with the reason, never allow.
func (r *Run) Gate(ctx context.Context, asked runevents.GateRequested) (runevents.GateDecided, error) {
	v, err := r.Do(ctx, &asked)
	if err != nil {
		return Closed(asked, "", err), fmt.Errorf("ask the gate %s of run %s: %w", asked.Gate, r.id, err)
	}
	return answerOf(asked, v)
}

// answerOf returns the answer to the gate that was asked, the strictest if there are
// several.
func answerOf(asked runevents.GateRequested, v Verdict) (runevents.GateDecided, error) {
	var answer *runevents.GateDecided
	for _, gate := range v.Gates() {
		if gate.Gate == asked.Gate && (answer == nil || Allows(answer) && !Allows(gate)) {
			answer = gate
		}
	}
	if answer != nil {
		return *answer, nil
	}
	err := fmt.Errorf("gate.requested %s was evaluated, but no rule answers for the gate %s of this run", v.Event, asked.Gate)
	return Closed(asked, v.Event, err), err
}

// Closed returns the answer for a gate without a decision: deny, with the reason. Event
// is the id of the asking event, if known.
func Closed(asked runevents.GateRequested, event string, err error) runevents.GateDecided {
	answer := runevents.GateDecided{
		Gate: asked.Gate, Decision: runevents.DecisionDeny, Rule: RuleFailClosed, WhoDecides: runevents.DecidedByOperator,
		Why:  "Nobody decided, so the gate stays closed: " + err.Error(),
		Wave: asked.Wave, Phase: asked.Phase, Asked: event, Ahead: true,
	}
	if asked.Agent != nil {
		answer.AgentID = asked.Agent.AgentID
	}
	return answer
}
