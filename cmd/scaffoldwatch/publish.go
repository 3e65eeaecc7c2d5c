package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

type publishCommand struct {
	connection
	surroundings
	Paths  []string `arg:"" name:"path" help:"Transcript files, folders of transcripts, or - for standard input."`
	Follow bool     `short:"f" help:"Keep publishing what is appended to files, and new files in folders, until Ctrl-C."`
	InRun  string   `name:"run" help:"Run that the sessions belong to." placeholder:"ID"`
}

// Help gives examples.
func (publishCommand) Help() string {
	return `Sends the turns of transcripts to a running system. Sending a turn again has no effect.

Examples:
  scaffoldwatch publish session.jsonl
  scaffoldwatch publish --follow ~/.claude/projects/shop/4e83.jsonl
  scaffoldwatch publish session.jsonl --index shop.json
  scaffoldwatch publish --follow .archeflow
  some-agent --json | scaffoldwatch publish --follow -`
}

// Run publishes every path in order.
func (c *publishCommand) Run(r *run) error {
	if c.Follow && len(c.Paths) > 1 && slices.Contains(c.Paths, "-") {
		return usageError{errors.New("--follow takes standard input alone, or files and folders")}
	}
	if c.InRun != "" && !events.ValidID(c.InRun) {
		return usageError{fmt.Errorf("--run %q is no run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.InRun)}
	}
	inputs, err := transcripts.Find(c.Paths, r.input())
	if err != nil {
		return usageError{err}
	}
	opener, err := c.opener()
	if err != nil {
		return err
	}
	_, nc, err := c.open(r)
	if err != nil {
		return err
	}
	defer nc.Close()
	publish, err := publish.New(nc)
	if err != nil {
		return err
	}
	defer publish.Close()
	if c.Follow && !slices.Contains(c.Paths, "-") {
		return c.follow(r, publish, opener)
	}
	return c.send(r, inputs, publish, opener)
}

// follow publishes what is appended, until Ctrl-C.
func (c *publishCommand) follow(r *run, publish *publish.Publisher, opener *workspace.Opener) error {
	total := transcript.Stats{}
	following := &transcripts.Following{
		Options: transcript.Options{Run: c.InRun},
		Take:    sender(r, publish, opener),
		Done: func(s transcripts.Summary, err error) {
			addStats(&total, s.Stats)
			s.Describe(r.err)
			if err != nil && r.Err() == nil {
				fmt.Fprintln(r.err, err)
			}
		},
		Notice: func(text string) { fmt.Fprintln(r.err, text) },
	}
	err := following.Follow(r, c.Paths)
	describeNotes(r.err, opener)
	fmt.Fprintln(r.err, published(total))
	return err
}

// sender publishes an event, filled in by what is known of its workspace.
func sender(r *run, publish *publish.Publisher, opener *workspace.Opener) func(events.Event) error {
	return func(e events.Event) error {
		for _, filled := range opener.Fill(e) {
			if err := publish.Send(r, filled); err != nil {
				return err
			}
		}
		return nil
	}
}

func addStats(total *transcript.Stats, s transcript.Stats) {
	total.Turns, total.Sessions = total.Turns+s.Turns, total.Sessions+s.Sessions
	total.Runs, total.RunEvents = total.Runs+s.Runs, total.RunEvents+s.RunEvents
}

func (c *publishCommand) send(r *run, inputs *transcripts.Inputs, publish *publish.Publisher, opener *workspace.Opener) error {
	options := transcript.Options{}
	options.Follow, options.Run = c.Follow, c.InRun
	progress := terminal.NewProgress(r.err, "publishing", inputs.Bytes, true)
	defer progress.Done()
	total, read := transcript.Stats{}, 0
	var problems []error
	for _, in := range inputs.List {
		summary, err := inputs.Read(r, in, options, progress.Add, sender(r, publish, opener))
		addStats(&total, summary.Stats)
		if summary.Format != "" {
			read++
		}
		progress.Pause(func() { summary.Describe(r.err) })
		if r.Err() != nil {
			break
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	describeNotes(r.err, opener)
	inputs.DescribeSkipped(r.err)
	fmt.Fprintln(r.err, published(total))
	if r.Err() != nil && !c.Follow {
		return r.Err()
	}
	if read == 0 && len(problems) == 0 && r.Err() == nil {
		return noTranscripts(c.Paths)
	}
	return errors.Join(problems...)
}

// published words what was sent.
func published(s transcript.Stats) string {
	turns := plural(s.Turns, "turn") + " of " + plural(s.Sessions, "session")
	run := plural(s.RunEvents, "event") + " of " + plural(s.Runs, "run")
	switch {
	case s.RunEvents == 0:
		return "published " + turns
	case s.Turns == 0:
		return "published " + run
	}
	return "published " + turns + ", " + run
}
