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
func (c *Context) listed(kind string) func(schema.Problem) bool {
	names := c.config.Contracts.Newer[kind]
	return func(p schema.Problem) bool {
		return p.Unknown && slices.Contains(names, p.Path[strings.LastIndexByte(p.Path, '/')+1:])
	}
}

// ofLaterVersion reports what a version that is not known yet accounts for: its number, and
// fields that the latest known one lacks.
func ofLaterVersion(p schema.Problem) bool { return p.Unknown || p.Path == "/version" }

func (c *Context) isBuiltin(kind string) bool {
	return slices.ContainsFunc(c.config.builtin.contracts, func(one Contract) bool { return one.Ref == kind })
}

// newerArtifact is PL-6a: what a newer upstream adds is kept, and said once an artifact.
func (c *Context) newerArtifact(h *handover, index int, kind string, version int, later []schema.Problem) {
	var fields []string
	for _, p := range later {
		name := p.Path[strings.LastIndexByte(p.Path, '/')+1:]
		if p.Unknown && !envelope(p) && !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	versions := c.known(kind)
	latest := versions[len(versions)-1]
	if len(fields) == 0 && version <= latest {
		return
	}
	what := fmt.Sprintf("Artifact %d of phase %s (%s)", index+1, short(h.phase), kind)
	if version > latest {
		what += fmt.Sprintf(" is of version %d and is read by the fields of version %d", version, latest)
	} else {
		what += " comes from a newer upstream"
	}
	if len(fields) > 0 {
		what += fmt.Sprintf("; not known and kept: %s", several(fields))
	}
	j := c.phaseJudgement("NEWER-HANDOFF", "PL-6a", h.phase, "%s.", what)
	j.Evidence = j.Evidence[:0]
	for _, p := range later {
		j.Evidence = append(j.Evidence, runevents.Reference{Event: c.Event.ID, Path: p.Path, What: p.What})
	}
	c.warning(j)
}
