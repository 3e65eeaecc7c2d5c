package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/connect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Replay derives recorded events again and compares.
type Replay struct {
	cli.Connection
	Stage  string `help:"Stage to replay: ingest, evaluator, dispatcher or all." enum:"ingest,evaluator,dispatcher,all" default:"all"`
	Group  string `arg:"" optional:"" help:"Run, or session without a run; default: all of them. Or a bundle."`
	Rules  string `help:"Rules file (YAML), default: that of the configuration." type:"path" placeholder:"FILE"`
	Under  string `help:"Use the rules that the services stored under this configuration hash, instead of --rules." placeholder:"HASH"`
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help says what is compared and with what.
func (Replay) Help() string {
	return `Folds the recorded input of each stage again, with this build and these rules, and
compares every event with the recorded one, byte for byte. Of each run or session it shows
the first difference: the input that caused it, the field, and both events. It changes
nothing and can run beside a live system.

What was recorded under other rules or another configuration is not compared; one line says
so and names the settings that changed. --under HASH derives it with what applied then: the
services store in the bucket RULES what each configuration hash names. A bundle (scaffoldwatch export) is replayed without a system, under the rules in it
unless --rules names others. ingest can be replayed as long as INPUT holds what it read (streams.input_max_age).

Exit codes: 0 the same, 1 something differs or was not compared.

Examples:
  scaffoldwatch replay
  scaffoldwatch replay --stage dispatcher nightly-42
  scaffoldwatch replay --under 4f1d22a80c7e
  scaffoldwatch replay nightly.bundle
  scaffoldwatch replay --output json | jq '.stages[].differences[]?'`
}

// stageReplay is the result for one stage.
type stageReplay struct {
	Stage string `json:"stage"`
	// OtherBuilds are those that recorded it, if not this one alone (AU-12).
	OtherBuilds []buildinfo.Build `json:"other_builds,omitempty"`
	Groups      int               `json:"groups"`
	Same        int               `json:"same"`
	Seconds     float64           `json:"seconds"`
	Other       []otherRules      `json:"other_rules,omitempty"`
	// Under are the rules of a bundle that its groups were replayed under.
	Under       []underRules `json:"under,omitempty"`
	Differences []difference `json:"differences,omitempty"`
	// NotReplayed says why the stage was not replayed.
	NotReplayed string `json:"not_replayed,omitempty"`
}

type otherRules struct {
	Rules  string `json:"rules"`
	Config string `json:"config"`
	Groups int    `json:"groups"`
	// From is the configuration that the groups began under, if they were recorded under two.
	From string `json:"from,omitempty"`
	// Changed says what differs from there to the rules of this replay.
	Changed string `json:"changed,omitempty"`
}

type underRules struct {
	Rules  string `json:"rules"`
	Config string `json:"config"`
	Groups int    `json:"groups"`
}

type difference struct {
	Group     string          `json:"group"`
	Partition int             `json:"partition"`
	Cause     string          `json:"cause"` // id of the input
	Event     string          `json:"event"` // id
	Type      string          `json:"type"`
	Field     string          `json:"field"`
	Was       string          `json:"recorded"`
	Is        string          `json:"derived"`
	Recorded  json.RawMessage `json:"recorded_data,omitempty"`
	Derived   json.RawMessage `json:"derived_data,omitempty"`
}

type replayReport struct {
	Same   bool            `json:"same"`
	Build  buildinfo.Build `json:"build"`
	Rules  string          `json:"rules"`
	Config string          `json:"config"`
	Stages []stageReplay   `json:"stages"`
}

// errDiffers is returned when a replay derives something else.
var errDiffers = errors.New("the replay differs from what is recorded")

// Run replays and prints the result.
func (c *Replay) Run(r *cli.Call) error {
	if bundle.Is(c.Group) {
		return c.bundle(r)
	}
	options, err := c.options(r)
	if err != nil {
		return err
	}
	broker, nc, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	if c.Under != "" {
		if options.Rules, err = c.recordedRules(r, broker, options); err != nil {
			return err
		}
	}
	core, err := machines.New(options)
	if err != nil {
		return err
	}
	report := replayReport{Same: true, Build: buildinfo.Current(), Rules: core.Identity.RulesVersion, Config: core.Identity.ConfigHash}
	for _, stage := range connect.Stages {
		if c.Stage != "all" && c.Stage != stage {
			continue
		}
		builds, err := otherBuilds(r, broker, stage)
		if err != nil {
			return err
		}
		result, err := c.stage(r, broker, core, stage)
		if err != nil {
			return fmt.Errorf("replay %s: %w", stage, err)
		}
		result.OtherBuilds = builds
		explain(r, broker, options, result.Other)
		report.Stages = append(report.Stages, result)
		report.Same = report.Same && len(result.Differences) == 0 && len(result.Other) == 0 && (result.NotReplayed == "" || c.Stage == "all")
	}
	return c.finish(r, report)
}

func (c *Replay) finish(r *cli.Call, report replayReport) error {
	if err := c.print(r, report); err != nil {
		return err
	}
	if !report.Same {
		return errDiffers
	}
	return nil
}

// options returns what the services build their machines from.
func (c *Replay) options(r *cli.Call) (o machines.Options, err error) {
	settings, err := c.Settings(r)
	if err != nil {
		return o, err
	}
	if c.Rules != "" {
		settings.Rules = c.Rules
	}
	o.IdleTimeout = settings.Session.IdleTimeout
	if o.Rules, err = deployment.LoadRules(settings.Rules); err != nil {
		return o, cli.Usage(err)
	}
	if o.FingerprintKey, err = deployment.LoadKey(settings.Security.FingerprintKey); err != nil {
		return o, cli.Usage(err)
	}
	return o, nil
}

func (c *Replay) stage(r *cli.Call, broker *nats.Broker, core *machines.Core, stage string) (stageReplay, error) {
	result := stageReplay{Stage: stage}
	source, err := broker.Stored(r, subjects.SourceOf(stage))
	if err != nil {
		return result, err
	}
	if source.First > 1 && source.CanAge() {
		result.NotReplayed = fmt.Sprintf("%s no longer holds the messages before %d", subjects.SourceOf(stage), source.First)
		return result, nil
	}
	bar := terminal.NewProgress(r.Stderr, stage, int64(source.Messages), false)
	defer bar.Done()
	began := time.Now()
	var got engine.Rederived
	switch stage {
	case core.Ingest.Stage():
		got, err = rederive(r, c, broker, core.Ingest, core.Identity, bar)
	case core.Evaluate.Stage():
		got, err = rederive(r, c, broker, core.Evaluate, core.Identity, bar)
	default:
		got, err = rederive(r, c, broker, core.Dispatch, core.Identity, bar)
	}
	if err != nil {
		return result, err
	}
	result.fill(got, time.Since(began))
	if c.Group != "" && got.Groups == 0 {
		result.NotReplayed = fmt.Sprintf("nothing of %q is recorded; a session of a run is part of its run", c.Group)
	}
	return result, nil
}

// counting moves the bar on with the inputs folded.
type counting struct {
	engine.NoObserver
	mu  sync.Mutex
	bar *terminal.Progress
}

func (c *counting) Committed(s engine.CommitStats, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bar.Add(int64(s.Inputs))
}

// rederive replays one stage.
func rederive[S any](ctx context.Context, c *Replay, broker *nats.Broker, machine step.Machine[S], id step.Identity, bar *terminal.Progress) (engine.Rederived, error) {
	recording, err := broker.Recording(ctx, machine.Stage())
	if err != nil {
		return engine.Rederived{}, err
	}
	partitions := broker.Topology().Partitions
	if c.Group != "" {
		recording = engine.Only(recording, c.Group, subjects.Partition(c.Group, partitions))
	}
	// What was recorded is not to fail here because this machine is slow.
	return engine.Rederive(ctx, machine, id, recording, &counting{bar: bar}, engine.Options{Partitions: partitions, StepBudget: engine.NoBudget})
}

func (s *stageReplay) fill(got engine.Rederived, took time.Duration) {
	s.Groups, s.Same, s.Seconds = got.Groups, got.Same, took.Seconds()
	for _, o := range got.Other {
		s.Other = append(s.Other, otherRules{Rules: o.Rules, Config: o.Config, Groups: o.Groups})
	}
	for _, d := range got.First {
		s.Differences = append(s.Differences, difference{
			Group: d.Group, Partition: d.Partition, Cause: d.Cause, Event: d.ID, Type: d.Type, Field: d.Field, Was: d.Recorded, Is: d.Derived,
			Recorded: raw(d.Was), Derived: raw(d.Is),
		})
	}
}

// raw returns data as JSON, as a string if it is none.
func raw(data []byte) json.RawMessage {
	if len(data) == 0 || json.Valid(data) {
		return data
	}
	quoted, _ := json.Marshal(string(data)) // a string always encodes
	return quoted
}

func (c *Replay) print(r *cli.Call, report replayReport) error {
	if c.Output == "json" {
		encoder := json.NewEncoder(r.Stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(report)
	}
	var b strings.Builder
	for _, s := range report.Stages {
		s.text(&b, report)
	}
	_, err := r.Stdout.Write([]byte(b.String()))
	return err
}

// text writes what a person reads of a stage.
func (s stageReplay) text(b *strings.Builder, report replayReport) {
	stream := events.Stream("")
	for _, name := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		if subjects.StageOf(name) == s.Stage {
			stream = name
		}
	}
	if len(s.OtherBuilds) > 0 {
		fmt.Fprintf(b, "%-10s  another build: %s was recorded by %s, and this is %s\n", s.Stage, stream, buildNames(s.OtherBuilds), report.Build)
	}
	if s.NotReplayed != "" {
		fmt.Fprintf(b, "%-10s  not replayed: %s\n", s.Stage, s.NotReplayed)
		return
	}
	if len(s.Under) > 1 {
		for _, u := range s.Under {
			fmt.Fprintf(b, "%-10s  %d sessions and runs under rules %s, configuration %s\n", s.Stage, u.Groups, u.Rules, u.Config)
		}
	}
	for _, o := range s.Other {
		if o.From != "" {
			fmt.Fprintf(b, "%-10s  compared in part: %d sessions and runs of %s began under configuration %s and were continued under %s; changed: %s\n",
				s.Stage, o.Groups, stream, o.From, o.Config, terminal.Clean(o.Changed))
			continue
		}
		fmt.Fprintf(b, "%-10s  not compared: %d sessions and runs of %s were recorded under rules %s, configuration %s; this replay has rules %s, configuration %s; changed: %s\n",
			s.Stage, o.Groups, stream, o.Rules, o.Config, report.Rules, report.Config, terminal.Clean(o.Changed))
	}
	fmt.Fprintf(b, "%-10s  %d events of %d sessions and runs derived as recorded, %d differ (%.1f s)\n", s.Stage, s.Same, s.Groups, len(s.Differences), s.Seconds)
	for _, d := range s.Differences {
		d.text(b)
	}
}

func (d difference) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s: %s %s, caused by input %s\n  differs in %s\n  recorded: %s\n  derived:  %s\n", d.Group, d.Type, d.Event, d.Cause, d.Field,
		terminal.Clean(d.Was), terminal.Clean(d.Is))
	if len(d.Recorded) > 0 && len(d.Derived) > 0 {
		fmt.Fprintf(b, "  recorded event: %s\n  derived event:  %s\n", oneLine(d.Recorded), oneLine(d.Derived))
	}
}

// oneLine returns JSON on one line of bounded length.
func oneLine(data json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, data) != nil {
		return ""
	}
	text := terminal.Clean(out.String())
	if runes := []rune(text); len(runes) > 600 {
		return string(runes[:600]) + "…"
	}
	return text
}
