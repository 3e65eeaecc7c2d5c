package checkrun

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section checkrun of the rule data, which explains each value.
type config struct {
	Runners []runner        `yaml:"runners"`
	NotRuns *pattern.Regexp `yaml:"not_runs"`
	// Interrupted matches a harness's message about a command that it interrupted.
	Interrupted *pattern.Regexp `yaml:"interrupted"`
	// NotTests matches programs that test nothing although one of their arguments is
	// "test".
	NotTests   *pattern.Regexp                            `yaml:"not_tests"`
	Unfinished *pattern.Regexp                            `yaml:"unfinished"`
	Selects    *pattern.Regexp                            `yaml:"selects"`
	Parts      *pattern.Regexp                            `yaml:"parts"`
	Listing    *pattern.Regexp                            `yaml:"listing"`
	Outputs    map[sessionevents.CheckKind]outputPatterns `yaml:"outputs"`
	Passes     rules.Words                                `yaml:"passes"`
}

// runner is a program that checks something.
type runner struct {
	ID     string                  `yaml:"id"`
	Kind   sessionevents.CheckKind `yaml:"kind" allow:"test|build|lint|types|run|request"`
	Match  *pattern.Regexp         `yaml:"match"`
	Module string                  `yaml:"module"` // python -m MODULE: its arguments follow
	Skip   int                     `yaml:"skip" range:"0..9"`
	// Operands says that what follows the words of Match is its scope.
	Operands bool        `yaml:"operands"`
	Words    []string    `yaml:"words"`
	Filters  rules.Words `yaml:"filters"`
	Lone     rules.Words `yaml:"lone"`
	Values   rules.Words `yaml:"values"`
	// Forwarded are filters that a task passes on to the runner after "--".
	Forwarded rules.Words `yaml:"forwarded"`
}

// outputPatterns match the output of a kind of check.
type outputPatterns struct {
	Passed       []string `yaml:"passed"`
	Failed       []string `yaml:"failed"`
	Nothing      []string `yaml:"nothing"`
	Broken       []string `yaml:"broken"`
	PassedCount  []string `yaml:"passed_count"`
	FailedCount  []string `yaml:"failed_count"`
	SkippedCount []string `yaml:"skipped_count"`
	// SectionsCount are counts that are added up over the sections of an output.
	SectionsCount []string `yaml:"sections_count"`
	Names         []string `yaml:"names"`
	Cached        string   `yaml:"cached"`
	Ran           string   `yaml:"ran"`
}

// Reader finds checks. It is safe for concurrent use.
type Reader struct {
	commands *shell.Parser
	runners  []runner
	notRuns  *pattern.Regexp
	notTests *pattern.Regexp
	// unfinished matches the beginning of a result whose call has not ended.
	unfinished *pattern.Regexp
	// listing matches lines of a test runner that run no test, selects flags of any test runner that select
	// tests, and parts other words that do.
	listing, selects, parts *pattern.Regexp
	// interrupted matches a harness's message about a command that it interrupted.
	interrupted *pattern.Regexp
	outputs     map[sessionevents.CheckKind]*output
	passes      map[string]bool
}

// New returns a reader for the section "checkrun" of the rules.
func New(set *rules.Set, commands *shell.Parser) (*Reader, error) {
	var c config
	if err := set.Decode("checkrun", &c); err != nil {
		return nil, fmt.Errorf("load checks: %w", err)
	}
	r := &Reader{
		commands: commands, runners: c.Runners, notRuns: c.NotRuns, notTests: c.NotTests, interrupted: c.Interrupted,
		unfinished: c.Unfinished, listing: c.Listing, selects: c.Selects, parts: c.Parts,
		outputs: map[sessionevents.CheckKind]*output{}, passes: c.Passes,
	}
	from := pattern.For(set, "checkrun")
	var err error
	for kind, patterns := range c.Outputs {
		if r.outputs[kind], err = patterns.compile(from, "outputs."+string(kind)); err != nil {
			return nil, fmt.Errorf("load checks: %w", err)
		}
	}
	return r, nil
}
