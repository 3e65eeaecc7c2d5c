package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natsread "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// folding passes inputs to the variants and their decisions to the comparison.
type folding struct {
	call       *cli.Call
	workers    []*machines.Variants
	comparison []*backtest.Comparison // one for each worker
	limits     *limits
	turn       events.Type // the type that --rate counts
	source     string
	since      time.Time
	began      map[string]bool // whether a group began since then
	before     int             // number of groups that began before
}

// input is an event with the time that --since refers to: when it was recorded or, in a transcript, when it
// happened. Without an event, another file begins or the last one ends.
type input struct {
	event *events.Event
	at    time.Time
	// number is the position of the input, for reading in another order than that of recording.
	number int
	ends   bool
}

// read passes what produce reads to the workers.
func (f *folding) read(produce func(ctx context.Context, take func(input) error) error) error {
	ctx, stop := context.WithCancel(f.call)
	defer stop()
	spread := machines.NewSpread(ctx, f.workers, func(worker, number int, derived [][]events.Event) {
		f.comparison[worker].TakeAt(number, derived)
	})
	err := produce(ctx, func(in input) error {
		switch {
		case in.ends:
			return spread.End()
		case in.event == nil:
			return spread.Begin()
		}
		return f.fold(ctx, spread, in)
	})
	if err != nil {
		stop() // the rest is not needed
	}
	return cmp.Or(err, spread.Wait())
}

func (f *folding) fold(ctx context.Context, spread *machines.Spread, in input) error {
	e := *in.event
	if !f.since.IsZero() {
		began, known := f.began[e.Group()]
		if !known {
			began = !in.at.Before(f.since)
			f.began[e.Group()] = began
			if !began {
				f.before++
			}
		}
		if !began {
			return nil
		}
	}
	if e.Type == f.turn {
		if err := f.limits.turn(ctx); err != nil {
			return err
		}
	}
	if in.number > 0 {
		return spread.FeedAt(in.number, e)
	}
	return spread.Feed(e)
}

// joined returns the combined comparison.
func (f *folding) joined() *backtest.Comparison {
	for _, other := range f.comparison[1:] {
		f.comparison[0].Join(other)
	}
	return f.comparison[0]
}

// notes lists what was not compared.
func (f *folding) notes() (list []string) {
	if f.before > 0 {
		list = append(list, fmt.Sprintf("sessions and runs that began before %s and are left out: %d", f.since.UTC().Format(time.DateTime), f.before))
	}
	var dead []memory.DeadLetter
	for _, variants := range f.workers {
		dead = append(dead, variants.DeadLetters()...)
	}
	if len(dead) > 0 {
		list = append(list, fmt.Sprintf("%s could not be folded: %s", text.Count(len(dead), "input"), terminal.Clean(dead[0].Reason)))
	}
	return list
}

// fold reads the source that the paths name.
func (c *Backtest) fold(f *folding, t *trial) ([]string, error) {
	if len(t.bundles) > 0 {
		return c.bundles(f, t)
	}
	if len(c.Paths) > 0 {
		f.source = strings.Join(c.Paths, " ")
		return nil, c.transcripts(f)
	}
	f.source = "the running system"
	return c.recorded(f, t)
}

// transcripts folds files as `scan` does.
func (c *Backtest) transcripts(f *folding) error {
	inputs, err := transcripts.Find(c.Paths, f.call.Input())
	if err != nil {
		return cli.Usage(err)
	}
	opener, err := c.Opener()
	if err != nil {
		return err
	}
	progress := terminal.NewProgress(f.call.Stderr, "folding", inputs.Bytes, true)
	defer progress.Done()
	read := 0
	err = f.read(func(ctx context.Context, take func(input) error) error {
		for _, in := range inputs.List {
			if err := take(input{}); err != nil {
				return err
			}
			summary, err := inputs.Read(ctx, in, transcript.Options{}, progress.Add, func(e events.Event) error {
				for _, filled := range opener.Fill(e) {
					prepared, err := publish.Prepare(filled)
					if err != nil {
						return err
					}
					if err := take(input{event: &prepared, at: prepared.Time}); err != nil {
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
			progress.Pause(func() { summary.Describe(f.call.Stderr) })
		}
		return take(input{ends: true})
	})
	if err != nil {
		return err
	}
	inputs.DescribeSkipped(f.call.Stderr)
	cli.DescribeNotes(f.call.Stderr, opener)
	if read == 0 {
		return fmt.Errorf("no transcripts found in %s; docs/formats.md lists the supported formats", f.source)
	}
	return nil
}

// streams maps each stage to the stream it writes.
var streams = map[string]events.Stream{
	"ingest": events.StreamSegments, "evaluator": events.StreamSignals, machines.Joined: events.StreamSignals,
}

// turns maps each stage to the type of its outputs that are counted.
var turns = map[string]events.Type{
	"": sessionevents.TypeTurnRaw, "ingest": sessionevents.TypeTurnSegmented, "evaluator": sessionevents.TypeTurnEvaluated,
	machines.Joined: sessionevents.TypeTurnEvaluated,
}

// recorded folds what ingest or the evaluator has written. It writes nothing, not even a consumer's
// position.
func (c *Backtest) recorded(f *folding, t *trial) ([]string, error) {
	broker, _, err := c.AsAdmin().Open(f.call)
	if err != nil {
		return nil, err
	}
	options := natsread.Options{Stage: t.from, Partition: nats.AllPartitions}
	if t.from == machines.Joined {
		options.Stage = evaluate.StageName
	}
	only := ""
	if c.Session != "" {
		if only, err = groupOf(f.call, broker, options, c.Session); err != nil {
			return nil, err
		}
	}
	stored, err := natsread.LookUp(f.call, broker, streams[options.Stage])
	if err != nil {
		return nil, err
	}
	progress := terminal.NewProgress(f.call.Stderr, "folding", int64(stored.Last), false)
	defer progress.Done()
	read := &recordedRead{call: f.call, broker: broker, trial: t, only: only, progress: progress, others: map[string]bool{}}
	err = f.read(func(ctx context.Context, take func(input) error) error {
		if t.from == machines.Joined {
			return read.joined(ctx, take)
		}
		return read.stage(ctx, options, take)
	})
	if err != nil {
		return nil, err
	}
	notes := read.notes()
	if stored.First > 1 {
		notes = append(notes, fmt.Sprintf("%s no longer holds the oldest records: sessions that began there are incomplete", streams[options.Stage]))
	}
	return notes, nil
}

// groupOf finds the group in which a session is recorded: itself or its run.
func groupOf(ctx context.Context, broker *nats.Broker, o natsread.Options, session string) (string, error) {
	found := errors.New("found")
	group := ""
	err := natsread.All(ctx, broker, o, func(a natsread.Accepted) error {
		if a.Fault == "" && (a.Input.Event.Subject == session || a.Group == session) {
			group = a.Group
			return found
		}
		return nil
	})
	if errors.Is(err, found) {
		return group, nil
	}
	if err == nil {
		err = fmt.Errorf("no record of %q was found", session)
	}
	return "", err
}
