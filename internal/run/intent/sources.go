package intent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// context is PL-38a: a source that failed is remembered until the checkpoint
// lists it, one that is not configured is nothing, Tier 2 has a budget.
func (d *decision) context(data *runevents.ContextAssembled) {
	d.tier2(data.Sections)
	d.contradictions(data.Contradictions)
	if len(data.Sections) == 0 {
		return // nothing is said of the tiers
	}
	known := Context{Event: d.event, Tier0: d.tier(data.Sections, 0), Tier1: d.tier(data.Sections, 1)}
	for _, s := range data.Sections {
		if s.Status == "failed" && len(known.Failed) < d.config.Kept.List {
			known.Failed = append(known.Failed, d.text(cmp.Or(s.Source, s.Name)))
		}
	}
	d.state.Context = known
}

// tier says whether anything of a tier was given. Where its only sources are not
// configured nothing is missing of Tier 1; Tier 0 is empty then too. A section
// that does not say its tier may be of any.
func (d *decision) tier(sections []runevents.ContextSection, tier int) Presence {
	silent, unsaid := false, false
	for _, s := range sections {
		if s.Tier == nil {
			unsaid = true
			continue
		}
		if *s.Tier != tier {
			continue
		}
		if !slices.Contains(d.config.NotIncluded, s.Status) {
			return Given
		}
		silent = silent || s.Status == "unconfigured"
	}
	if unsaid || silent && tier > 0 {
		return ""
	}
	return Empty
}

func (d *decision) tier2(sections []runevents.ContextSection) {
	sources, tokens := map[string]bool{}, 0
	for _, s := range sections {
		if s.Tier != nil && *s.Tier == 2 && !slices.Contains(d.config.NotIncluded, s.Status) {
			sources[cmp.Or(s.Source, s.Name)] = true
			tokens += max(0, min(s.Tokens, 1<<30))
		}
	}
	limit := d.config.Tier2
	if len(sources) > limit.Sources {
		d.warn("PL-38a", CodeTier2, fmt.Sprintf("Tier 2 has %d sources, at most %d are given; the rest is listed as not given.", len(sources), limit.Sources))
	}
	if tokens > limit.Tokens {
		d.warn("PL-38a", CodeTier2, fmt.Sprintf("Tier 2 has %d tokens, at most %d are given; the rest is listed as not given.", tokens, limit.Tokens))
	}
}

// contradictions are resolved upward: the source of the highest authority is
// followed.
func (d *decision) contradictions(list []runevents.Contradiction) {
	for _, c := range list[:min(len(list), d.config.Kept.List)] {
		what, best := d.text(c.What), d.highest(c.Between)
		chosen := d.authority(c.ResolvedTo)
		switch {
		case c.ResolvedTo == "":
			d.warn("PL-38a", CodeContradiction, fmt.Sprintf("Sources contradict each other on %q (%s), and nobody resolved it.", what, clip(strings.Join(c.Between, ", "), 200)))
		case best >= 0 && chosen > best:
			d.violate("PL-38a", CodeResolvedDown, fmt.Sprintf("On %q, %s was followed against %s, which has more authority.", what, clip(c.ResolvedTo, 40), d.config.Authority[best][0]))
		}
	}
}

// authority is the rank of a kind of source, 0 the highest; -1 if it is not known.
func (d *decision) authority(kind string) int {
	return slices.IndexFunc(d.config.Authority, func(names []string) bool {
		return slices.Contains(names, strings.ToLower(strings.TrimSpace(kind)))
	})
}

func (d *decision) highest(kinds []string) int {
	best := -1
	for _, kind := range kinds {
		if rank := d.authority(kind); rank >= 0 && (best < 0 || rank < best) {
			best = rank
		}
	}
	return best
}

// sourcesListed: what failed goes into the checkpoint's unresolved assumptions.
func (d *decision) sourcesListed(data *runevents.IntentCheckpoint) {
	listed := strings.ToLower(strings.Join(d.texts(data.UnresolvedAssumptions), "\n"))
	for _, source := range d.state.Context.Failed {
		if !mentions(listed, source) {
			d.warnOnce("PL-38a", CodeSourceUnlisted, source, fmt.Sprintf("The source %s failed and is not among the unresolved assumptions.", source), d.state.Context.Event)
		}
	}
}

// mentions looks for the words of a source's name.
func mentions(text, source string) bool {
	words := strings.FieldsFunc(strings.ToLower(source), func(r rune) bool { return strings.ContainsRune(" /:._-", r) })
	for _, w := range words {
		if len(w) > 2 && strings.Contains(text, w) {
			return true
		}
	}
	return len(words) == 0 || strings.Contains(text, strings.ToLower(source))
}
