package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/schema"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

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
