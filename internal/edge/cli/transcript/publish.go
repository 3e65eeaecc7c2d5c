package transcript

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
)

// Publish publishes transcripts to a running system.
type Publish struct {
	cli.Connection
	cli.Surroundings
	Paths  []string `arg:"" name:"path" help:"Transcript files, folders of transcripts, or - for standard input."`
	Follow bool     `short:"f" help:"Keep publishing what is appended to files, and new files in folders, until Ctrl-C."`
	Repo   string   `type:"existingdir" help:"With --follow: also publish worktrees, commits and merges of this repository." placeholder:"DIR"`
	InRun  string   `name:"run" help:"Run that the sessions belong to." placeholder:"ID"`
}

// Help gives examples.
func (Publish) Help() string {
	return `Sends the turns of transcripts to a running system. Sending a turn again has no effect.

Examples:
  scaffoldwatch publish session.jsonl
  scaffoldwatch publish --follow ~/.claude/projects/shop/4e83.jsonl
  scaffoldwatch publish session.jsonl --index shop.json
  scaffoldwatch publish --follow .archeflow
  scaffoldwatch publish --follow docs/IMPL --repo .
  some-agent --json | scaffoldwatch publish --follow -`
}

// Run publishes each path in order.
func (c *Publish) Run(r *cli.Call) error {
	if c.Follow && len(c.Paths) > 1 && slices.Contains(c.Paths, "-") {
		return cli.Usage(errors.New("--follow requires either standard input, or files and folders"))
	}
	if c.InRun != "" && !events.ValidID(c.InRun) {
		return cli.Usage(fmt.Errorf("--run %q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.InRun))
	}
	if c.Repo != "" && (!c.Follow || slices.Contains(c.Paths, "-")) {
		return cli.Usage(errors.New("--repo is for --follow of files and folders"))
	}
	inputs, err := transcripts.Find(c.Paths, r.Input())
	if err != nil {
		return cli.Usage(err)
	}
	opener, err := c.Opener()
	if err != nil {
		return err
	}
	_, nc, err := c.Patient().Open(r)
	if err != nil {
		return err
	}
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
func (c *Publish) follow(r *cli.Call, publish *publish.Publisher, opener *workspace.Opener) error {
	heap.Usual()
	total, refusals := transcript.Stats{}, &refusals{}
	following := &transcripts.Following{
		Options: transcript.Options{Run: c.InRun},
		Take:    refusals.sender(r, publish, opener),
		Done: func(s transcripts.Summary, err error) {
			addStats(&total, s.Stats)
			s.Describe(r.Stderr)
			if err != nil && r.Err() == nil {
				fmt.Fprintln(r.Stderr, err)
			}
		},
		Notice: func(text string) { fmt.Fprintln(r.Stderr, text) },
	}
	if c.Repo != "" {
		stop, err := c.watchRepo(r, following)
		if err != nil {
			return err
		}
		defer stop()
	}
	err := following.Follow(r, c.Paths)
	cli.DescribeNotes(r.Stderr, opener)
	fmt.Fprintln(r.Stderr, published(total))
	return errors.Join(err, refusals.failure())
}

// refusals counts the events that were rejected before they were sent.
type refusals struct {
	count  int
	waited sync.Once
}

// shownAfter is how long a broker may take to store an event before the person is told that it is asked again.
var shownAfter = 5 * time.Second

// waiting says once that nothing is stored; the returned function ends the wait.
func (f *refusals) waiting(r *cli.Call) (ended func() bool) {
	return time.AfterFunc(shownAfter, func() {
		f.waited.Do(func() {
			fmt.Fprintf(r.Stderr, "scaffoldwatch: the broker has stored nothing for %s; trying until it does, "+
				"Ctrl-C stops. `scaffoldwatch doctor` says what is wrong with it\n", shownAfter)
		})
	}).Stop
}

// sender returns a function that publishes an event together with what is known about its workspace. An
// invalid event is named and counted, and the rest is still sent.
func (f *refusals) sender(r *cli.Call, publish *publish.Publisher, opener *workspace.Opener) func(events.Event) error {
	return func(e events.Event) error {
		for _, filled := range opener.Fill(e) {
			ended := f.waiting(r)
			err := publish.Send(r, filled)
			ended()
			if refused := (*invalid.Error)(nil); errors.As(err, &refused) {
				f.count++
				fmt.Fprintln(r.Stderr, "scaffoldwatch: refused, not watched:", terminal.Clean(fmt.Sprintf("%s %s of %s: %s", quote.Name(string(filled.Type)), quote.Name(filled.ID), quote.Name(filled.Subject), quote.Line(refused.Error()))))
				continue
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func (f *refusals) failure() error {
	if f.count == 0 {
		return nil
	}
	return fmt.Errorf("%s rejected and not watched", text.Count(f.count, "event"))
}

func addStats(total *transcript.Stats, s transcript.Stats) {
	total.Turns, total.Sessions = total.Turns+s.Turns, total.Sessions+s.Sessions
	total.Runs, total.RunEvents = total.Runs+s.Runs, total.RunEvents+s.RunEvents
}

func (c *Publish) send(r *cli.Call, inputs *transcripts.Inputs, publish *publish.Publisher, opener *workspace.Opener) error {
	options := transcript.Options{}
	options.Follow, options.Run = c.Follow, c.InRun
	progress := terminal.NewProgress(r.Stderr, "publishing", inputs.Bytes, true)
	defer progress.Done()
	total, read, refusals := transcript.Stats{}, 0, &refusals{}
	var problems []error
	for _, in := range inputs.List {
		summary, err := inputs.Read(r, in, options, progress.Add, refusals.sender(r, publish, opener))
		addStats(&total, summary.Stats)
		if summary.Format != "" {
			read++
		}
		progress.Pause(func() { summary.Describe(r.Stderr) })
		if r.Err() != nil {
			break
		}
		if err != nil {
			problems = append(problems, err)
		}
		problems = append(problems, unreadable(summary))
	}
	problems = append(problems, refusals.failure())
	cli.DescribeNotes(r.Stderr, opener)
	inputs.DescribeSkipped(r.Stderr)
	fmt.Fprintln(r.Stderr, published(total))
	if r.Err() != nil && !c.Follow {
		return r.Err()
	}
	if read == 0 && errors.Join(problems...) == nil && r.Err() == nil {
		return noTranscripts(c.Paths)
	}
	return errors.Join(problems...)
}

// published describes what was sent.
func published(s transcript.Stats) string {
	turns := text.Count(s.Turns, "turn") + " of " + text.Count(s.Sessions, "session")
	run := text.Count(s.RunEvents, "event") + " of " + text.Count(s.Runs, "run")
	switch {
	case s.RunEvents == 0:
		return "published " + turns
	case s.Turns == 0:
		return "published " + run
	}
	return "published " + turns + ", " + run
}
