package secrets

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	_ "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern/re2" // of the provider patterns
)

// Engine names the regular expression engine of the provider patterns, which are
// some ten times slower with the standard library's.
func Engine() string { return "github.com/wasilibs/go-re2" }

// catalogued is a rule of gitleaks with our overlay, see catalogue_gen.go.
type catalogued struct {
	id         string
	expression string
	path       string // "" for any
	group      int    // of the secret, 0 for the first that is not empty
	entropy    float64
	keywords   []string
	allowed    []allowance
	lead       lead
}

// allowance is an allow list: its matches are not secrets.
type allowance struct {
	all         bool   // every kind of condition that is given must hold, not any
	target      string // of expressions: "match", "line" or "", the secret
	expressions string
	paths       string
	stopWords   []string // in lower case
}

// allowlist is an allowance ready for use.
type allowlist struct {
	*allowance
	expressions, paths *pattern.Regexp // nil for none
}

func allowlists(list []allowance) []allowlist {
	out := make([]allowlist, len(list))
	for i := range list {
		out[i] = allowlist{&list[i], optional(list[i].expressions), optional(list[i].paths)}
	}
	return out
}

func optional(text string) *pattern.Regexp {
	if text == "" {
		return nil
	}
	return pattern.MustRE2(text)
}

// holds is gitleaks' own reading of an allow list, paths of the global list apart.
func (a *allowlist) holds(path, value, match string, line func() string) bool {
	target := value
	switch a.target {
	case "match":
		target = match
	case "line":
		target = line()
	}
	stop := a.stops(value)
	expression := a.expressions != nil && target != "" && a.expressions.MatchString(target)
	if !a.all {
		return expression || stop
	}
	return (a.expressions == nil || expression) && (len(a.stopWords) == 0 || stop) &&
		(a.paths == nil || path != "" && a.paths.MatchString(path))
}

func (a *allowlist) stops(value string) bool {
	value = strings.ToLower(value)
	for _, word := range a.stopWords {
		if strings.Contains(value, word) {
			return true
		}
	}
	return false
}
