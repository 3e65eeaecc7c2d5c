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
func (r record) judge(j judgement) {
	row := codeOf(j.code)
	if j.rule == "" {
		j.rule = row.rule
	}
	if j.invariants == nil {
		j.invariants = row.touches
	}
	reported := runevents.Judgement{
		Code: j.code, Rule: j.rule, Invariants: slices.Clone(j.invariants), What: j.what,
		Evidence: r.evidence(j.evidence), Wave: j.wave, Letter: j.letter, AgentID: j.agent,
	}
	if j.observed {
		reported.CaughtBy = runevents.CaughtByObserver
	}
	if row.warning {
		r.Warning(runevents.WarningIssued(reported))
	} else {
		r.Violation(runevents.ViolationDetected(reported))
	}
	if len(r.state.Judged) >= r.config.Kept.Judgements {
		r.state.Unkept++
		return
	}
	r.state.Judged = append(r.state.Judged, Judged{j.code, j.rule, slices.Clone(j.invariants), row.warning, r.Event.ID, j.wave, j.letter, short(j.what, longText)})
}

// evidence returns the current event followed by the rest, within the bound.
func (r record) evidence(more []runevents.Reference) []runevents.Reference {
	out := []runevents.Reference{}
	if !slices.ContainsFunc(more, func(known runevents.Reference) bool { return known.Event == r.Event.ID }) {
		out = append(out, runevents.Reference{Event: r.Event.ID})
	}
	out = append(out, more...)
	return out[:min(len(out), r.config.Kept.References)]
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
func (r record) halt(trigger runevents.BreakTrigger, reason string, evidence []runevents.Reference) {
	r.RequestBreak(runevents.WiggumBreak{
		Kind: runevents.BreakHard, Trigger: trigger, Reason: reason, WIPAction: runevents.WIPNone,
		Evidence: eventIDs(evidence), Options: r.config.options(),
	})
}
