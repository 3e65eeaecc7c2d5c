package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/trial"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"

	"github.com/dustin/go-humanize"
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
	options, err := c.options(r)
	if err != nil {
		return err
	}
	defer func() {
		for _, b := range options.Bundles {
			b.Close()
		}
	}()
	if options.Limits, err = limited(c.Memory, c.Rate); err != nil {
		return cli.Usage(err)
	}
	defer options.Limits.Close()
	t, err := trial.New(options)
	if err != nil {
		return refused(err)
	}
	feed, source := c.feed(r)
	if len(options.Bundles) > 0 {
		feed = trial.Bundles
	}
	comparison, notes, err := t.Fold(r, feed)
	if err != nil {
		return refused(err)
	}
	model := t.Model(comparison)
	model.Source, model.Notes = source, notes
	view.Finish(&model)
	if err := c.print(r, model); err != nil {
		return err
	}
	return failed(conditions, model)
}

// refused returns an error as one of usage if it is about the rules or settings that were given.
func refused(err error) error {
	var given trial.Refused
	if errors.As(err, &given) {
		return cli.Usage(err)
	}
	return err
}

// options reads what the flags name.
func (c *Backtest) options(r *cli.Call) (o trial.Options, err error) {
	settings, err := c.Settings(r)
	if err != nil {
		return o, err
	}
	if c.Rules == "" && len(c.Sweep) == 0 && (c.Against == "" || settings.Rules == "") {
		return o, cli.Usage(errors.New("no rules to try: name a file with --rules FILE, or a setting with --sweep"))
	}
	if o.Deployed, err = deployed(settings, ""); err != nil {
		return o, err
	}
	if o.Sweep, err = backtest.ParseRanges(c.Sweep); err != nil {
		return o, cli.Usage(err)
	}
	if c.Since != "" {
		if o.Since, err = since(c.Since, now()); err != nil {
			return o, cli.Usage(err)
		}
	}
	if o.Bundles, err = c.open(); err != nil {
		return o, err
	}
	if c.Against != "" {
		o.Against, err = deployment.LoadRules(c.Against)
	}
	if c.Rules != "" && err == nil {
		o.Given, err = deployment.LoadRules(c.Rules)
	}
	if err != nil {
		return o, cli.Usage(err)
	}
	o.Only = c.Session
	o.Progress = func(of int64) trial.Bar { return terminal.NewProgress(r.Stderr, "folding", of, false) }
	o.Transcripts = len(c.Paths) > 0 && len(o.Bundles) == 0
	return o, nil
}

// feed returns what reads the source that the paths name, and what it is called.
func (c *Backtest) feed(r *cli.Call) (feed trial.Feed, source string) {
	if len(c.Paths) > 0 {
		source = strings.Join(c.Paths, " ")
		return func(ctx context.Context, f *trial.Folding, _ *trial.Trial) ([]string, error) {
			return nil, c.transcripts(r, f, source)
		}, source
	}
	return func(ctx context.Context, f *trial.Folding, t *trial.Trial) ([]string, error) {
		broker, _, err := c.AsAdmin().Open(r)
		if err != nil {
			return nil, err
		}
		return trial.Running(broker)(ctx, f, t)
	}, "the running system"
}

// open opens the bundles that the paths name; it returns none if they name transcripts.
func (c *Backtest) open() ([]*bundle.Bundle, error) {
	var all []*bundle.Bundle
	for _, path := range c.Paths {
		if !bundle.Is(path) {
			continue
		}
		b, err := bundle.OpenWhole(path)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	if len(all) > 0 && len(all) < len(c.Paths) {
		return nil, cli.Usage(errors.New("bundles and transcripts cannot be compared together: name only one kind"))
	}
	return all, nil
}

// transcripts folds files as `scan` does.
func (c *Backtest) transcripts(r *cli.Call, f *trial.Folding, source string) error {
	inputs, err := transcripts.Find(c.Paths, r.Input())
	if err != nil {
		return cli.Usage(err)
	}
	opener, err := c.Opener()
	if err != nil {
		return err
	}
	progress := terminal.NewProgress(r.Stderr, "folding", inputs.Bytes, true)
	defer progress.Done()
	read := 0
	err = f.Read(r, func(ctx context.Context, take func(trial.Input) error) error {
		for _, in := range inputs.List {
			if err := take(trial.Input{}); err != nil {
				return err
			}
			summary, err := inputs.Read(ctx, in, transcript.Options{}, progress.Add, func(e events.Event) error {
				for _, filled := range opener.Fill(e) {
					prepared, err := publish.Prepare(filled)
					if err != nil {
						return err
					}
					if err := take(trial.Input{Event: &prepared, At: prepared.Time}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			if summary.Format != "" {
				read++
			}
			progress.Pause(func() { summary.Describe(r.Stderr) })
		}
		return take(trial.Input{Ends: true})
	})
	if err != nil {
		return err
	}
	inputs.DescribeSkipped(r.Stderr)
	cli.DescribeNotes(r.Stderr, opener)
	if read == 0 {
		return fmt.Errorf("no transcripts found in %s; docs/formats.md lists the supported formats", source)
	}
	return nil
}

// leastMemory is what a fold needs at the least.
const leastMemory = 128 << 20

// limited returns the limits of --memory and --rate, and limits this process to that memory.
func limited(size string, rate float64) (*trial.Limits, error) {
	bytes, err := humanize.ParseBytes(size)
	if err != nil || bytes > math.MaxInt32*1024 {
		return nil, fmt.Errorf("--memory %q: want a size such as 512MiB or 2GB", size)
	}
	if bytes < leastMemory {
		return nil, fmt.Errorf("--memory %s: at least %d MiB are needed", size, leastMemory>>20)
	}
	if rate < 0 {
		return nil, fmt.Errorf("--rate %g: want 0 or more", rate)
	}
	debug.SetMemoryLimit(int64(bytes))
	heap.Raise(bytes / 2)
	return trial.NewLimits(bytes, rate), nil
}

// since parses a number of days, a duration, a date or a time.
func since(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n > 0 {
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--since %q: want 30d, 12h, 2026-11-01 or 2026-11-01T08:00:00Z", text)
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
