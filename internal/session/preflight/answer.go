package preflight

import (
	"cmp"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Decision is the answer to the harness.
type Decision = sessionevents.HookDecision

// Decisions. Warn lets the tool run and warns the agent, if the harness can pass that on.
const (
	Allow = sessionevents.HookAllow
	Warn  = sessionevents.HookWarn
	Deny  = sessionevents.HookDeny
)

// Class is the subject of an answer; each has its own mode.
type Class = sessionevents.HookClass

// Classes, in order of precedence among equally strict answers.
const (
	ClassSelfRelease = sessionevents.HookSelfRelease  // RW-34
	ClassHalt        = sessionevents.HookHalt         // RW-33
	ClassSecurity    = sessionevents.HookSecurity     // DP-3
	ClassCommit      = sessionevents.HookCommitToMain // WP-4
	ClassDestructive = sessionevents.HookDestructive  // E3
)

// Answer is the answer to one call; in the zero value all fields but Decision are empty.
// Its texts are redacted (SW-7).
type Answer struct {
	Decision Decision `json:"decision"`
	Class    Class    `json:"class,omitempty"`
	Rule     string   `json:"rule,omitempty"` // SELF-RELEASE, RW-33, B1, B2, WP-4
	// Text is for the agent: a fact and the alternative, at most 40 words (DP-20).
	Text string `json:"text,omitempty"`
	// Reason is one sentence for people. It is also set on an allow with a condition: a mute, a mode,
	// a call that was not examined.
	Reason string `json:"reason,omitempty"`
	// Signals are the escalations found, delivered or not. They do not count as signals of the session
	// (DP-18): the turn emits those.
	Signals []sessionevents.Signal `json:"signals,omitempty"`
	// Begins is the beginning of an interrupt about the same act, so that it is not
	// repeated.
	Begins string `json:"-"`
	// Snapshots are worktrees whose uncommitted work must be saved before the call runs,
	// Kept the files concerned. OnlyKept is set if there is nothing else to report.
	Snapshots []string         `json:"-"`
	Kept      []guard.WorkFile `json:"-"`
	OnlyKept  bool             `json:"-"`
	// Writes are the files that the call writes, as named in it.
	Writes []string `json:"-"`
	// Acts are the call's effects on what may not be recoverable, Permission a person's
	// permission for them.
	Acts []sessionevents.GuardAct `json:"-"`
	// Word lifts the denial once (GD-11).
	Word       string                         `json:"-"`
	Permission *sessionevents.GuardPermission `json:"-"`
	// Programs are the programs that the call runs, Made what it creates besides files.
	Programs []string         `json:"-"`
	Made     []destruct.Thing `json:"-"`
}

var strictness = map[Decision]int{Allow: 0, Warn: 1, Deny: 2}

// stricter returns the stricter of two answers, the first of equally strict ones.
func stricter(a, b Answer) Answer {
	signals, snapshots, kept := append(a.Signals, b.Signals...), append(a.Snapshots, b.Snapshots...), append(a.Kept, b.Kept...)
	only := a.OnlyKept
	if a.Decision == b.Decision {
		only = a.OnlyKept && b.OnlyKept
	}
	writes, done := append(a.Writes, b.Writes...), append(a.Acts, b.Acts...)
	permission := cmp.Or(a.Permission, b.Permission)
	programs, made := append(a.Programs, b.Programs...), append(a.Made, b.Made...)
	if strictness[b.Decision] > strictness[a.Decision] || a.Decision == b.Decision && a.OnlyKept && !b.OnlyKept && b.Decision == Warn || a.Decision == Allow && a.Reason == "" {
		a, only = b, b.OnlyKept
	}
	a.Signals, a.Snapshots, a.Kept, a.Writes, a.OnlyKept = signals, snapshots, kept, writes, only
	a.Acts, a.Permission = done, permission
	a.Programs, a.Made = programs, made
	return a
}

// allowed returns an allow with its reason.
func allowed(reason string) Answer { return Answer{Decision: Allow, Reason: reason} }

// Plain turns an answer into a plain allow without texts.
func (a *Answer) Plain() {
	a.Decision, a.Class, a.Rule, a.Text, a.Reason, a.Begins = Allow, "", "", "", "", ""
	a.Snapshots, a.Kept, a.OnlyKept, a.Acts, a.Permission = nil, nil, false, nil, nil
}
