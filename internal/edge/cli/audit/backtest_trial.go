package audit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// trial holds the rules to compare, the current ones first.
type trial struct {
	present view.Rules
	sets    []*rules.Set
	given   []view.Rules
	values  [][]float64 // of the settings of a sweep, for each set after the first
	sweep   []backtest.Range
	bundles []*bundle.Bundle // bundles to fold; if none, transcripts or the running system
	of      map[string]bool  // the groups that these rules apply to; nil means all
	options machines.Options
	from    string          // the stage whose record is folded
	whole   map[string]bool // groups whose record is not reused

	settings config.Config
}

// trial reads the rules.
func (c *Backtest) trial(r *cli.Call) (*trial, error) {
	settings, err := c.Settings(r)
	if err != nil {
		return nil, err
	}
	if c.Rules == "" && len(c.Sweep) == 0 && (c.Against == "" || settings.Rules == "") {
		return nil, cli.Usage(errors.New("no rules to try: name a file with --rules FILE, or a setting with --sweep"))
	}
	t := &trial{options: machines.Options{IdleTimeout: settings.Session.IdleTimeout}, settings: settings}
	if t.options.FingerprintKey, err = deployment.LoadKey(settings.Security.FingerprintKey); err != nil {
		return nil, cli.Usage(err)
	}
	if t.sweep, err = backtest.ParseRanges(c.Sweep); err != nil {
		return nil, cli.Usage(err)
	}
	if t.bundles, err = c.open(); err != nil {
		return nil, err
	}
	if err := c.sets(t, settings); err != nil {
		return nil, cli.Usage(err)
	}
	return t, nil
}

// sets loads the current rules and those to try.
func (c *Backtest) sets(t *trial, settings config.Config) error {
	present := c.Against
	if present == "" {
		present = settings.Rules
	}
	tried := c.Rules
	if tried == "" {
		tried = settings.Rules
	}
	was, err := deployment.LoadRules(present)
	if len(t.bundles) > 0 && c.Against == "" {
		was, err = recordedRules(t.bundles)
	}
	if err != nil {
		return err
	}
	return c.compared(t, was, tried)
}

// compared sets the rules to compare: the current ones and those to try.
func (c *Backtest) compared(t *trial, was *rules.Set, tried string) error {
	is, err := deployment.LoadRules(tried)
	if len(t.bundles) > 0 && c.Rules == "" {
		is = was // a sweep varies the recorded rules
	}
	if err != nil {
		return err
	}
	t.sets, t.present, t.given, t.values = []*rules.Set{was}, t.named(was), nil, nil
	if len(t.sweep) == 0 {
		t.sets, t.given = append(t.sets, is), append(t.given, t.named(is))
		return nil
	}
	for i := range t.sweep {
		if t.sweep[i].Setting, _, err = is.Number(t.sweep[i].Setting); err != nil {
			return err
		}
	}
	for _, values := range backtest.Points(t.sweep) {
		moved := is
		for i, value := range values {
			if moved, err = moved.With(t.sweep[i].Setting, value); err != nil {
				return fmt.Errorf("--sweep: %w", err)
			}
		}
		t.sets, t.given, t.values = append(t.sets, moved), append(t.given, t.named(moved)), append(t.values, values)
	}
	return nil
}

// named identifies rules.
func (t *trial) named(set *rules.Set) view.Rules {
	name := set.File()
	if name == "" {
		name = "shipped rules"
	}
	o := t.options
	o.Rules = set
	return view.Rules{Name: name, Version: o.Identity().RulesVersion, Hash: o.Identity().ConfigHash}
}

// model returns the comparison with the given rules; for a sweep, with the last value that differs, and the
// table.
func (t *trial) model(c *backtest.Comparison) view.Model {
	if len(t.sweep) == 0 {
		m := c.Result(1)
		m.Present, m.Given = t.present, t.given[0]
		m.Settings, _ = rules.Differences(t.sets[0], t.sets[1]) // both were read before
		return m
	}
	m := c.Summary()
	m.Present = t.present
	m.Sweep = &view.Sweep{}
	for _, r := range t.sweep {
		m.Sweep.Settings = append(m.Sweep.Settings, r.Setting)
	}
	for i, values := range t.values {
		row := c.Row(i+1, values)
		row.Present = t.inForce(values)
		m.Sweep.Rows = append(m.Sweep.Rows, row)
	}
	return m
}

// inForce reports whether the current rules have these values.
func (t *trial) inForce(values []float64) bool {
	for i, value := range values {
		if _, is, err := t.sets[0].Number(t.sweep[i].Setting); err != nil || is != value {
			return false
		}
	}
	return true
}

// refusedPoint names the first point of a sweep that gives invalid rules, if that caused the error.
func (t *trial) refusedPoint(err error) error {
	for i, values := range t.values {
		o := t.options
		o.Rules = t.sets[i+1]
		if _, refused := machines.New(o); refused != nil {
			var point []string
			for j, value := range values {
				point = append(point, fmt.Sprintf("%s=%v", t.sweep[j].Setting, value))
			}
			return cli.Usage(fmt.Errorf("--sweep %s: %w", strings.Join(point, " "), refused))
		}
	}
	return err
}
