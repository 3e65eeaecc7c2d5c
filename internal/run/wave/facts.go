package wave

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// sources records who reports on the run: if infrastructure does, claims do not count
// (EV-10).
var sources = Rule{ID: "EV-10", Folds: true, On: run.EveryRunEvent(), Run: func(c *Context) {
	if !c.state.Active {
		return
	}
	if c.Event.Credential == events.RoleInfra {
		c.state.Infra = true
	}
	c.learnActor()
}}

// unprovenClaim warns, once per type, about a fact without its credential (EV-10). WP-2
// and WP-4 judge some claims as well.
var unprovenClaim = Rule{ID: "EV-10", On: run.EveryRunEvent(), Run: func(c *Context) {
	if !c.state.Active || c.Proven || slices.Contains(c.state.Claimed, c.Event.Type) {
		return
	}
	c.state.Claimed = append(c.state.Claimed, c.Event.Type)
	described, _ := events.Lookup(c.Event.Type)
	c.judge(judgement{code: codeUnprovenClaim, what: string(c.Event.Type) + " came without the credential of " + holders[described.Role] + "; it is taken as a claim, not as a fact."})
}}

// holders describe the holders of a credential for people.
var holders = map[events.Role]string{events.RoleInfra: "infrastructure", events.RoleOperator: "an operator"}

// runStarted starts the state machine (WP-16).
var runStarted = Rule{ID: "WP-16", Folds: true, On: run.Types(runevents.TypeRunStarted), Run: run.With(func(c *Context, d *runevents.RunStarted) {
	c.state.Kind = run.KnownKind(d.Kind)
	if c.state.Phase == "" && !c.state.Midway {
		c.state.Phase = ScoutPending
	}
})}
