// Package transcript holds the commands that read transcripts.
package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cloudevents"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/observe"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sarif"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Scan reads transcripts offline and reports findings.
type Scan struct {
	cli.Surroundings
	Paths   []string `arg:"" optional:"" name:"path" help:"Transcript files, folders of transcripts, or - for standard input. Without any: your agents' latest sessions."`
	Last    int      `help:"Without a path: how many of the latest sessions to read; 0 for all." default:"20" placeholder:"N"`
	Full    bool     `help:"Print every session in full, not an overview of many."`
	Explain bool     `help:"Include how each thing was decided, what was counted and what was watched."`
	Output  string   `short:"o" help:"Output: text, jsonl (one CloudEvent per line), json, md or html (reports), or sarif (findings in files)." enum:"text,jsonl,json,md,html,sarif" default:"text"`
	FailOn  []string `help:"Exit with code 3 if an interrupt fired (fire), fired or was queued (queue), or a run was broken off (break)." enum:"fire,queue,break" placeholder:"fire|queue|break"`
	Rules   string   `help:"Rules file (YAML) that overrides the built-in rules." type:"path" placeholder:"FILE"`

	// Then returns what to feed once everything has been read.
	Then func([]sessionreport.Model) ([]events.Event, error) `kong:"-"`
}

// Help gives examples.
func (Scan) Help() string {
	return `Without a path it reads the latest sessions of the agents on this machine, where they keep
them. Detects the format of each file by its content. The same input gives the same output,
here and in a running system. Nothing leaves the machine.

Examples:
  scaffoldwatch scan
  scaffoldwatch scan ~/.claude/projects/shop/
  scaffoldwatch scan .archeflow
  scaffoldwatch scan session.jsonl --explain
  scaffoldwatch scan session.jsonl --output md
  scaffoldwatch scan session.jsonl --output html > report.html
  scaffoldwatch scan - --output jsonl < events.jsonl
  scaffoldwatch scan . --fail-on fire
  scaffoldwatch scan session.jsonl --index shop.json --rules ours.yaml`
}

// Run reads each path and prints what the dispatcher would have decided.
func (c *Scan) Run(r *cli.Call) error {
	file, err := cli.RulesFile(r, c.Rules)
	if err != nil {
		return cli.Usage(err)
	}
	set, err := deployment.LoadRules(file)
	if err != nil {
		return cli.Usage(err)
	}
	options := machines.Options{Rules: set}
	core, err := machines.New(options)
	if err != nil {
		return cli.Usage(err) // the embedded data is valid, so it is the file
	}
	found, err := c.find(r)
	if err != nil {
		return err
	}
	inputs, err := transcripts.Find(c.Paths, r.Input())
	if err != nil {
		return cli.Usage(err)
	}
	opener, err := c.Opener()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(r.Stdout, 1<<16)
	files := &files{found: found, of: map[string]string{}}
	print, err := c.printer(out, r.Theme, set, files)
	if err != nil {
		return cli.Usage(err)
	}
	runSettings, err := runreport.LoadSettings(set)
	if err != nil {
		return cli.Usage(err)
	}
	scan := &scan{printer: print, reports: reports{sessionreport.NewSet(), runreport.NewSet(runSettings)}, reached: map[string]bool{}, chains: core.Chains(options), opener: opener, files: files, look: c.look(r, core, set)}
	failed := c.read(r, core, inputs, scan)
	if err := scan.printer.end(scan.reports); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	for _, condition := range c.FailOn {
		if scan.reached[condition] {
			return fmt.Errorf("%w: %s", cli.ErrFailOn, condition)
		}
	}
	return nil
}

// read feeds each input through the chain.
func (c *Scan) read(r *cli.Call, core *machines.Core, inputs *transcripts.Inputs, s *scan) error {
	progress := terminal.NewProgress(r.Stderr, "reading", inputs.Bytes, true)
	defer progress.Done()
	var problems []error
	read := 0
	for _, in := range inputs.List {
		s.chains.Begin()
		summary, err := inputs.Read(r, in, transcript.Options{}, progress.Add, func(e events.Event) error {
			s.files.note(e, in.Name)
			for _, filled := range s.opener.Fill(e) {
				if err := c.feedAll(s, s.looked(filled)); err != nil {
					return err
				}
			}
			return nil
		})
		if s.look != nil && err == nil {
			err = c.feedAll(s, s.look.End())
		}
		if r.Err() != nil {
			return r.Err()
		}
		if summary.Format != "" {
			read++
		}
		progress.Pause(func() { summary.Describe(r.Stderr) })
		if errors.Is(err, errWrite) {
			return err
		}
		if errors.Is(err, transcripts.ErrNoTranscript) {
			err = cli.Usage(err)
		}
		problems = append(problems, err, unreadable(summary))
	}
	if c.Then != nil {
		more, err := c.Then(s.reports.sessions.Results())
		problems = append(problems, err, c.feedAll(s, more))
	}
	for _, decided := range s.chains.End() {
		if err := s.take(decided); err != nil {
			return err
		}
	}
	inputs.DescribeSkipped(r.Stderr)
	if read == 0 && errors.Join(problems...) == nil {
		problems = append(problems, noTranscripts(c.Paths))
	}
	cli.DescribeNotes(r.Stderr, s.opener)
	dead := s.chains.DeadLetters()
	for _, d := range dead {
		line, _ := core.Redactor.Text(fmt.Sprintf("%s skipped %s %s of %s: %s", d.Stage, d.Type, d.ID, d.Subject, d.Reason), "")
		fmt.Fprintln(r.Stderr, "scaffoldwatch:", terminal.Clean(line))
	}
	if len(dead) > 0 {
		problems = append(problems, fmt.Errorf("%s could not be processed", text.Count(len(dead), "event")))
	}
	return errors.Join(problems...)
}

