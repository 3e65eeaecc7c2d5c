package ralph

import (
	"fmt"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Pattern is one way to express something.
type Pattern struct {
	Pattern *pattern.Regexp `yaml:"pattern" pattern:"fold"`
	Matches []string        `yaml:"matches"`
	Not     []string        `yaml:"not"`
	// FrameOnly requires a frame or a time stamp: without one, an agent could have written it.
	FrameOnly bool `yaml:"frame_only"`
}

// Phrases is the section `loops` of the rules.
type Phrases struct {
	Begins    []*Pattern `yaml:"begins"`
	Ends      []*Pattern `yaml:"ends"`
	Exits     []*Pattern `yaml:"exits"`
	GivesUp   []*Pattern `yaml:"gives_up"`
	Succeeds  []*Pattern `yaml:"succeeds"`
	Waits     []*Pattern `yaml:"waits"`
	Promises  []*Pattern `yaml:"promises"`
	Stillborn []*Pattern `yaml:"stillborn"`
	// Plans are files that list what the loop has to do; LogFolders are separate folders for its logs
	// (IN-13).
	Plans      []string `yaml:"plans"`
	LogFolders []string `yaml:"log_folders"`
}

// Load returns the phrases of a set of rules.
func Load(set *rules.Set) (*Phrases, error) {
	p := &Phrases{}
	if err := set.Decode("loops", p); err != nil {
		return nil, fmt.Errorf("read the phrases of loops: %w", err)
	}
	return p, nil
}

// embedded holds the phrases of the embedded rules.
var embedded = sync.OnceValue(func() *Phrases {
	p, err := Load(rules.Default())
	if err != nil {
		panic(err) // the embedded data is checked by this package's tests
	}
	return p
})

// match returns the groups of the first pattern that matches, nil if none does.
func match(list []*Pattern, l written) map[string]string {
	for _, p := range list {
		if p.FrameOnly && !l.framed && !l.stamped {
			continue
		}
		m := p.Pattern.FindStringSubmatch(l.bare)
		if m == nil {
			continue
		}
		groups := map[string]string{}
		for i, name := range p.Pattern.SubexpNames() {
			if name != "" {
				groups[name] = m[i]
			}
		}
		return groups
	}
	return nil
}
