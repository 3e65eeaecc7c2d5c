package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ShowFeed prints events as a live feed, in the words of a rules file, "" for the embedded rules.
func ShowFeed(r *Call, file string) (func(events.Event) error, error) {
	set, err := deployment.LoadRules(file)
	if err != nil {
		return nil, Usage(err)
	}
	settings, err := sessionreport.LoadSettings(set)
	if err != nil {
		return nil, Usage(err)
	}
	theme := r.Theme
	theme.Words = terminal.Words{Titles: map[string]string{}, Reasons: settings.Reasons}
	for id, d := range settings.Detectors {
		theme.Words.Titles[id] = d.Title
	}
	var told terminal.Told
	var names terminal.Names
	return func(e events.Event) error {
		e, news := told.Once(e)
		line := theme.FeedAs(names.Of(e), e)
		if line == "" || !news {
			return nil
		}
		_, err := fmt.Fprintln(r.Stdout, line)
		return err
	}, nil
}

// Follow passes every decision to show until ctx ends.
func Follow(ctx context.Context, broker *nats.Broker, o read.Options, show func(events.Event) error) error {
	reader, err := read.Open(ctx, broker, o)
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		a, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		if a.Idle || a.Fault != "" {
			continue
		}
		if err := show(a.Input.Event); err != nil {
			return err
		}
	}
}

// JSONLines prints the events of the contract's list as structured CloudEvents, one on each line, and two
// input types that decide something: whether an interrupt was heeded, and what the guard answered.
func JSONLines(out io.Writer) func(events.Event) error {
	return func(e events.Event) error {
		if !Printed(e.Type) && !judged(e) && e.Type != sessionevents.TypeGuardDecided {
			return nil
		}
		line, err := events.MarshalStructured(e)
		if err != nil {
			return fmt.Errorf("encode %s %s: %w", e.Type, e.ID, err)
		}
		_, err = out.Write(append(line, '\n'))
		return err
	}
}

// judged reports whether an event is the dispatcher's own judgement of an interrupt (DP-21).
func judged(e events.Event) bool {
	delivery, ok := e.Data.(*sessionevents.InterruptDelivery)
	return ok && delivery.By == budget.Judge
}

// Printed reports whether `scan --output jsonl` prints a type.
func Printed(t events.Type) bool {
	d, ok := events.Lookup(t)
	return ok && d.Printed()
}
