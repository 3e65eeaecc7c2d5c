package main

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/rulebook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
)

type rulesCommand struct {
	List    rulesListCommand    `cmd:"" help:"List the detectors, or all rules."`
	Explain rulesExplainCommand `cmd:"" help:"Print what a detector, a rule or a code means."`
	Test    rulesTestCommand    `cmd:"" help:"Run the examples of your own rules."`
}

type rulesExplainCommand struct {
	ID    string `arg:"" help:"Id or name of a detector (B1), a rule (RW-4), an invariant (I1), a code (SAW-COMMIT-MAIN) or the trigger of a break (agent_failures)."`
	Rules string `help:"YAML file that overrides rule data." type:"path" placeholder:"FILE"`
}

// Help gives examples.
func (rulesExplainCommand) Help() string {
	return `What triggers it, what silences it, how it is scored, with examples; of a rule
about runs what it says and which codes its events carry.

Examples:
  scaffoldwatch rules explain B1
  scaffoldwatch rules explain refetch
  scaffoldwatch rules explain U-no-print --rules ours.yaml
  scaffoldwatch rules explain RW-4
  scaffoldwatch rules explain SAW-COMMIT-MAIN`
}

// Run prints the embedded documentation (SW-32).
func (c *rulesExplainCommand) Run(r *run) error {
	set, err := app.LoadRules(c.Rules)
	if err != nil {
		return usageError{err}
	}
	list, err := app.Detectors(set)
	if err != nil {
		return usageError{err}
	}
	var known []string
	for _, d := range list {
		if strings.EqualFold(d.ID, c.ID) || strings.EqualFold(d.Name, c.ID) {
			return explain(r, d)
		}
		known = append(known, d.ID)
	}
	book, err := rulebook.Rules()
	if err != nil {
		return err
	}
	found := rulebook.Named(book, c.ID)
	if len(found) == 0 {
		return usageError{fmt.Errorf("no detector %q; there are %s; `scaffoldwatch rules list --all` shows rules too", c.ID, strings.Join(known, ", "))}
	}
	for i := range found {
		if i > 0 {
			fmt.Fprintln(r.out)
		}
		if _, err := fmt.Fprint(r.out, found[i].Markdown(c.ID)); err != nil {
			return err
		}
	}
	return nil
}

func explain(r *run, d *detect.Detector) error {
	_, err := fmt.Fprintf(r.out, "%s\n", strings.TrimSpace(d.Doc))
	return err
}
