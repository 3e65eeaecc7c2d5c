// Package trial folds recorded input under several sets of rules and compares what they decide (AU-20).
package trial

import (
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Options say what is compared.
type Options struct {
	Deployed    deployment.Options // what services are built from, with the rules of the configuration
	Against     *rules.Set         // the current rules; nil for those of the record, or of the configuration
	Given       *rules.Set         // the rules to try; nil for the current ones
	Sweep       []backtest.Range   // settings whose values to try
	Bundles     []*bundle.Bundle   // the bundles to fold
	Transcripts bool               // transcripts are folded; without them and bundles, a running system
	Only        string             // the session or run to compare; "" for all
	Since       time.Time          // only groups that began since then
	Limits      *Limits
	// Progress shows how much is folded.
	Progress func(of int64) Bar
}

// Bar is the progress of a fold.
type Bar interface {
	Add(n int64)
	Done()
}

// Refused wraps an error in the rules or the settings to try.
type Refused struct{ error }

// Unwrap returns the error.
func (r Refused) Unwrap() error { return r.error }

// Trial holds the rules to compare, the current ones first.
type Trial struct {
	Options
	present view.Rules
	sets    []*rules.Set
	given   []view.Rules
	values  [][]float64     // of the settings of a sweep, for each set after the first
	of      map[string]bool // the groups that these rules apply to; nil means all
	from    string          // the stage whose record is folded
	whole   map[string]bool // groups whose record is not reused
}

// New returns a trial.
func New(o Options) (*Trial, error) {
	t := &Trial{Options: o}
	was := o.Against
	if was == nil {
		was = o.Deployed.Rules
		if len(o.Bundles) > 0 {
			var err error
			if was, err = recordedRules(o.Bundles); err != nil {
				return nil, Refused{err}
			}
		}
	}
	is := o.Given
	if is == nil {
		is = o.Deployed.Rules
		if len(o.Bundles) > 0 {
			is = was // a sweep varies the recorded rules
		}
	}
	return t, t.compare(was, is)
}

// compare sets the rules to compare: the current ones and those to try.
func (t *Trial) compare(was, is *rules.Set) (err error) {
	t.sets, t.present, t.given, t.values = []*rules.Set{was}, t.named(was), nil, nil
	if len(t.Sweep) == 0 {
		t.sets, t.given = append(t.sets, is), append(t.given, t.named(is))
		return nil
	}
	for i := range t.Sweep {
		if t.Sweep[i].Setting, _, err = is.Number(t.Sweep[i].Setting); err != nil {
			return Refused{err}
		}
	}
	for _, values := range backtest.Points(t.Sweep) {
		moved := is
		for i, value := range values {
			if moved, err = moved.With(t.Sweep[i].Setting, value); err != nil {
				return Refused{fmt.Errorf("--sweep: %w", err)}
			}
		}
		t.sets, t.given, t.values = append(t.sets, moved), append(t.given, t.named(moved)), append(t.values, values)
	}
	return nil
}

// named identifies rules.
func (t *Trial) named(set *rules.Set) view.Rules {
	name := set.File()
	if name == "" {
		name = "shipped rules"
	}
	o := t.Deployed
	o.Rules = set
	return view.Rules{Name: name, Version: o.Identity().RulesVersion, Hash: o.Identity().ConfigHash}
}

// Model returns the comparison with the given rules; for a sweep, with the last value that differs, and the
// table.
func (t *Trial) Model(c *backtest.Comparison) view.Model {
	if len(t.Sweep) == 0 {
		m := c.Result(1)
		m.Present, m.Given = t.present, t.given[0]
		m.Settings, _ = rules.Differences(t.sets[0], t.sets[1]) // both were read before
		return m
	}
	m := c.Summary()
	m.Present = t.present
	m.Sweep = &view.Sweep{}
	for _, r := range t.Sweep {
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
func (t *Trial) inForce(values []float64) bool {
	for i, value := range values {
		if _, is, err := t.sets[0].Number(t.Sweep[i].Setting); err != nil || is != value {
			return false
		}
	}
	return true
}

// refusedPoint names the first point of a sweep that gives invalid rules, if that caused the error.
func (t *Trial) refusedPoint(err error) error {
	for i, values := range t.values {
		o := t.Deployed
		o.Rules = t.sets[i+1]
		if _, refused := machines.New(o); refused != nil {
			var point []string
			for j, value := range values {
				point = append(point, fmt.Sprintf("%s=%v", t.Sweep[j].Setting, value))
			}
			return Refused{fmt.Errorf("--sweep %s: %w", strings.Join(point, " "), refused)}
		}
	}
	return err
}
