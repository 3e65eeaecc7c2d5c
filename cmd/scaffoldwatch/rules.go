package main

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
)

type rulesCommand struct {
	List    rulesListCommand    `cmd:"" help:"List the detectors."`
	Explain rulesExplainCommand `cmd:"" help:"Print a detector's documentation."`
	Test    rulesTestCommand    `cmd:"" help:"Run the examples of your own rules."`
}

type rulesListCommand struct {
	Rules string `help:"YAML file that overrides rule data." type:"path" placeholder:"FILE"`
}

// Help gives examples.
func (rulesListCommand) Help() string {
	return `Examples:
  scaffoldwatch rules list
  scaffoldwatch rules list --rules ours.yaml`
}

// Run prints a line per detector.
func (c *rulesListCommand) Run(r *run) error {
	set, err := app.LoadRules(c.Rules)
	if err != nil {
		return usageError{err}
	}
	list, err := app.Detectors(set)
	if err != nil {
		return usageError{err}
	}
	fmt.Fprintln(r.out, r.theme.Faint.Render(fmt.Sprintf("%-4s  %-6s  %-8s  %-16s  %s", "id", "class", "mode", "name", "finds")))
	for _, d := range list {
		if _, err := fmt.Fprintf(r.out, "%-4s  %-6s  %-8s  %-16s  %s\n", d.ID, d.Class, d.ModeIn(set), d.Name, d.Title); err != nil {
			return err
		}
	}
	return nil
}

type rulesExplainCommand struct {
	ID    string `arg:"" help:"Detector id, for example B1."`
	Rules string `help:"YAML file that overrides rule data." type:"path" placeholder:"FILE"`
}

// Help gives examples.
func (rulesExplainCommand) Help() string {
	return `What triggers the detector, what silences it, how it is scored, with examples.

Examples:
  scaffoldwatch rules explain B1
  scaffoldwatch rules explain refetch
  scaffoldwatch rules explain U-no-print --rules ours.yaml`
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
	return usageError{fmt.Errorf("no detector %q; there are %s", c.ID, strings.Join(known, ", "))}
}

func explain(r *run, d *detect.Detector) error {
	_, err := fmt.Fprintf(r.out, "%s\n", strings.TrimSpace(d.Doc))
	return err
}
