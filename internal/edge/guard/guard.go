// Package guard answers an agent's question about a tool that is about to run, from what is known of its
// workspace: whose work is uncommitted, which sessions are at work there, and what the person said. It
// keeps a snapshot of what a permitted command would destroy (DP-24, GD-1).
package guard

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/secured"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/once"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Guard answers calls of agents on this machine. It is safe for concurrent use.
type Guard struct {
	Checker *preflight.Checker
	Desk    *uncommitted.Desk
	Metrics *obs.PreflightMetrics
	Watch   preflight.Watch
	// Rescue enables snapshots.
	Rescue bool
	// Patience limits how long a snapshot may take; 0 means the default.
	Patience time.Duration
	// Once holds the denials that a person can lift (GD-11).
	Once secured.Desk
	// Begins reports whether a session that is seen for the first time is only beginning; it may take as long
	// as its context to find out.
	Begins func(ctx context.Context, session string) bool
}

// Seen records which session is at work where, and what the person says to it.
func (g *Guard) Seen(e *hook.Event) {
	begins := uncommitted.Beginning
	if !e.Starts() { // what is recorded of the session says it
		begins = func(ctx context.Context) bool { return g.Begins(ctx, e.Session) }
	}
	g.Desk.Seen(e.Session, e.Workspace, begins)
	g.Desk.Reported(e.Session, e.Reported())
	g.Desk.Said(e.Session, e.Said())
	g.Desk.Settle(e.Session)
	if e.Closes() && e.Session == e.Speaker {
		g.Desk.Ended(e.Session)
	}
}

// Allowed lets the denied call run once whose word a person typed as a whole prompt. It returns the text
// for agent and person, "" for any other prompt.
func (g *Guard) Allowed(e *hook.Event) string {
	word := once.Word(e.Said())
	if word == "" || e.Speaker != e.Session {
		return ""
	}
	return secured.Lifted(word, g.Once.Allow(e.Session, word, secured.AtThePrompt, time.Now()))
}

// Lift lets a denied call of a session run once, as a person decided at a time with the operator's
// credential.
func (g *Guard) Lift(session, word, by string, at time.Time) {
	if now := time.Now(); now.Sub(at) < once.Holds {
		g.Once.Allow(session, word, sessionevents.GuardPermission{How: sessionevents.GuardCommand, By: by}, now)
	}
}

// Answer returns the answer for the agent before a tool runs.
func (g *Guard) Answer(q hookapi.Question) hookapi.Answer {
	began, e := time.Now(), q.Event
	facts := g.Desk.Facts(e.Session, e.Workspace, g.Checker.Precious).Of(q.Run)
	defer facts.Close()
	call := preflight.Call{
		Session: e.Speaker, Run: q.Run, Name: e.Tool.Name, Input: e.Tool.Input,
		Directory: e.Workspace, Workspace: g.Desk.Workspace(e.Session, e.Workspace), State: q.State.State, Halt: q.State.Why,
		Mutes: q.Mutes, Turn: q.Turn, At: began, Watch: g.Watch, Said: g.Desk.Messages(e.Session),
		Offer: g.Desk.Offer(e.Session), Facts: facts, Elsewhere: q.Elsewhere,
	}
	var keeper *secured.Keeper
	if g.Rescue {
		keeper = &secured.Keeper{Session: e.Speaker, Turn: q.Turn, Began: began, Patience: g.Patience}
	}
	answer, ref := secured.Check(g.Checker, &call, e.Session, func(do func(*once.Pending)) { g.Once.With(e.Session, began, do) }, keeper)
	if ref != "" {
		g.Desk.Kept(e.Session, answer.Kept)
		go secured.Forget(answer, began)
	}
	if answer.Decision != preflight.Deny {
		g.Desk.Wrote(e.Session, e.Workspace, answer.Writes)
		g.Desk.Ran(e.Session, e.Workspace, answer.Programs, answer.Made)
	}
	g.Metrics.Answered(string(answer.Decision), string(answer.Class), answer.Rule, time.Since(began))
	decided := g.Checker.Decided(&call, &answer)
	if decided != nil {
		decided.Call, decided.Agent, decided.RescueRef = e.Tool.ID, e.Dialect.Agent, ref
		g.Metrics.Prevented(string(decided.Happened()), string(decided.Class))
	}
	return hookapi.Answer{Begins: answer.Begins, Decided: decided, HookAnswer: sessionevents.HookAnswer{
		Decision: answer.Decision, Class: answer.Class, Rule: answer.Rule, Text: answer.Text, Reason: answer.Reason,
	}}
}
