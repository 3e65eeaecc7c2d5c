package secrets

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	_ "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern/re2" // of the provider patterns
)

// Engine names the regular expression engine of the provider patterns, which are
// some ten times slower with the standard library's.
func Engine() string { return "github.com/wasilibs/go-re2" }

// shipped is catalogue.json: what gitleaks reads from its own rules, MIT licensed, and our overlay.
//
//go:embed catalogue.json
var shipped []byte

// known decodes the catalogue where it is used first.
var known = sync.OnceValue(func() *catalogue {
	c := &catalogue{}
	if err := json.Unmarshal(shipped, c); err != nil {
		panic(fmt.Sprintf("the embedded catalogue of secrets: %v", err)) // a broken build, see TestGeneratedCatalogueIsFresh
	}
	return c
})

// catalogue is the rules, sorted by id, and what is allowed for each of them.
type catalogue struct {
	AllowedEverywhere []allowance  `json:"allowed_everywhere"`
	Rules             []catalogued `json:"rules"`
}

// catalogued is a rule of gitleaks with our overlay.
type catalogued struct {
	ID         string      `json:"id"`
	Expression string      `json:"expression"`
	Path       string      `json:"path,omitempty"`  // "" for any
	Group      int         `json:"group,omitempty"` // of the secret, 0 for the first that is not empty
	Entropy    float64     `json:"entropy,omitempty"`
	Keywords   []string    `json:"keywords"`
	Allowed    []allowance `json:"allowed,omitempty"`
	Lead       lead        `json:"lead,omitzero"`
}

// allowance is an allow list: its matches are not secrets.
type allowance struct {
	All         bool     `json:"all,omitempty"`    // every kind of condition that is given must hold, not any
	Target      string   `json:"target,omitempty"` // of expressions: "match", "line" or "", the secret
	Expressions string   `json:"expressions,omitempty"`
	Paths       string   `json:"paths,omitempty"`
	StopWords   []string `json:"stop_words,omitempty"` // in lower case
}

// allowlist is an allowance ready for use.
type allowlist struct {
	allowance          *allowance
	expressions, paths *pattern.Regexp // nil for none
}

func allowlists(list []allowance) []allowlist {
	out := make([]allowlist, len(list))
	for i := range list {
		out[i] = allowlist{&list[i], optional(list[i].Expressions), optional(list[i].Paths)}
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
	switch a.allowance.Target {
	case "match":
		target = match
	case "line":
		target = line()
	}
	stop := a.stops(value)
	expression := a.expressions != nil && target != "" && a.expressions.MatchString(target)
	if !a.allowance.All {
		return expression || stop
	}
	return (a.expressions == nil || expression) && (len(a.allowance.StopWords) == 0 || stop) &&
		(a.paths == nil || path != "" && a.paths.MatchString(path))
}

func (a *allowlist) stops(value string) bool {
	value = strings.ToLower(value)
	for _, word := range a.allowance.StopWords {
		if strings.Contains(value, word) {
			return true
		}
	}
	return false
}
