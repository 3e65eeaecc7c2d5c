package rules

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/evaluator"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

type rulesListCommand struct {
	All    bool   `help:"Include the rules of sessions, dispatch, runs, waves, pipelines and events."`
	Output string `short:"o" enum:"text,json" default:"text" help:"Output: text or json."`
	Rules  string `help:"Rules file (YAML) that overrides the built-in rules." type:"path" placeholder:"FILE"`
}

// Help gives examples.
func (rulesListCommand) Help() string {
	return `Examples:
  scaffoldwatch rules list
  scaffoldwatch rules list --rules ours.yaml
  scaffoldwatch rules list --all --output json | jq -r '.rules[].id'`
}

// listedDetector is a detector in the list.
type listedDetector struct {
	ID    string `json:"id"`
	Class string `json:"class"`
	Mode  string `json:"mode"`
	Name  string `json:"name"`
	Title string `json:"title"`
}

// listedRule is a rule in the list that is not a detector.
type listedRule struct {
	ID      string   `json:"id"`
	Chapter string   `json:"chapter"`
	Title   string   `json:"title"`
	Planned bool     `json:"planned,omitempty"`
	Codes   []string `json:"codes,omitempty"`
}

// heading returns the title, marked if the rule is only planned.
func (r *listedRule) heading() string {
	if r.Planned {
		return r.Title + " (planned)"
	}
	return r.Title
}

type listedRules struct {
	Detectors []listedDetector `json:"detectors"`
	Rules     []listedRule     `json:"rules,omitempty"`
}

// Run prints one line for each detector, and with --all for each rule.
func (c *rulesListCommand) Run(r *cli.Call) error {
	list, err := c.listed()
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return cli.Indented(r.Stdout, list)
	}
	fmt.Fprintln(r.Stdout, r.Theme.Faint.Render(fmt.Sprintf("%-4s  %-6s  %-8s  %-16s  %s", "id", "class", "mode", "name", "finds")))
	for _, d := range list.Detectors {
		if _, err := fmt.Fprintf(r.Stdout, "%-4s  %-6s  %-8s  %-16s  %s\n", d.ID, d.Class, d.Mode, d.Name, d.Title); err != nil {
			return err
		}
	}
	if len(list.Rules) > 0 {
		fmt.Fprintln(r.Stdout, r.Theme.Faint.Render(fmt.Sprintf("\n%-6s  %-8s  %s", "id", "about", "rule")))
	}
	for _, rule := range list.Rules {
		if _, err := fmt.Fprintf(r.Stdout, "%-6s  %-8s  %s\n", rule.ID, rule.Chapter, rule.heading()); err != nil {
			return err
		}
	}
	return nil
}

func (c *rulesListCommand) listed() (listedRules, error) {
	var out listedRules
	set, err := deployment.LoadRules(c.Rules)
	if err != nil {
		return out, cli.Usage(err)
	}
	detectors, err := evaluator.Detectors(set)
	if err != nil {
		return out, cli.Usage(err)
	}
	for _, d := range detectors {
		out.Detectors = append(out.Detectors, listedDetector{d.ID, string(d.Class), fmt.Sprint(d.ModeIn(set)), d.Name, d.Title})
	}
	if !c.All {
		return out, nil
	}
	for _, rule := range spec.Rules() {
		out.Rules = append(out.Rules, entry(rule))
	}
	return out, nil
}

func entry(rule spec.Rule) listedRule {
	out := listedRule{ID: rule.ID, Chapter: rule.Layer, Title: rule.Title, Planned: rule.Planned}
	for _, c := range rule.Codes {
		out.Codes = append(out.Codes, c.Code)
	}
	return out
}
