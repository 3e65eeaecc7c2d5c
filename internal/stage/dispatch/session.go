package dispatch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Watched is the state that may break one session (RW-35). A session without a run
// is its own run; a stuck loop breaks any session (C4).
type Watched struct {
	Turn   int      `json:"turn"`
	Failed []string `json:"failed,omitempty"` // the events of consecutive failed turns
	// Pardoned holds the lengths of repeats, by detector and subject, at the break they
	// led to: only repeats beyond these count again.
	Pardoned map[string]int `json:"pardoned,omitempty"`
	// Again holds the number of interrupts after ignored ones, by detector, at the break
	// they led to.
	Again map[string]int `json:"again,omitempty"`
}

// Context is the end of a turn of one session.
type Context struct {
	*run.Context
	config  *Config
	session *budget.Session
	watched Watched
	marker  *sessionevents.TurnEvaluated
}

// sessionRules are the rules that may break a session at the end of a turn.
var sessionRules = run.List(stuckLoop, ignoredInterrupts, failedTurns)

// Rule is one rule about a session.
type Rule = run.Rule[*Context]

// turnEnds are the types of events that the rules read.
var turnEnds = run.Types(sessionevents.TypeTurnEvaluated)

// judgeSession applies the rules about sessions to the end of a turn.
func (m *Machine) judgeSession(state *State, event *run.Context) {
	marker, is := event.Event.Data.(*sessionevents.TurnEvaluated)
	if !is {
		return
	}
	s := state.Sessions.Sessions[marker.Session]
	w := state.Layers.Watched[marker.Session]
	if s == nil || marker.Turn <= w.Turn {
		return
	}
	c := &Context{Context: event, config: m.config, session: s, watched: w, marker: marker}
	c.watched.Turn = marker.Turn
	sessionRules.Run(c)
	if state.Layers.Watched == nil {
		state.Layers.Watched = map[string]Watched{}
	}
	state.Layers.Watched[marker.Session] = c.watched
	m.forget(state)
}

// alone reports whether the session belongs to no run and so counts as its own run
// (RW-35).
func (c *Context) alone() bool { return c.session.Run == "" && c.marker.Run == "" }

// forget drops the sessions that the budget no longer knows.
func (m *Machine) forget(state *State) {
	if len(state.Layers.Watched) <= m.config.Kept.Sessions {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(state.Layers.Watched)) {
		if state.Sessions.Sessions[id] == nil {
			delete(state.Layers.Watched, id)
		}
	}
}

// stuckLoop breaks after further repeats since an interrupt about them was delivered; a
// repeat without a delivered interrupt never breaks a session (C4, DP-23, JD-43).
var stuckLoop = Rule{ID: "C4", On: turnEnds, Run: func(c *Context) {
	pardoned := map[string]int{}
	for _, k := range c.session.Streaks {
		if !slices.Contains(c.config.StuckLoop.Detectors, k.Detector) {
			continue
		}
		key := k.Detector + " " + k.Subject
		since := c.watched.Pardoned[key]
		if since > k.Length { // another repeat of the same
			since = 0
		}
		fresh := k.Length - max(k.Told, since)
		if k.Told > 0 && fresh >= c.config.StuckLoop.FreshRepeats {
			since = k.Length
			c.requestBreak(runevents.BreakSoft, runevents.TriggerStuckLoop, runevents.WIPFinishThenHalt,
				fmt.Sprintf("%s: %s came %d times again since it was last spoken of", k.Detector, quote.Code(budget.Wording(k.Subject, maxWords)), fresh), nil)
		}
		if since > 0 && len(pardoned) < c.config.Kept.Repeats {
			pardoned[key] = since
		}
	}
	c.watched.Pardoned = pardoned
}}

// maxWords bounds the text that a reason quotes.
const maxWords = 20

// ignoredInterrupts is RW-35: a detector keeps firing after interrupts that were
// ignored.
var ignoredInterrupts = Rule{ID: "RW-35", On: turnEnds, Run: func(c *Context) {
	if !c.alone() {
		return
	}
	again := map[string]int{}
	for _, d := range c.session.Disregards {
		before := c.watched.Again[d.Detector]
		if before > d.Again { // one was heeded since
			before = 0
		}
		if d.Again-before >= c.config.IgnoredInterrupts.Fires {
			before = d.Again
			c.requestBreak(runevents.BreakSoft, runevents.TriggerIgnoredInterrupts, runevents.WIPFinishThenHalt,
				fmt.Sprintf("%s fired %d times after interrupts that were ignored (%d)", d.Detector, d.Again, d.Ignored), nil)
		}
		if before > 0 {
			again[d.Detector] = before
		}
	}
	c.watched.Again = again
}}

// failedTurns is RW-35: every turn of a headless agent fails, and no person is there to
// notice.
var failedTurns = Rule{ID: "RW-35", On: turnEnds, Run: func(c *Context) {
	if !c.alone() {
		return
	}
	if !c.config.failed(c.marker) {
		c.watched.Failed = nil
		return
	}
	if c.marker.Observed.Segments[sessionevents.SegmentUser] > 0 {
		c.watched.Failed = nil
	}
	c.watched.Failed = append(slices.Clone(c.watched.Failed), c.Event.ID)
	if n := len(c.watched.Failed); n >= c.config.FailedTurns.Consecutive {
		c.requestBreak(runevents.BreakHard, runevents.TriggerAgentFailures, runevents.WIPCommit,
			fmt.Sprintf("%d turns in a row failed, the last one with %s", n, quote.Name(c.marker.Observed.StopReason)), c.watched.Failed)
		c.watched.Failed = nil
	}
}}

// requestBreak asks settle to stop the session.
func (c *Context) requestBreak(kind runevents.BreakKind, trigger runevents.BreakTrigger, wip runevents.WIPAction, reason string, evidence []string) {
	if evidence == nil {
		evidence = append(slices.Clone(c.marker.Signals), c.Event.ID)
	}
	reason = strings.ToUpper(reason[:1]) + reason[1:] + "."
	evidence = text.Newest(evidence, c.config.Kept.Evidence)
	c.RequestBreak(runevents.WiggumBreak{
		Kind: kind, Trigger: trigger, Reason: reason, Scope: runevents.ScopeSession, Session: c.session.ID, Turn: c.marker.Turn,
		Evidence: evidence, WIPAction: wip, Present: c.config.Present,
	})
}