// unreadable returns an error if an event log has lines that are not events: what they would say is not
// watched (DP-33). A transcript that is still being written may end in the middle of a line.
func unreadable(s transcripts.Summary) error {
	if s.Format != cloudevents.Name || s.Total == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s could not be parsed as events and are not watched", s.Name, text.Count(s.Total, "place"))
}

func (c *Scan) feedAll(s *scan, list []events.Event) error {
	for _, e := range list {
		if err := c.feed(s, e); err != nil {
			return err
		}
	}
	return nil
}

// feed passes one event through the chain of its group. Rules named by the user take precedence over those
// of a workspace.
func (c *Scan) feed(s *scan, e events.Event) error {
	e, err := publish.Prepare(e)
	if err != nil {
		return err
	}
	if c.Rules == "" {
		set, folder := s.opener.RulesFor(e)
		if err := s.chains.Choose(e.Group(), set); err != nil {
			s.opener.Skip(folder, err)
		}
		s.reports.sessions.Rules(e.Subject, s.opener.RulesSaid(e))
	}
	for _, decided := range s.chains.Feed(e) {
		if err := s.take(decided); err != nil {
			return err
		}
	}
	return nil
}

// noTranscripts returns an error: silence must mean that something was read.
func noTranscripts(paths []string) error {
	return fmt.Errorf("no transcripts found in %s; docs/formats.md lists the supported formats", strings.Join(paths, ", "))
}

// errWrite marks a failure to write the output.
var errWrite = errors.New("write output")

// scan holds what one call collects.
type scan struct {
	chains  *machines.Chains
	opener  *workspace.Opener
	look    *observe.Transcript // nil if workspaces are not observed
	printer printer
	reports reports
	reached map[string]bool
	files   *files
}

func (s *scan) take(e events.Event) error {
	switch e.Type {
	case sessionevents.TypeInterruptFired:
		s.reached["fire"], s.reached["queue"] = true, true
	case sessionevents.TypeInterruptQueued:
		s.reached["queue"] = true
	case runevents.TypeWiggumBreak:
		s.reached["break"] = true
	}
	s.reports.sessions.Apply(e)
	s.reports.runs.Apply(e)
	if err := s.printer.event(e); err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	return nil
}

// printer is an output format: events as they are decided, reports at the end.
type printer struct {
	event func(events.Event) error
	end   func(reports) error
}

// reports are those of the sessions, followed by those of the runs.
type reports struct {
	sessions *sessionreport.Set
	runs     *runreport.Set
}

func (c *Scan) printer(out io.Writer, theme terminal.Theme, set *rules.Set, files *files) (printer, error) {
	silent := func(events.Event) error { return nil }
	switch c.Output {
	case "jsonl":
		return printer{event: cli.JSONLines(out), end: func(reports) error { return nil }}, nil
	case "json":
		return printer{silent, func(all reports) error { return all.json(out) }}, nil
	case "md":
		return printer{silent, func(all reports) error { return all.markdown(out) }}, nil
	case "html":
		return printer{silent, func(all reports) error {
			return doc.WriteHTML(out, runreport.Page(all.sessions.Results(), all.runs.Results()...))
		}}, nil
	case "sarif":
		options, err := cli.SARIFOptions(set)
		return printer{silent, func(all reports) error { return sarif.Render(out, options, all.sessions.Results()...) }}, err
	}
	runs := newRunTexts(theme)
	return printer{runs.event, func(all reports) error {
		sessions := all.sessions.Results()
		if !c.Full && (files.found > 0 || len(sessions) > fewSessions) {
			return files.overview(out, theme, sessions, runs, all.runs)
		}
		if err := cli.PrintSessions(out, theme, sessions, c.Explain); err != nil {
			return err
		}
		return runs.print(out, len(sessions) > 0, c.Explain, all.runs)
	}}, nil
}

// json writes one array, the runs after the sessions; a run has "run" where a session has "session".
func (r reports) json(out io.Writer) error {
	all := []any{}
	for _, m := range r.sessions.Results() {
		all = append(all, m)
	}
	for _, m := range r.runs.Results() {
		all = append(all, m)
	}
	return cli.Indented(out, all)
}

// markdown writes the reports one after the other.
func (r reports) markdown(out io.Writer) error {
	var write []func() error
	for _, m := range r.sessions.Results() {
		write = append(write, func() error { return doc.WriteMarkdown(out, sessionreport.Prescribed(m)) })
	}
	for _, m := range r.runs.Results() {
		write = append(write, func() error { return doc.WriteMarkdown(out, runreport.Document(m)) })
	}
	for i, one := range write {
		if i > 0 {
			if _, err := fmt.Fprintln(out); err != nil {
				return err
			}
		}
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}
