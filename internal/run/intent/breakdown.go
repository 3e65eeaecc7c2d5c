package intent

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// breakdown is a confidence breakdown as far as it is given: tier0Injected,
// tier1Complete, unresolvedAssumptionCount and overallAmbiguityLevel, in any case and
// with or without underscores.
type breakdown struct {
	tier0, tier1 Presence
	tier2        Presence // whether it was searched
	assumptions  int
	level        Level
}

func readBreakdown(data any) breakdown {
	var b breakdown
	fields, _ := data.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
		case "tier0injected":
			b.tier0 = presence(value)
		case "tier1complete":
			b.tier1 = presence(value)
		case "tier2retrieved", "tier2searched", "tier2complete", "tier2queried":
			b.tier2 = presence(value)
		case "unresolvedassumptioncount":
			if n, ok := value.(float64); ok && n > 0 {
				b.assumptions = int(math.Min(n, 1e6))
			}
		case "overallambiguitylevel":
			text, _ := value.(string)
			b.level = worse(Clear, Level(text))
		}
	}
	return b
}

func presence(value any) Presence {
	given, ok := value.(bool)
	switch {
	case !ok:
		return ""
	case given:
		return Given
	}
	return Empty
}
