package main

import (
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter"
	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

type publishCommand struct {
	connection
	surroundings
	Paths  []string `arg:"" name:"path" help:"Transcripts, folders of them, or - for standard input."`
	Follow bool     `short:"f" help:"Go on with what is appended to the file, until Ctrl-C."`
	InRun  string   `name:"run" help:"Run the sessions belong to." placeholder:"ID"`
}

// Help gives examples.
func (publishCommand) Help() string {
	return `Sends the turns of transcripts into a running system. Sending one twice changes nothing.

Examples:
  scaffoldwatch publish session.jsonl
  scaffoldwatch publish --follow ~/.claude/projects/shop/4e83.jsonl
  scaffoldwatch publish session.jsonl --index shop.json
  scaffoldwatch publish --follow .archeflow/events/2026-03-02-rate-limit.jsonl
  some-agent --json | scaffoldwatch publish --follow -`
}

// Run publishes every path in order.
func (c *publishCommand) Run(r *run) error {
	if c.Follow && len(c.Paths) != 1 {
		return usageError{errors.New("--follow takes one file")}
	}
	if c.InRun != "" && !events.ValidID(c.InRun) {
		return usageError{fmt.Errorf("--run %q is no run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.InRun)}
	}
	inputs, err := app.FindTranscripts(c.Paths, r.in)
	if err != nil {
		return usageError{err}
	}
	if c.Follow {
		if err := inputs.Follow(r); err != nil {
			return usageError{err}
		}
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
	publish, err := app.NewPublish(nc)
	if err != nil {
		return err
	}
	defer publish.Close()
	return c.send(r, inputs, publish, opener)
}

func (c *publishCommand) send(r *run, inputs *app.Transcripts, publish *app.Publish, opener *app.Opener) error {
	options := adapter.Options{}
	options.Follow, options.Run = c.Follow, c.InRun
	progress := terminal.NewProgress(r.err, "publishing", inputs.Bytes, true)
	defer progress.Done()
	total, read := adapter.Stats{}, 0
	var problems []error
	for _, in := range inputs.List {
		summary, err := inputs.ReadTranscript(r, in, options, progress.Add, func(e events.Event) error {
			for _, filled := range opener.Fill(e) {
				if err := publish.Send(r, filled); err != nil {
					return err
				}
			}
			return nil
		})
		total.Turns, total.Sessions = total.Turns+summary.Stats.Turns, total.Sessions+summary.Stats.Sessions
		total.Runs, total.RunEvents = total.Runs+summary.Stats.Runs, total.RunEvents+summary.Stats.RunEvents
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
		return errNoTranscripts
	}
	return errors.Join(problems...)
}

// published words what was sent.
func published(s adapter.Stats) string {
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
