package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/schema"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// handover is the evidence by which a completed phase is judged.
type handover struct {
	phase    string
	contract string // "": it declares none
	owed     bool   // a handover is expected at all
	rule     string // PL-4, or PL-7 where the contract follows from the workflow
	valid    []runevents.Artifact
	invalid  bool // one of the contract was invalid
	unknown  bool // the contract is

	quality runevents.HandoverQuality // PL-1
	lacks   string                    // why it is not full, for people
}

// artifactsOwed is PL-4: it compares artifacts with their contracts, including
// registered artifacts of other kinds.
var artifactsOwed = Rule{ID: "PL-4", On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, d *runevents.PhaseCompleted) {
	h, artifacts := c.handover, d.Artifacts
	versions := c.contracts().known(h.contract)
	h.unknown = h.contract != "" && len(versions) == 0
	if h.unknown {
		c.violation(c.phaseJudgement("UNKNOWN_CONTRACT_REF", h.rule, h.phase, "Phase %s names the contract %s, which is not registered.", short(h.phase), short(h.contract)))
	}
	for i, a := range artifacts {
		kind := canonicalRef(a.Kind)
		expected := kind == h.contract && !h.unknown || kind == "" && h.contract != ""
		if !expected && len(c.contracts().known(kind)) == 0 {
			continue // without a contract there is nothing to check
		}
		one := delivery{c, a, h.phase, i, kind}
		problems, later := one.problems()
		if len(problems) == 0 {
			h.valid = append(h.valid, a)
			one.newer(later)
			continue
		}
		h.invalid = h.invalid || expected
		one.invalid(problems)
	}
	if h.contract != "" && !h.unknown && !h.invalid && !h.emits(h.contract) {
		c.violation(c.phaseJudgement("MISSING_REQUIRED_ARTIFACT", h.rule, h.phase, "Phase %s completed without the %s artifact of its contract.", short(h.phase), short(h.contract)))
	}
})}

func (h *handover) emits(kind string) bool {
	return slices.ContainsFunc(h.valid, func(a runevents.Artifact) bool { return canonicalRef(a.Kind) == kind })
}

// delivery is an artifact that a phase hands over.
type delivery struct {
	*Context
	runevents.Artifact
	phase string
	index int    // among the artifacts of the phase
	kind  string // canonical
}

// problems returns how the artifact violates the contract of its kind, and apart from it
// what a later upstream version accounts for (PL-6a).
func (a delivery) problems() (broken, later []schema.Problem) {
	kind, contracts := a.kind, a.contracts()
	if kind == "" {
		return []schema.Problem{{Path: "/kind", What: "is missing: an artifact says of which contract it is"}}, nil
	}
	version, versions := a.Version, contracts.known(kind)
	if version == 0 {
		version = versions[len(versions)-1] // not said: the latest
	}
	expected, forgiven := contracts.schema(kind, version), contracts.Contracts.listed(kind)
	if latest := versions[len(versions)-1]; expected == nil && version > latest && contracts.builtin.has(kind) {
		expected, forgiven = contracts.schema(kind, latest), ofLaterVersion
	}
	if expected == nil {
		known := strings.Trim(fmt.Sprint(versions), "[]")
		what := fmt.Sprintf("version %d is not registered (known: %s)", version, known)
		return []schema.Problem{{Path: "/version", What: what}}, nil
	}
	broken, later, err := expected.CheckApart(document(a.Artifact), forgiven)
	broken = slices.DeleteFunc(broken, envelope)
	switch {
	case errors.Is(err, schema.ErrTooLarge):
		return []schema.Problem{{Path: "/", What: err.Error()}}, nil
	case err != nil:
		return []schema.Problem{{Path: "/", What: "is not a JSON document"}}, nil
	case len(broken) == 0 && !a.run.OwnWorktree: // PL-6
		for _, field := range contracts.Contracts.UnlessOwnWorktree[kind] {
			if !filled(a.Artifact, field) {
				const what = "is missing, and the run declares no worktree of its own"
				broken = append(broken, schema.Problem{Path: "/" + field, What: what})
			}
		}
	}
	return broken, later
}

// envelope reports that a contract does not know the kind or version of its
// artifacts: every artifact has them, so a contract need not name them.
func envelope(p schema.Problem) bool {
	return p.Unknown && (p.Path == "/kind" || p.Path == "/version")
}

func document(a runevents.Artifact) []byte {
	data, err := a.MarshalJSON()
	if err != nil {
		return nil
	}
	return data
}

