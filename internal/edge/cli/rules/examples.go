package rules

import (
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/rules/ruletest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

type rulesTestCommand struct {
	File string `arg:"" help:"Rules file (YAML) with a section userrules." type:"path"`
}

// Help gives examples.
func (rulesTestCommand) Help() string {
	return `Runs the firing and silent examples of every rule in the section userrules and prints one
line for each. Exits with code 1 if an example fails, and 2 if the file is invalid.

Examples:
  scaffoldwatch rules test ours.yaml`
}

// Run prints the result of each example.
func (c *rulesTestCommand) Run(r *cli.Call) error {
	set, err := deployment.LoadRules(c.File)
	if err != nil {
		return cli.Usage(err)
	}
	tests, err := ruletest.Run(set)
	if err != nil {
		return cli.Usage(err)
	}
	if len(tests) == 0 {
		return cli.Usage(fmt.Errorf("%s has no rules of your own; add them under userrules: detectors:", c.File))
	}
	failed := 0
	for _, t := range tests {
		if t.Failed != "" {
			failed++
		}
		if err := printRuleTest(r, c.File, t); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %s failed", failed, text.Count(len(tests), "example"))
	}
	_, err = fmt.Fprintf(r.Stdout, "%s passed\n", text.Count(len(tests), "example"))
	return err
}

func printRuleTest(r *cli.Call, file string, t ruletest.Result) error {
	kind := "silent"
	if t.Firing {
		kind = "firing"
	}
	mark := r.Theme.Good.Render("ok  ")
	if t.Failed != "" {
		mark = r.Theme.Bad.Render("FAIL")
	}
	_, err := fmt.Fprintf(r.Stdout, "%s  %s:%d  %s  %s  %s\n", mark, file, t.Line, t.Rule, kind, terminal.Clean(t.Name))
	if t.Failed != "" {
		_, writing := fmt.Fprintf(r.Stdout, "      %s\n", terminal.Clean(t.Failed))
		err = errors.Join(err, writing)
	}
	return err
}
