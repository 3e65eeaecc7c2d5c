package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// PL-33, RW-33: a run that waits for an answer without default is paused, with its
// sessions, until it is answered; a resume is no answer.
func TestQuestionsPauseTheRun(t *testing.T) {
	p := newPlayer(t)
	p.feed(&events.RunStarted{}, &events.SessionOpened{Session: "s", Run: "r"})
	p.question = &Question{ID: "q", Why: "The run waits."}
	out := p.feed(&events.CouncilCompleted{})
	require.Equal(t, said{"r": {"paused"}, "s": {"paused"}}, told(out))
	change := of[events.ControlChanged](out)[0]
	require.Equal(t, "q", change.Question)
	require.Equal(t, "The run waits.", change.Why)
	require.Equal(t, events.ControlPaused, of[events.RunEvaluated](out)[0].State)
	require.Empty(t, told(p.feed(&events.PhaseStarted{Phase: "do"})), "once")
	require.Equal(t, said{"s2": {"paused"}}, told(p.feed(&events.SessionOpened{Session: "s2", Run: "r"})), "sessions that begin later")

	out = p.feed(resume())
	require.Empty(t, told(out))
	warned := of[events.WarningIssued](out)
	require.Len(t, warned, 1)
	require.Equal(t, CodeResumeAnswer, warned[0].Code)
	out = p.feed(&events.OperatorAct{Act: actResume, Run: "r", By: "ann", Why: "go"})
	require.Equal(t, CodeResumeAnswer, of[events.WarningIssued](out)[0].Code)
	out = p.feed(&events.RunResumed{Actor: events.Actor{Kind: events.ActorOrchestrator}, RestoredPhases: []string{"plan"}})
	require.Empty(t, of[events.WarningIssued](out), "crash recovery")
	require.Empty(t, of[events.ViolationDetected](out))

	p.question = nil
	require.Equal(t, said{"r": {"running"}, "s": {"running"}, "s2": {"running"}}, told(p.feed(&events.ClarificationAnswered{})))
}

// A question beside a break: each is lifted by its own.
func TestQuestionBesideABreak(t *testing.T) {
	p := newPlayer(t)
	failed := agent("failure")
	p.question = &Question{ID: "q", Why: "The run waits."}
	p.feed(&events.RunStarted{}, failed, failed)
	require.Equal(t, said{"r": {"halted"}}, told(p.feed(failed)))
	out := p.feed(resume())
	require.Equal(t, said{"r": {"paused"}}, told(out), "the break is resumed, the question is open")
	require.Empty(t, of[events.WarningIssued](out))
	p.question = &Question{ID: "q2", Why: "The run waits for another."}
	out = p.feed(&events.IntentCheckpoint{})
	require.Equal(t, "q2", of[events.ControlChanged](out)[0].Question, "another question")
	p.question = nil
	require.Equal(t, said{"r": {"running", "ended"}}, told(p.feed(&events.RunCompleted{})), "withdrawn with the run's end")
}

// A soft break drains what is not paused; RW-20 has no checkpoints meanwhile.
func TestQuestionWhileDraining(t *testing.T) {
	p := newPlayer(t)
	p.feed(&events.RunStarted{Budget: &events.Allowance{Limit: 100, Unit: "USD"}})
	require.Equal(t, said{"r": {"draining"}}, told(p.feed(&events.SpendReported{Spent: 96, Limit: 100})))
	p.question = &Question{ID: "q", Why: "The run waits."}
	out := p.feed(&events.CouncilCompleted{})
	require.Equal(t, said{"r": {"paused"}}, told(out))
	require.NotEmpty(t, of[events.ControlChanged](out)[0].Break)
	for range 3 {
		require.Empty(t, of[events.PolicyCheckpoint](p.feed(&events.ReviewCompleted{})))
	}
	require.Equal(t, said{"r": {"halted"}}, told(p.feed(&events.TaskCompleted{Outcome: "success"})), "the boundary halts it")
}

// The clock of RW-20 stands still while the run waits, and starts with the answer.
func TestClockWaitsForTheAnswer(t *testing.T) {
	p := newPlayer(t)
	due := of[events.TimerSet](p.feed(&events.RunStarted{}))
	require.Len(t, due, 1)
	p.question = &Question{ID: "q", Why: "The run waits."}
	require.Empty(t, of[events.TimerSet](p.feed(&events.CouncilCompleted{})))
	require.Empty(t, of[events.PolicyCheckpoint](p.feed(&events.TimerExpired{Name: due[0].Name, Run: "r", Details: due[0].Details})))
	p.question = nil
	require.Len(t, of[events.TimerSet](p.feed(&events.ClarificationAnswered{})), 1)
}