// invalid is PL-4.
func (a delivery) invalid(problems []schema.Problem) {
	kind := a.kind
	if kind == "" {
		kind = "unnamed"
	}
	j := a.phaseJudgement("INVALID_ARTIFACT_SCHEMA", "PL-4", a.phase, "Artifact %d of phase %s (%s) breaks its contract at %s: %s.", a.index+1, short(a.phase), short(kind), problems[0].Path, problems[0].What)
	j.Evidence = j.Evidence[:0]
	for _, p := range problems {
		j.Evidence = append(j.Evidence, runevents.Reference{Event: a.Event.ID, Path: p.Path, What: p.What})
	}
	a.violation(j)
}

// quality is PL-1. An invalid artifact counts as none.
func (limits *Handover) quality(h *handover, notes string) (quality runevents.HandoverQuality, lacks string) {
	switch {
	case !h.owed:
		return runevents.HandoverFull, ""
	case h.contract != "" && !h.unknown && h.emits(h.contract), h.contract == "" && len(h.valid) > 0:
		return runevents.HandoverFull, ""
	}
	lacks = "no artifact"
	switch {
	case h.unknown:
		lacks = fmt.Sprintf("no artifact of a known contract (%s is not registered)", short(h.contract))
	case h.invalid:
		lacks = fmt.Sprintf("no valid %s", short(h.contract))
	case h.contract != "":
		lacks = fmt.Sprintf("no %s", short(h.contract))
	}
	characters := utf8.RuneCountInString(strings.TrimSpace(notes))
	if characters > limits.NotesAbove {
		return runevents.HandoverPartial, lacks + ", notes only"
	}
	return runevents.HandoverFallback, fmt.Sprintf("%s, and notes of %d characters (more than %d are needed)", lacks, characters, limits.NotesAbove)
}

func (r report) phaseJudgement(code, rule, phase, what string, arguments ...any) runevents.Judgement {
	j := r.judgement(code, rule, what, arguments...)
	j.Phase = short(phase)
	return j
}

// field is a field of an artifact, nil where it has none.
func field(a runevents.Artifact, name string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(document(a), &fields) != nil {
		return nil
	}
	return fields[name]
}

// filled reports whether a field has content.
func filled(a runevents.Artifact, name string) bool {
	switch string(field(a, name)) {
	case "", "null", "[]", `""`, "{}":
		return false
	}
	return true
}

// texts are the strings of a field.
func texts(a runevents.Artifact, name string) []string {
	var out []string
	if json.Unmarshal(field(a, name), &out) != nil {
		return nil
	}
	return out
}

// listed returns which unknown fields of a kind the rules know from later upstream
// versions (PL-6a).
func (r *ContractRules) listed(kind string) func(schema.Problem) bool {
	names := r.Newer[kind]
	return func(p schema.Problem) bool {
		return p.Unknown && slices.Contains(names, p.Path[strings.LastIndexByte(p.Path, '/')+1:])
	}
}

// ofLaterVersion reports what a version that is not known yet accounts for: its number, and
// fields that the latest known one lacks.
func ofLaterVersion(p schema.Problem) bool { return p.Unknown || p.Path == "/version" }

func (r *registry) has(kind string) bool {
	return slices.ContainsFunc(r.contracts, func(one Contract) bool { return one.Ref == kind })
}

// newer is PL-6a: what a newer upstream adds is kept, and said once an artifact.
func (a delivery) newer(later []schema.Problem) {
	var fields []string
	for _, p := range later {
		name := p.Path[strings.LastIndexByte(p.Path, '/')+1:]
		if p.Unknown && !envelope(p) && !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	versions := a.contracts().known(a.kind)
	latest := versions[len(versions)-1]
	if len(fields) == 0 && a.Version <= latest {
		return
	}
	what := fmt.Sprintf("Artifact %d of phase %s (%s)", a.index+1, short(a.phase), a.kind)
	if a.Version > latest {
		what += fmt.Sprintf(" is of version %d and is read by the fields of version %d", a.Version, latest)
	} else {
		what += " comes from a newer upstream"
	}
	if len(fields) > 0 {
		what += fmt.Sprintf("; not known and kept: %s", several(fields))
	}
	j := a.phaseJudgement("NEWER-HANDOFF", "PL-6a", a.phase, "%s.", what)
	j.Evidence = j.Evidence[:0]
	for _, p := range later {
		j.Evidence = append(j.Evidence, runevents.Reference{Event: a.Event.ID, Path: p.Path, What: p.What})
	}
	a.warning(j)
}
