package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// PL-33, RW-33: a run that waits for an answer without default is paused, with its
// sessions, until it is answered; a resume is no answer.
func TestQuestionsPauseTheRun(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{}, &sessionevents.SessionOpened{Session: "s", Run: "r"})
	p.question = &run.Question{ID: "q", Why: "The run waits."}
	out := p.feed(&runevents.CouncilCompleted{})
	require.Equal(t, said{"r": {"paused"}, "s": {"paused"}}, told(out))
	change := of[runevents.ControlChanged](out)[0]
	require.Equal(t, "q", change.Question)
	require.Equal(t, "The run waits.", change.Why)
	require.Equal(t, runevents.ControlPaused, of[runevents.RunEvaluated](out)[0].State)
	require.Empty(t, told(p.feed(&runevents.PhaseStarted{Phase: "do"})), "once")
	require.Equal(t, said{"s2": {"paused"}}, told(p.feed(&sessionevents.SessionOpened{Session: "s2", Run: "r"})), "sessions that begin later")

	out = p.feed(resume())
	require.Empty(t, told(out))
	warned := of[runevents.WarningIssued](out)
	require.Len(t, warned, 1)
	require.Equal(t, CodeResumeAnswer, warned[0].Code)
	out = p.feed(&runevents.OperatorAct{Act: runevents.ActResume, Run: "r", By: "ann", Why: "go"})
	require.Equal(t, CodeResumeAnswer, of[runevents.WarningIssued](out)[0].Code)
	out = p.feed(&runevents.RunResumed{Actor: runevents.Actor{Kind: runevents.ActorOrchestrator}, RestoredPhases: []string{"plan"}})
	require.Empty(t, of[runevents.WarningIssued](out), "crash recovery")
	require.Empty(t, of[runevents.ViolationDetected](out))

	p.question = nil
	require.Equal(t, said{"r": {"running"}, "s": {"running"}, "s2": {"running"}}, told(p.feed(&runevents.ClarificationAnswered{})))
}

// A question beside a break: each is lifted by its own.
func TestQuestionBesideABreak(t *testing.T) {
	p := newPlayer(t)
	failed := agent("failure")
	p.question = &run.Question{ID: "q", Why: "The run waits."}
	p.feed(&runevents.RunStarted{}, failed, failed)
	require.Equal(t, said{"r": {"halted"}}, told(p.feed(failed)))
	out := p.feed(resume())
	require.Equal(t, said{"r": {"paused"}}, told(out), "the break is resumed, the question is open")
	require.Empty(t, of[runevents.WarningIssued](out))
	p.question = &run.Question{ID: "q2", Why: "The run waits for another."}
	out = p.feed(&runevents.IntentCheckpoint{})
	require.Equal(t, "q2", of[runevents.ControlChanged](out)[0].Question, "another question")
	p.question = nil
	require.Equal(t, said{"r": {"running", "ended"}}, told(p.feed(&runevents.RunCompleted{})), "withdrawn with the run's end")
}

// A soft break drains what is not paused; RW-20 has no checkpoints meanwhile.
func TestQuestionWhileDraining(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{Budget: &runevents.Allowance{Limit: 100, Unit: "USD"}})
	require.Equal(t, said{"r": {"draining"}}, told(p.feed(&runevents.SpendReported{Spent: 96, Limit: 100})))
	p.question = &run.Question{ID: "q", Why: "The run waits."}
	out := p.feed(&runevents.CouncilCompleted{})
	require.Equal(t, said{"r": {"paused"}}, told(out))
	require.NotEmpty(t, of[runevents.ControlChanged](out)[0].Break)
	for range 3 {
		require.Empty(t, of[runevents.PolicyCheckpoint](p.feed(&runevents.ReviewCompleted{})))
	}
	require.Equal(t, said{"r": {"halted"}}, told(p.feed(&runevents.TaskCompleted{Outcome: "success"})), "the boundary halts it")
}

// The clock of RW-20 stands still while the run waits, and starts with the answer.
func TestClockWaitsForTheAnswer(t *testing.T) {
	p := newPlayer(t)
	due := of[events.TimerSet](p.feed(&runevents.RunStarted{}))
	require.Len(t, due, 1)
	p.question = &run.Question{ID: "q", Why: "The run waits."}
	require.Empty(t, of[events.TimerSet](p.feed(&runevents.CouncilCompleted{})))
	require.Empty(t, of[runevents.PolicyCheckpoint](p.feed(&events.TimerExpired{Name: due[0].Name, Run: "r", Details: due[0].Details})))
	p.question = nil
	require.Len(t, of[events.TimerSet](p.feed(&runevents.ClarificationAnswered{})), 1)
}

// A paused run pauses a session that drains by a break of its own too: nothing goes
// on until the question is answered, and the break stays open.
func TestAPausedRunPausesADrainingSession(t *testing.T) {
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{}, &sessionevents.SessionOpened{Session: "s", Run: "r"}, &sessionevents.TurnEvaluated{Session: "s", Run: "r", Turn: 1})
	p.request = func(v *run.Context) {
		v.RequestBreak(runevents.WiggumBreak{Kind: runevents.BreakSoft, Trigger: runevents.TriggerStuckLoop, Scope: runevents.ScopeSession, Session: "s"})
	}
	out := p.feed(&runevents.ReviewCompleted{})
	require.Equal(t, said{"s": {"draining"}}, told(out))
	broken := of[runevents.ControlChanged](out)[0].Break
	p.request, p.question = nil, &run.Question{ID: "q", Why: "The run waits."}
	out = p.feed(&runevents.CouncilCompleted{})
	require.Equal(t, said{"r": {"paused"}, "s": {"paused"}}, told(out))
	require.Equal(t, broken, of[runevents.ControlChanged](out)[1].Break)
	p.question = nil
	out = p.feed(&runevents.ClarificationAnswered{})
	require.Equal(t, said{"r": {"running"}, "s": {"draining"}}, told(out))
	require.Equal(t, said{"s": {"halted"}}, told(p.feed(&sessionevents.TurnEvaluated{Session: "s", Run: "r", Turn: 2})))
}
