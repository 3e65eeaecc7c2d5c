package audit

import (
	"bufio"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
)

// Backtest shows what other rules would have decided.
type Backtest struct {
	cli.Connection
	cli.Surroundings
	Paths   []string `arg:"" optional:"" name:"path" help:"Transcripts, folders of transcripts, - for standard input, or bundles; default: what the running system has recorded."`
	Rules   string   `help:"Rules file (YAML) to try; default: that of the configuration." type:"path" placeholder:"FILE"`
	Against string   `help:"Rules file (YAML) to compare with; default: the rules in force." type:"path" placeholder:"FILE"`
	Since   string   `help:"Only sessions and runs that began since then: 30d, 12h or 2026-11-01." placeholder:"TIME"`
	Session string   `help:"Only this session or run." placeholder:"ID"`
	Sweep   []string `help:"Try each value of a numeric setting; up to two." placeholder:"session.fire=3.0..4.5/0.5" sep:"none"`
	Advisor string   `help:"Compare transcripts with and without the answers of this file instead, a JSON line each: question, answer." type:"path" placeholder:"FILE"`
	FailOn  []string `help:"Exit with code 3 if a count passes a limit." placeholder:"gained:fire>5" sep:"none"`
	Memory  string   `help:"Maximum memory to use." default:"1GiB" placeholder:"SIZE"`
	Rate    float64  `help:"Maximum number of turns per second; 0 for no limit." default:"0" placeholder:"N"`
	Output  string   `short:"o" help:"Output: text, md, json or html." enum:"text,md,json,html" default:"text"`
}

// Help explains what is compared.
func (Backtest) Help() string {
	return `Folds transcripts, bundles, or what a running system has recorded, under the rules in
force (of a bundle: those in it) and under the given ones, and prints what would change: interrupts gained and lost by detector,
what followed the lost ones, the queue and the budget, breaks, gates and violations. It
writes nothing to the system and can run alongside it within --memory and --rate.

The agents' acts are recorded and do not change with the rules. What comes after a changed
decision in its session is marked with †: it assumes that the agent did the same. Whether
a gained interrupt would have been heeded is not invented.

--fail-on takes WAY:KIND[:DETECTOR]>N (or >=N): WAY is gained, lost, moved or changed; KIND is
fire, queue, signal, break, gate, violation, warning, correction, escalation or any.

A setting is named by its path (dispatch.thresholds.fire), or one of the section "dispatch"
as session.fire. A range is LOW..HIGH/STEP; single values are 3.0,3.6,4.0.

Exit codes: 0 compared, 1 it failed, 3 a condition of --fail-on holds.

Examples:
  scaffoldwatch backtest --rules ours.yaml ~/.claude/projects/shop/
  scaffoldwatch backtest --rules ours.yaml --since 30d --output html > change.html
  scaffoldwatch backtest --rules ours.yaml fixtures/ --fail-on 'gained:fire>5' --fail-on 'lost:any:B1>0'
  scaffoldwatch backtest --rules ours.yaml nightly.bundle
  scaffoldwatch backtest --advisor answers.jsonl ~/.claude/projects/shop/
  scaffoldwatch backtest --sweep session.fire=3.0..4.5/0.5 --output html sessions/ > sweep.html`
}

// Run compares the rules and prints the result.
func (c *Backtest) Run(r *cli.Call) error {
	if c.Advisor != "" {
		return c.withAnswers(r)
	}
	conditions, err := backtest.ParseConditions(c.FailOn)
	if err != nil {
		return cli.Usage(err)
	}
	if len(conditions) > 0 && len(c.Sweep) > 0 {
		return cli.Usage(errors.New("--fail-on and --sweep are mutually exclusive"))
	}
	t, err := c.trial(r)
	if err != nil {
		return err
	}
	defer t.close()
	limits, err := newLimits(c.Memory, c.Rate)
	if err != nil {
		return cli.Usage(err)
	}
	defer limits.close()
	from := time.Time{}
	if c.Since != "" {
		if from, err = since(c.Since, now()); err != nil {
			return cli.Usage(err)
		}
	}
	f := &folding{call: r, limits: limits, since: from, began: map[string]bool{}}
	notes, err := c.foldAll(f, t)
	if err != nil {
		return err
	}
	model := t.model(f.joined())
	model.Source, model.Notes = f.source, append(notes, f.notes()...)
	view.Finish(&model)
	if err := c.print(r, model); err != nil {
		return err
	}
	return failed(conditions, model)
}

// workers builds the machines once, and for each core states and a comparison.
func (c *Backtest) workers(f *folding, t *trial) error {
	for range runtime.GOMAXPROCS(0) {
		comparison := backtest.New(backtest.Options{Sides: len(t.sets), Only: c.Session, Totals: len(t.sets) > 2})
		f.comparison = append(f.comparison, comparison)
		if len(f.workers) > 0 {
			f.workers = append(f.workers, f.workers[0].Another(comparison.As))
			continue
		}
		variants, err := machines.NewVariants(machines.VariantOptions{
			Options: t.options, Rules: t.sets, From: c.from(t), Bounds: f.limits.bounds, As: comparison.As, Whole: t.whole,
		})
		if err != nil {
			return t.refusedPoint(err)
		}
		t.from = variants.From()
		f.workers = append(f.workers, variants)
	}
	return nil
}

// from returns the stage whose record is folded. If only the dispatcher would decide differently, the
// evaluator's record is used instead of being derived again; if only some detectors would, its record of
// the others.
func (c *Backtest) from(t *trial) string {
	switch {
	case len(c.Paths) > 0 && len(t.bundles) == 0:
		return ""
	case machines.Sharable(t.sets):
		return "evaluator"
	}
	return machines.Joined
}

// failed returns the first condition that holds.
func failed(conditions []backtest.Condition, m view.Model) error {
	for _, condition := range conditions {
		if n, holds := condition.Holds(m.Changes); holds {
			return fmt.Errorf("%w: %s: %d", cli.ErrFailOn, condition, n)
		}
	}
	return nil
}

func (c *Backtest) print(r *cli.Call, m view.Model) error {
	out := bufio.NewWriterSize(r.Stdout, 1<<16)
	screen := doc.Screen{Style: cli.TextStyle{Theme: r.Theme}}
	if r.Theme.Interactive {
		screen.Width = r.Theme.Width
	}
	err := view.Report(m).Write(out, c.Output, screen)
	return errors.Join(err, out.Flush())
}
