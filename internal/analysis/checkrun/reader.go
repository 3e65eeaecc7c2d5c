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
	Runners []runner `yaml:"runners"`
	NotRuns string   `yaml:"not_runs"`
	// Interrupted matches a harness's message about a command that it interrupted.
	Interrupted string `yaml:"interrupted"`
	// NotTests matches programs that test nothing although one of their arguments is
	// "test".
	NotTests string                                     `yaml:"not_tests"`
	Outputs  map[sessionevents.CheckKind]outputPatterns `yaml:"outputs"`
	Passes   []string                                   `yaml:"passes"`
}

// runner is a program that checks something.
type runner struct {
	ID      string                  `yaml:"id"`
	Kind    sessionevents.CheckKind `yaml:"kind" allow:"test|build|lint|types|run|request"`
	Match   string                  `yaml:"match"`
	Module  string                  `yaml:"module"` // python -m MODULE: its arguments follow
	Skip    int                     `yaml:"skip" range:"0..9"`
	Words   []string                `yaml:"words"`
	Filters []string                `yaml:"filters"`
	Lone    []string                `yaml:"lone"`
	Values  []string                `yaml:"values"`
	// Forwarded are filters that a task passes on to the runner after "--".
	Forwarded []string `yaml:"forwarded"`

	match                            *pattern.Regexp
	filters, lone, values, forwarded map[string]bool
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
	r := &Reader{commands: commands, runners: c.Runners, outputs: map[sessionevents.CheckKind]*output{}, passes: rules.Lookup(c.Passes)}
	from := pattern.For(set, "checkrun")
	var err error
	if r.notRuns, err = from.Go("not_runs", c.NotRuns); err != nil {
		return nil, fmt.Errorf("load checks: %w", err)
	}
	if r.interrupted, err = from.Go("interrupted", c.Interrupted); err != nil {
		return nil, fmt.Errorf("load checks: %w", err)
	}
	if r.notTests, err = from.Go("not_tests", c.NotTests); err != nil {
		return nil, fmt.Errorf("load checks: %w", err)
	}
	for i := range r.runners {
		one := &r.runners[i]
		if one.match, err = from.Go("runners."+one.ID, one.Match); err != nil {
			return nil, fmt.Errorf("load checks: %w", err)
		}
		one.filters, one.lone, one.values = rules.Lookup(one.Filters), rules.Lookup(one.Lone), rules.Lookup(one.Values)
		one.forwarded = rules.Lookup(one.Forwarded)
	}
	for kind, patterns := range c.Outputs {
		if r.outputs[kind], err = patterns.compile(from, "outputs."+string(kind)); err != nil {
			return nil, fmt.Errorf("load checks: %w", err)
		}
	}
	return r, nil
}
