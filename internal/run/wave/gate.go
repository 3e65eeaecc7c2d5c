package wave

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// question is a question to a gate. It changes nothing by itself.
type question struct {
	*Context
	gate   runevents.Gate
	wave   int
	w      *Wave // nil if the wave is unknown
	base   string
	counts []runevents.WaveBranch // as counted by the requester
	main   []string               // files on main with uncommitted changes
	letter string
}

// objection is a reason why a gate does not simply allow.
type objection struct {
	rule     string
	why      string
	evidence []runevents.Reference
	operator bool // only an operator can lift it
	warn     bool // it does not close the gate
	options  []runevents.Option
	// breaks is the violation or warning that an act demonstrates, reported unless the
	// question was asked in advance.
	breaks *judgement
	empty  []string // letters of empty branches: the trip wire (WP-1)
}

// objector is one rule's view of a question. Its Object returns nil if the rule has no
// objection.
type objector struct {
	id     string
	object func(*question) []objection
}

// gates lists the rules of each gate, in order; the first that closes it gives the
// reason.
var gates = map[runevents.Gate][]objector{
	runevents.GateLaunch: {
		{"WP-15", unsuitable},
		{"WP-2", awaiting},
		{"WP-14", sequence},
		{"WP-10", scaffoldFailure},
		{"WP-8", cosmeticReview},
		{"WP-6", plannedOverlap},
		{"WP-9", unapproved},
		{"WP-9", scaffoldOpen},
		{"WP-16", launchState},
	},
	runevents.GateWorktrees: {
		{"WP-15", unsuitable}, {"WP-2", awaiting}, {"WP-14", sequence}, {"WP-10", scaffoldFailure}, {"WP-9", unapproved}, {"WP-9", scaffoldOpen},
	},
	runevents.GateMerge: {
		{"WP-1", tripWire},
		{"WP-2", awaiting},
		{"WP-11", frozenContract},
		{"WP-15", incomplete},
		{"WP-6", changedOverlap},
		{"PL-41", failedChecklist},
		{"WP-16", mergeState},
	},
}

// allowed holds the rule and the reason of each gate's answer without objections.
var allowed = map[runevents.Gate][2]string{
	runevents.GateLaunch:    {"WP-16", "The plan is approved, its scaffolds are in place and no file has two owners."},
	runevents.GateWorktrees: {"WP-9", "The plan is approved and no scaffold is open."},
	runevents.GateMerge:     {"WP-1", "Every branch has commits, every agent is done and no file was changed by two."},
}

// answer is the decision of a gate.
type answer struct {
	decided    runevents.GateDecided
	objections []objection
}

func (r answer) allows() bool { return r.decided.Decision != runevents.DecisionDeny }

// ask decides a gate; nothing is published yet.
func (q *question) ask() answer {
	var list []objection
	for _, rule := range gates[q.gate] {
		some := rule.object(q)
		q.Executed(rule.id)
		list = append(list, some...)
	}
	decided := runevents.GateDecided{
		Gate: q.gate, Wave: q.wave, Asked: q.Event.ID, WhoDecides: runevents.DecidedByScaffoldwatch,
		Decision: runevents.DecisionAllow, Rule: allowed[q.gate][0], Why: allowed[q.gate][1],
	}
	decide(&decided, list, runevents.DecisionDeny, false)
	if decided.Decision == runevents.DecisionAllow {
		decide(&decided, list, runevents.DecisionAllowWithWarning, true)
	}
	if decided.Decision == runevents.DecisionAllow {
		decided.Why += q.reservation()
	}
	decided.Evidence = q.evidence(decided.Evidence)
	return answer{decided, list}
}

// reservation returns the unverified assumptions that an allow rests on.
func (q *question) reservation() string {
	switch {
	case q.gate == runevents.GateMerge && !q.state.Infra:
		return " The commits are claimed: no infrastructure reports on this run."
	case q.gate == runevents.GateLaunch && (q.w == nil || !q.w.Planned):
		return " No ownership table was published for the wave; files are compared at the merge."
	}
	return ""
}

// decide answers the gate with the objections of one weight: the first gives the rule,
// all give reasons.
func decide(to *runevents.GateDecided, list []objection, decision runevents.GateDecision, warn bool) {
	var whys []string
	for _, o := range list {
		if o.warn != warn || o.rule == "WP-16" && len(whys) > 0 {
			continue // the state adds nothing to a rule's more precise reason
		}
		if len(whys) == 0 {
			to.Decision, to.Rule = decision, o.rule
		}
		whys = append(whys, o.why)
		to.Evidence = append(to.Evidence, o.evidence...)
		if o.operator {
			to.WhoDecides = runevents.DecidedByOperator
		}
		if to.Options == nil {
			to.Options = o.options
		}
	}
	if len(whys) > 0 {
		to.Why = strings.Join(whys, " ")
	}
}

// answer publishes a gate's answer and the violations of the act that asked.
func (q *question) answer(r answer) {
	q.Gate(r.decided)
	particular := q.state.awaiting() // reported as an autonomous recovery
	for i := range r.objections {
		if b := r.objections[i].breaks; b != nil && b.code != codeIllegalTransition {
			particular = true
			q.breaks(b)
		}
	}
	for i := range r.objections {
		if b := r.objections[i].breaks; b != nil && b.code == codeIllegalTransition && !particular {
			q.judge(*b)
		}
	}
}

// breaks reports the violation that a question demonstrates, once per subject.
func (q *question) breaks(b *judgement) {
	if q.w == nil || q.w.once(b.code+"/"+b.letter+"/"+b.what) {
		q.judge(*b)
	}
}

// gateAsked answers a question asked before the act (WP-16); it changes nothing else.
var gateAsked = Rule{ID: "WP-16", On: run.Types(runevents.TypeGateRequested), Run: run.With(func(c *Context, d *runevents.GateRequested) {
	if gates[d.Gate] == nil {
		return
	}
	q := &question{Context: c, gate: d.Gate, wave: d.Wave, w: c.state.Waves.numbered(d.Wave), base: d.Base, counts: d.Agents}
	if !c.state.Active {
		q.elsewhere()
		return
	}
	r := q.ask()
	r.decided.Ahead = true
	c.Gate(r.decided)
})}

// elsewhere answers for a run that does not use the protocol: the layer has no objection
// of its own, but a failed checklist closes the merge gate of any run (PL-41).
func (q *question) elsewhere() {
	out := runevents.GateDecided{
		Gate: q.gate, Wave: q.wave, Asked: q.Event.ID, Ahead: true, WhoDecides: runevents.DecidedByScaffoldwatch, Decision: runevents.DecisionAllow,
		Rule: "WP-16", Why: "The run does not use Scout-and-Wave; its protocol has no objection.",
	}
	if q.gate == runevents.GateMerge {
		decide(&out, failedChecklist(q), runevents.DecisionDeny, false)
	}
	out.Evidence = q.evidence(out.Evidence)
	q.Gate(out)
}

// outside answers a gate for a wave whose number is invalid or beyond the bound.
func (r record) outside(gate runevents.Gate, wave int) {
	r.Gate(runevents.GateDecided{
		Gate: gate, Wave: wave, Asked: r.Event.ID, WhoDecides: runevents.DecidedByScaffoldwatch, Decision: runevents.DecisionDeny, Rule: "WP-16",
		Why: "Waves are numbered from 1, and no more of them are watched than wave.kept.waves says.", Evidence: r.evidence(nil),
	})
}
