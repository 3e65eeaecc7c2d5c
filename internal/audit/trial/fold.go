package trial

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Input is an event with the time that --since refers to: when it was recorded or, in a transcript, when it
// happened. Without an event, another file begins or the last one ends.
type Input struct {
	Event *events.Event
	At    time.Time
	// number is the position of the input, for reading in another order than that of recording.
	number int
	Ends   bool
}

// Read passes what produce reads to the workers.
func (f *Folding) Read(ctx context.Context, produce func(ctx context.Context, take func(Input) error) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	spread := machines.NewSpread(ctx, f.workers, func(worker, number int, derived [][]events.Event) {
		f.comparison[worker].TakeAt(number, derived)
	})
	err := produce(ctx, func(in Input) error {
		switch {
		case in.Ends:
			return spread.End()
		case in.Event == nil:
			return spread.Begin()
		}
		return f.fold(ctx, spread, in)
	})
	if err != nil {
		stop() // the rest is not needed
	}
	return cmp.Or(err, spread.Wait())
}

func (f *Folding) fold(ctx context.Context, spread *machines.Spread, in Input) error {
	e := *in.Event
	if !f.trial.Since.IsZero() {
		began, known := f.began[e.Group()]
		if !known {
			began = !in.At.Before(f.trial.Since)
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
		if err := f.trial.Limits.turn(ctx); err != nil {
			return err
		}
	}
	if in.number > 0 {
		return spread.FeedAt(in.number, e)
	}
	return spread.Feed(e)
}

// notes lists what was not compared.
func (f *Folding) notes() (list []string) {
	if f.before > 0 {
		list = append(list, fmt.Sprintf("sessions and runs that began before %s and are left out: %d", f.trial.Since.UTC().Format(time.DateTime), f.before))
	}
	var dead []memory.DeadLetter
	for _, variants := range f.workers {
		dead = append(dead, variants.DeadLetters()...)
	}
	if len(dead) > 0 {
		list = append(list, fmt.Sprintf("%s could not be folded: %s", text.Count(len(dead), "input"), quote.Visible(dead[0].Reason)))
	}
	return list
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
