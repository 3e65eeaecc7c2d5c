package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/rescue"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// seen notes which sessions are at work where, and what persons say to them.
func seen(desk *uncommitted.Desk, begins func(session string) bool) func(*hook.Event) {
	return func(e *hook.Event) {
		desk.Seen(e.Session, e.Workspace, begins(e.Session))
		desk.Said(e.Session, e.Said())
		if e.Closes() && e.Session == e.Speaker {
			desk.Ended(e.Session)
		}
	}
}

// askPreflight is the answer of the core about a tool that is about to run (DP-24).
func askPreflight(checker *preflight.Checker, desk *uncommitted.Desk, metrics *obs.PreflightMetrics, settings config.Config) hookapi.Preflight {
	watch := watched(settings)
	return func(q hookapi.Question) hookapi.Answer {
		began, e, folder := time.Now(), q.Event, ""
		answer := checker.Check(preflight.Call{
			Session: e.Speaker, Run: q.Run, Name: e.Tool.Name, Input: e.Tool.Input,
			Directory: e.Workspace, Workspace: desk.Workspace(e.Session, e.Workspace), State: q.State.State, Halt: q.State.Why,
			Mutes: q.Mutes, Turn: q.Turn, At: began, Watch: watch, Said: desk.Messages(e.Session),
			Look: func(acts []destruct.Act) preflight.Work {
				folder = uncommitted.Folder(e.Workspace, acts)
				return desk.Look(e.Session, e.Workspace, acts, checker.Precious)
			},
		})
		if answer.Snapshot && folder != "" && settings.Hooks.Rescue {
			keep(&answer, folder, fmt.Sprintf("%s-%d", e.Speaker, q.Turn), began)
		}
		if answer.Decision != preflight.Deny {
			desk.Wrote(e.Session, e.Workspace, answer.Writes)
		}
		metrics.Answered(string(answer.Decision), string(answer.Class), answer.Rule, time.Since(began))
		return hookapi.Answer{Begins: answer.Begins, HookAnswer: sessionevents.HookAnswer{
			Decision: answer.Decision, Class: answer.Class, Rule: answer.Rule, Text: answer.Text, Reason: answer.Reason,
		}}
	}
}

// keepPatience bounds how long a snapshot may take: an agent that runs our hook as a
// command waits a second.
const keepPatience = 600 * time.Millisecond

// keep makes a snapshot of uncommitted work before a command that destroys it runs, and
// names it in the answer. Without one the command runs all the same, and the answer says so.
func keep(answer *preflight.Answer, folder, name string, at time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), keepPatience)
	defer cancel()
	made, err := rescue.Take(ctx, folder, name, "a command that destroys it", at)
	switch {
	case errors.Is(err, rescue.ErrNothing):
		return
	case err != nil:
		answer.Reason += fmt.Sprintf(" No snapshot was made: %v.", err)
		return
	}
	if answer.Decision == preflight.Allow {
		answer.Decision, answer.Class, answer.Rule = preflight.Warn, preflight.ClassDestructive, preflight.RuleDestructive
	} else {
		answer.Text += " "
	}
	answer.Text += "Uncommitted work is kept: scaffoldwatch rescue restore " + made.Name
	answer.Reason += " Uncommitted work is kept in " + made.Ref + "."
	go rescue.Forget(folder, at)
}
