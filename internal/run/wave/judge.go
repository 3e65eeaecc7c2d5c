package wave

import (
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// judgement is a violation or warning before it is published; missing fields come from
// the table of codes, and the evidence begins with the current event.
type judgement struct {
	code       string
	rule       string
	invariants []string
	what       string
	wave       int
	letter     string
	agent      string
	evidence   []runevents.Reference
	observed   bool // an isolation failure that our live detection caught (WP-17)
}

// Judged is a reported violation or warning, kept for conformance (WP-19).
type Judged struct {
	Code       string   `json:"code"`
	Rule       string   `json:"rule"`
	Invariants []string `json:"invariants"`
	Warning    bool     `json:"warning,omitempty"`
	Event      string   `json:"event"`
	Wave       int      `json:"wave,omitempty"`
	Letter     string   `json:"letter,omitempty"`
	What       string   `json:"what"`
}

// judge reports a violation or warning and keeps it for the run's conformance.
func (c *Context) judge(j judgement) {
	row := codeOf(j.code)
	if j.rule == "" {
		j.rule = row.rule
	}
	if j.invariants == nil {
		j.invariants = row.touches
	}
	reported := runevents.Judgement{
		Code: j.code, Rule: j.rule, Invariants: slices.Clone(j.invariants), What: j.what,
		Evidence: c.evidence(j.evidence), Wave: j.wave, Letter: j.letter, AgentID: j.agent,
	}
	if j.observed {
		reported.CaughtBy = runevents.CaughtByObserver
	}
	if row.warning {
		c.Warning(runevents.WarningIssued(reported))
	} else {
		c.Violation(runevents.ViolationDetected(reported))
	}
	if len(c.state.Judged) >= c.config.Kept.Judgements {
		c.state.Unkept++
		return
	}
	c.state.Judged = append(c.state.Judged, Judged{j.code, j.rule, slices.Clone(j.invariants), row.warning, c.Event.ID, j.wave, j.letter, short(j.what, longText)})
}

// evidence returns the current event followed by the rest, within the bound.
func (c *Context) evidence(more []runevents.Reference) []runevents.Reference {
	out := []runevents.Reference{}
	if !slices.ContainsFunc(more, func(r runevents.Reference) bool { return r.Event == c.Event.ID }) {
		out = append(out, runevents.Reference{Event: c.Event.ID})
	}
	out = append(out, more...)
	return out[:min(len(out), c.config.Kept.References)]
}

// eventIDs returns the events of pieces of evidence, each once.
func eventIDs(refs []runevents.Reference) []string {
	var out []string
	for _, r := range refs {
		if r.Event != "" && !slices.Contains(out, r.Event) {
			out = append(out, r.Event)
		}
	}
	return out
}

// halt requests a hard break that only an operator's recovery ends.
func (c *Context) halt(trigger runevents.BreakTrigger, reason string, evidence []runevents.Reference) {
	c.RequestBreak(runevents.WiggumBreak{
		Kind: runevents.BreakHard, Trigger: trigger, Reason: reason, WIPAction: runevents.WIPNone,
		Evidence: eventIDs(evidence), Options: c.config.options(),
	})
}
