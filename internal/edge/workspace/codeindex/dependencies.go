package codeindex

import (
	"cmp"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// dependency is a name that a manifest declares.
type dependency struct{ name, manifest string }

// conventions returns what manifests say about the codebase: each dependency once, from the manifest
// nearest the top, as an inferred convention (A2). Names that a declared convention mentions are left out.
func (b *builder) conventions(declared []sessionevents.Convention) []sessionevents.Convention {
	list := slices.Clone(b.dependencies)
	slices.SortStableFunc(list, func(x, y dependency) int {
		return cmp.Or(cmp.Compare(strings.Count(x.manifest, "/"), strings.Count(y.manifest, "/")), cmp.Compare(x.manifest, y.manifest), cmp.Compare(x.name, y.name))
	})
	seen := map[string]bool{}
	for _, c := range declared {
		seen[c.Wrapper] = true
		for _, name := range c.Bypass {
			seen[name] = true
		}
	}
	var out []sessionevents.Convention
	for _, d := range list {
		if seen[d.name] || len(out) >= b.Dependencies {
			continue
		}
		seen[d.name] = true
		out = append(out, sessionevents.Convention{
			ID: "dependency:" + d.name, Rule: d.manifest + " depends on " + d.name + ".", Wrapper: d.name, Inferred: true,
		})
	}
	return out
}
