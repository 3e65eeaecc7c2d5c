// Package proof is the layer of run watch in which gates take the ledger of done into
// account (PD-11): while they are open, claims that a check contradicts and weakened
// checks make the gates `merge` and `next_phase` warn or hold. A held gate opens by
// itself once the check passes, and an operator can open it, so that it never locks a
// run.
package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "proof" of the rule data.
type Config struct {
	Gates string `yaml:"gates" allow:"off|warn|hold"`
	Kept  int    `yaml:"kept" range:"1..1000"`
	Named int    `yaml:"named" range:"1..20"`
}

// LoadConfig reads the section.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("proof", &c); err != nil {
		return nil, fmt.Errorf("read proof configuration: %w", err)
	}
	return &c, nil
}

// State holds what is open in a run.
type State struct {
	Open []Open `json:"open,omitempty"`
}

// Open is a contradicted claim or a weakened check.
type Open struct {
	Session string `json:"session"`
	Turn    int    `json:"turn"`
	Event   string `json:"event"` // the event that showed it
	// Claim is the kind of a claim, Signal the id of E2's signal.
	Claim  sessionevents.ClaimKind `json:"claim,omitempty"`
	Signal string                  `json:"signal,omitempty"`
	What   string                  `json:"what"`
	Opens  string                  `json:"opens"` // what releases it
}

// Context is an event with the layer's configuration and state.
type Context struct {
	*run.Context
	config *Config
	state  *State
}

// Rule is one rule of the layer.
type Rule = run.Rule[*Context]

var layer = run.List(
	Rule{ID: "PD-11", On: run.Types(sessionevents.TypeTurnEvaluated), Folds: true, Run: run.With(evaluated)},
	Rule{ID: "PD-11", On: run.Types(sessionevents.TypeSignalDetected), Folds: true, Run: run.With(detected)},
	Rule{ID: "PD-11", On: run.Types(runevents.TypePlanApproved, runevents.TypeOperatorAct), Folds: true, Run: waived},
	Rule{ID: "PD-11", On: run.Types(runevents.TypePhaseStarted, runevents.TypeGateRequested, runevents.TypeWaveMergeRequested), Run: answered},
)

// Decide folds an event and adjusts earlier layers' answers to the gates.
func (c *Config) Decide(s *State, event *run.Context) {
	if c.Gates != "off" && len(layer.On(event.Event.Type)) > 0 {
		layer.Run(&Context{Context: event, config: c, state: s})
	}
}

// evaluated folds a turn's additions to the ledger: a final claim that a check
// contradicts stays open until such a claim is proven or the check passes.
func evaluated(c *Context, d *sessionevents.TurnEvaluated) {
	for _, p := range d.Pending {
		if p.Outcome == sessionevents.OutcomeCorrected {
			c.state.drop(func(o Open) bool { return o.Signal != "" && o.Signal == p.ID })
		}
	}
	if d.Ledger == nil {
		return
	}
	for _, r := range d.Ledger.Checks {
		if r.Result == sessionevents.CheckPassed && (r.Kind == sessionevents.CheckTest || r.Kind == sessionevents.CheckBuild) {
			c.state.drop(func(o Open) bool { return o.Session == d.Session && o.Claim != "" })
		}
	}
	for i := range d.Ledger.Claims {
		claim := &d.Ledger.Claims[i]
		switch {
		case claim.Verdict == sessionevents.Proven:
			c.state.drop(func(o Open) bool { return o.Session == d.Session && o.Claim == claim.Kind })
		case claim.Verdict == sessionevents.Contradicted && claim.Final:
			c.open(Open{
				Session: d.Session, Turn: d.Turn, Event: c.Event.ID, Claim: claim.Kind,
				What: "claims " + quote.Words(claim.Text, 12) + ", but " + lower(claim.Why), Opens: opens(claim),
			})
		}
	}
}

func opens(claim *sessionevents.Claim) string {
	if claim.By != nil && claim.By.Command != "" {
		return "a passing run of " + quote.Code(quote.Plain(claim.By.Command))
	}
	return "a check that shows it"
}

func lower(text string) string {
	if text == "" {
		return "a check contradicts it"
	}
	return quote.Line(strings.TrimSuffix(text, "."))
}

// detected keeps a weakened check open until its detector reports it as corrected.
func detected(c *Context, d *sessionevents.Signal) {
	if d.Detector == "E2" && d.Suppressed == "" && d.Urgency >= queued {
		c.open(Open{
			Session: d.Session, Turn: d.Turn, Event: c.Event.ID, Signal: d.ID, What: "weakened a check: " + quote.Line(strings.TrimSuffix(d.Message, ".")),
			Opens: "restoring the check",
		})
	}
}

// queued is the urgency from which a signal is reported (DP-2).
const queued sessionevents.Urgency = 20

// waived handles an operator's approval of what is open.
func waived(c *Context) {
	if !c.ByOperator() {
		return
	}
	if d, is := c.Event.Data.(*runevents.OperatorAct); is && d.Act != runevents.ActApprove {
		return
	}
	c.state.Open = nil
}

// answered adjusts the answers to `merge` and `next_phase` that allow the act.
func answered(c *Context) {
	if len(c.state.Open) == 0 {
		return
	}
	for _, one := range c.Conclusions() {
		gate, is := one.Data.(*runevents.GateDecided)
		if !is || gate.Gate != runevents.GateMerge && gate.Gate != runevents.GateNextPhase || !gate.Passes() {
			continue
		}
		why := c.why()
		for _, o := range c.named() {
			gate.Evidence = append(gate.Evidence, runevents.Reference{Event: o.Event, What: o.What})
		}
		switch {
		case c.config.Gates == "hold":
			gate.Decision, gate.Rule, gate.Why, gate.WhoDecides = runevents.DecisionHold, "PD-11", why+" "+c.release(), runevents.DecidedByOperator
		case gate.Decision == runevents.DecisionAllowWithWarning:
			gate.Why += " " + why
		default:
			gate.Decision, gate.Rule, gate.Why = runevents.DecisionAllowWithWarning, "PD-11", why
		}
	}
}

func (c *Context) named() []Open {
	open := c.state.Open
	return open[max(0, len(open)-c.config.Named):]
}

func (c *Context) why() string {
	var parts []string
	for _, o := range c.named() {
		parts = append(parts, fmt.Sprintf("Session %s %s (turn %d).", o.Session, o.What, o.Turn))
	}
	if more := len(c.state.Open) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more are open.", more))
	}
	return strings.Join(parts, " ")
}

// release names what opens the gate: the check, or an operator.
func (c *Context) release() string {
	var ways []string
	for _, o := range c.named() {
		if !slices.Contains(ways, o.Opens) {
			ways = append(ways, o.Opens)
		}
	}
	return fmt.Sprintf("It opens with %s; an operator opens it with `scaffoldwatch approve %s --why …`.", strings.Join(ways, " and "), c.Event.Group())
}

func (c *Context) open(o Open) {
	c.state.drop(func(old Open) bool {
		return old.Session == o.Session && (old.Claim == o.Claim && old.Signal == o.Signal || o.Claim != "" && old.Claim != "" && old.Turn == o.Turn)
	})
	c.state.Open = text.Newest(append(c.state.Open, o), c.config.Kept)
}

func (s *State) drop(which func(Open) bool) { s.Open = slices.DeleteFunc(s.Open, which) }
