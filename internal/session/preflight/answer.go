package preflight

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
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
	// Kept the files concerned. OnlyKept is set if there is nothing else to report: the call may run only because
	// the snapshot is made (GD-6). Unkept is decided and said instead if it is not.
	Snapshots []string         `json:"-"`
	Kept      []guard.WorkFile `json:"-"`
	OnlyKept  bool             `json:"-"`
	Unkept    Unkept           `json:"-"`
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

// Unkept is what an answer becomes if no snapshot is made; Decision is empty where nothing depends on one.
type Unkept struct {
	Decision Decision
	Text     string
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
	unkept := cmp.Or(a.Unkept, b.Unkept)
	programs, made := append(a.Programs, b.Programs...), append(a.Made, b.Made...)
	if strictness[b.Decision] > strictness[a.Decision] || a.Decision == b.Decision && a.OnlyKept && !b.OnlyKept && b.Decision == Warn || a.Decision == Allow && a.Reason == "" {
		a, only = b, b.OnlyKept
	}
	a.Signals, a.Snapshots, a.Kept, a.Writes, a.OnlyKept = signals, snapshots, kept, writes, only
	a.Acts, a.Permission = done, permission
	a.Programs, a.Made, a.Unkept = programs, made, unkept
	return a
}

// allowed returns an allow with its reason.
func allowed(reason string) Answer { return Answer{Decision: Allow, Reason: reason} }

// Plain turns an answer into a plain allow without texts.
func (a *Answer) Plain() {
	a.Decision, a.Class, a.Rule, a.Text, a.Reason, a.Begins = Allow, "", "", "", "", ""
	a.Snapshots, a.Kept, a.OnlyKept, a.Acts, a.Permission = nil, nil, false, nil, nil
	a.Unkept = Unkept{}
}

// halt answers a call of a halted session or run (RW-33). Only the control state decides; an
// unknown state does not halt (EV-8).
func (c *Checker) halt(call *Call) Answer {
	mode := c.config.Classes.Halt
	if mode == ModeOff || !slices.Contains(c.config.HaltStates, call.State) {
		return allowed("")
	}
	why := budget.Wording(call.Halt, haltWords)
	text := "This session is " + string(call.State) + "; no tool runs until a person resumes it. End your turn."
	if why != "" {
		text += " Why: " + why
	}
	return Answer{
		Decision: mode.decision(), Class: ClassHalt, Rule: "RW-33",
		Text: c.worded(text), Reason: "The control state is " + string(call.State) + ".",
	}
}

// haltWords bounds the reason of a halt, so that the text stays within 40 words.
const haltWords = 24

// worded returns a text within the word limit of an interrupt (DP-20).
func (c *Checker) worded(text string) string {
	return budget.Wording(text, c.dispatch.Interrupt.MaxWords)
}

// Redactor replaces secrets (SW-7); *redact.Redactor is one.
type Redactor interface {
	Turn(sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding)
	Text(text, path string) (string, []sessionevents.SecretFinding)
}

// Content examines what a call would write, send or commit (DP-3); package content has
// the implementation that uses the detectors.
type Content interface {
	Signals(call *Call) []sessionevents.Signal
}

// Options are the parts of a Checker. Without Content, what is about to be written is not
// examined (GD-20).
type Options struct {
	Rules     *rules.Set
	Redactor  Redactor
	Segmenter *segment.Segmenter
	Content   Content
	// Judge is created from the rules if it is nil.
	Judge *guard.Judge
}

// Checker answers calls. It keeps no state between them and is safe for concurrent use.
type Checker struct {
	config    *Config
	dispatch  *budget.Config
	redactor  Redactor
	segmenter *segment.Segmenter
	content   Content
	guard     *guard.Judge
}

// New returns a Checker. It fails if its parts cannot read the rule data.
func New(o Options) (*Checker, error) {
	c := &Checker{redactor: o.Redactor, segmenter: o.Segmenter, content: o.Content}
	var err error
	if c.config, err = LoadConfig(o.Rules); err != nil {
		return nil, err
	}
	if c.dispatch, err = budget.LoadConfig(o.Rules); err != nil {
		return nil, err
	}
	if c.guard = o.Judge; c.guard == nil {
		if c.guard, err = guard.New(o.Rules); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Check returns the strictest answer of all classes to one call (DP-24). It never fails;
// a call that cannot be examined is allowed, with the reason.
func (c *Checker) Check(call Call) Answer {
	answer := c.release(&call)
	if answer.Decision == Deny {
		return answer
	}
	answer = stricter(answer, c.halt(&call))
	if answer.Decision == Deny {
		return answer
	}
	return stricter(answer, c.examined(&call))
}

// examined examines the call itself. Hostile input that makes a library panic does not
// stop the agent.
func (c *Checker) examined(call *Call) (answer Answer) {
	defer func() {
		if recover() != nil {
			answer = allowed("not examined: the call cannot be read")
		}
	}()
	if len(call.Input) > c.config.MaxBytes {
		return allowed(fmt.Sprintf("not examined: the input has %d bytes, the limit is %d", len(call.Input), c.config.MaxBytes))
	}
	answer = stricter(stricter(c.security(call), c.commit(call)), c.destructive(call))
	answer.Writes = c.Writes(call)
	return answer
}
