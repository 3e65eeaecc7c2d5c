package intent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// sourcesGiven folds the sources (PL-38a): it remembers a failed source until the
// checkpoint lists it, and ignores one that is not configured.
var sourcesGiven = Rule{ID: "PL-38a", Folds: true, On: run.Types(runevents.TypeContextAssembled), Run: run.With(func(c *Context, data *runevents.ContextAssembled) {
	if len(data.Sections) == 0 {
		return // the tiers were not stated
	}
	known := Sources{Event: c.Event.ID, Tier0: c.config.tier(data.Sections, 0), Tier1: c.config.tier(data.Sections, 1)}
	for _, s := range data.Sections {
		if s.Tier != nil {
			known.Tried1 = known.Tried1 || *s.Tier == 1
			known.Tried2 = known.Tried2 || *s.Tier == 2
		}
		if s.Status == "failed" && len(known.Failed) < c.config.Kept.List {
			known.Failed = append(known.Failed, c.config.text(cmp.Or(s.Source, s.Name)))
		}
	}
	c.state.Sources = known
})}

// tier reports whether a tier has any content. If its only sources are not configured,
// Tier 1 counts as complete but Tier 0 as empty. A section without a tier may belong to
// any tier.
func (c *Config) tier(sections []runevents.ContextSection, tier int) Presence {
	silent, unsaid := false, false
	for _, s := range sections {
		if s.Tier == nil {
			unsaid = true
			continue
		}
		if *s.Tier != tier {
			continue
		}
		if !slices.Contains(c.NotIncluded, s.Status) {
			return Given
		}
		silent = silent || s.Status == "unconfigured"
	}
	if unsaid || silent && tier > 0 {
		return ""
	}
	return Empty
}

// tier2Limited is PL-38a: Tier 2 has a budget.
var tier2Limited = Rule{ID: "PL-38a", On: run.Types(runevents.TypeContextAssembled), Run: run.With(func(c *Context, data *runevents.ContextAssembled) {
	sections := data.Sections
	sources, tokens := map[string]bool{}, 0
	for _, s := range sections {
		if s.Tier != nil && *s.Tier == 2 && !slices.Contains(c.config.NotIncluded, s.Status) {
			sources[cmp.Or(s.Source, s.Name)] = true
			tokens += max(0, min(s.Tokens, 1<<30))
		}
	}
	limit := c.config.Tier2
	if len(sources) > limit.Sources {
		c.warn("PL-38a", CodeTier2, fmt.Sprintf("Tier 2 has %d sources, at most %d are given; the rest is listed as not given.", len(sources), limit.Sources))
	}
	if tokens > limit.Tokens {
		c.warn("PL-38a", CodeTier2, fmt.Sprintf("Tier 2 has %d tokens, at most %d are given; the rest is listed as not given.", tokens, limit.Tokens))
	}
})}

// contradictionsResolved is PL-38a: contradictions are resolved in favour of the
// source with the highest authority.
var contradictionsResolved = Rule{ID: "PL-38a", On: run.Types(runevents.TypeContextAssembled), Run: run.With(func(c *Context, data *runevents.ContextAssembled) {
	list := data.Contradictions
	for _, one := range list[:min(len(list), c.config.Kept.List)] {
		what, best := c.config.text(one.What), c.config.highest(one.Between)
		chosen := c.config.authority(one.ResolvedTo)
		switch {
		case one.ResolvedTo == "":
			c.warn("PL-38a", CodeContradiction, fmt.Sprintf("Sources contradict each other on %s (%s), and nobody resolved it.", quote.Passage(what), quote.Path(strings.Join(one.Between, ", "))))
		case best >= 0 && chosen > best:
			c.violate("PL-38a", CodeResolvedDown, fmt.Sprintf("On %s, %s was followed against %s, which has more authority.", quote.Passage(what), quote.Name(clip(one.ResolvedTo, 40)), c.config.Authority[best][0]))
		}
	}
})}

// authority returns the rank of a kind of source, 0 the highest; -1 if it is
// unknown.
func (c *Config) authority(kind string) int {
	return slices.IndexFunc(c.Authority, func(names []string) bool {
		return slices.Contains(names, strings.ToLower(strings.TrimSpace(kind)))
	})
}

func (c *Config) highest(kinds []string) int {
	best := -1
	for _, kind := range kinds {
		if rank := c.authority(kind); rank >= 0 && (best < 0 || rank < best) {
			best = rank
		}
	}
	return best
}

// failedSourcesListed is PL-38a: failed sources must be among the checkpoint's unresolved
// assumptions.
var failedSourcesListed = Rule{ID: "PL-38a", On: run.Types(runevents.TypeIntentCheckpoint), Run: run.With(func(c *Context, data *runevents.IntentCheckpoint) {
	listed := strings.ToLower(strings.Join(c.config.texts(data.UnresolvedAssumptions), "\n"))
	for _, source := range c.state.Sources.Failed {
		if !mentions(listed, source) {
			c.warnOnce("PL-38a", CodeSourceUnlisted, source, fmt.Sprintf("The source %s failed and is not among the unresolved assumptions.", source), c.state.Sources.Event)
		}
	}
})}

// mentions reports whether a text contains the words of a source's name.
func mentions(text, source string) bool {
	words := strings.FieldsFunc(strings.ToLower(source), func(r rune) bool { return strings.ContainsRune(" /:._-", r) })
	for _, w := range words {
		if len(w) > 2 && strings.Contains(text, w) {
			return true
		}
	}
	return len(words) == 0 || strings.Contains(text, strings.ToLower(source))
}
