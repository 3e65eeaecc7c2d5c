// Package rules holds the commands that list, explain and test rules.
package rules

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/evaluator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// Rules groups the commands about rules.
type Rules struct {
	List    rulesListCommand    `cmd:"" default:"withargs" help:"List the detectors, or all rules."`
	Explain rulesExplainCommand `cmd:"" help:"Explain a detector, a rule or a code."`
	Test    rulesTestCommand    `cmd:"" help:"Run the examples of your own rules."`
}

type rulesExplainCommand struct {
	ID    string `arg:"" help:"Detector id or name (B1), rule (RW-4), invariant (I1), code (SAW-COMMIT-MAIN) or trigger of a break (agent_failures)."`
	Rules string `help:"Rules file (YAML) that overrides the built-in rules." type:"path" placeholder:"FILE"`
}

// Help gives examples.
func (rulesExplainCommand) Help() string {
	return `Prints what triggers a detector, what silences it and how it is scored, with examples. For
any other rule, prints its text, codes, gates and settings.

Examples:
  scaffoldwatch rules explain B1
  scaffoldwatch rules explain refetch
  scaffoldwatch rules explain CLASS-E
  scaffoldwatch rules explain U-no-print --rules ours.yaml
  scaffoldwatch rules explain RW-4
  scaffoldwatch rules explain SAW-COMMIT-MAIN`
}

// Run prints the embedded documentation (SW-32).
func (c *rulesExplainCommand) Run(r *cli.Call) error {
	set, err := deployment.LoadRules(c.Rules)
	if err != nil {
		return cli.Usage(err)
	}
	list, err := evaluator.Detectors(set)
	if err != nil {
		return cli.Usage(err)
	}
	var known []string
	for _, d := range list {
		if strings.EqualFold(d.ID, c.ID) || strings.EqualFold(d.Name, c.ID) {
			if err := explain(r, d); err != nil {
				return err
			}
			return explainRules(r, c.ID, true)
		}
		known = append(known, d.ID)
	}
	if text := explainClass(list, c.ID); text != "" {
		_, err := fmt.Fprint(r.Stdout, text)
		return err
	}
	if len(spec.Named(c.ID)) == 0 {
		return cli.Usage(fmt.Errorf("no detector, rule or code %q; detectors are %s; `scaffoldwatch rules list --all` lists the rules", c.ID, strings.Join(known, ", ")))
	}
	return explainRules(r, c.ID, false)
}

// explainClass lists the detectors of a class as an interrupt names it ("CLASS-E", or the letter), "" for
// anything else.
func explainClass(list []*detect.Detector, named string) string {
	letter := strings.TrimPrefix(strings.ToUpper(named), "CLASS-")
	var text strings.Builder
	for _, d := range list {
		if strings.EqualFold(string(d.Class), letter) {
			fmt.Fprintf(&text, "%-4s  %s\n", d.ID, d.Title)
		}
	}
	if text.Len() > 0 {
		text.WriteString("scaffoldwatch rules explain ID says more of each.\n")
	}
	return text.String()
}

// explainRules prints what the specification says about a name. After is set if a detector's text precedes
// it: E1 to E5 are detectors as well as execution rules of Scout-and-Wave.
func explainRules(r *cli.Call, name string, after bool) error {
	found := spec.Named(name)
	for i := range found {
		if i > 0 || after {
			fmt.Fprintln(r.Stdout)
		}
		if _, err := fmt.Fprint(r.Stdout, found[i].Explain(name)); err != nil {
			return err
		}
	}
	return nil
}

func explain(r *cli.Call, d *detect.Detector) error {
	_, err := fmt.Fprintf(r.Stdout, "%s\n", strings.TrimSpace(d.Doc))
	return err
}
