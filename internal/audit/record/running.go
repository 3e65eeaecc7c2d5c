package record

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Running returns the record of a running system.
func Running(broker *nats.Broker) Source { return running{broker} }

type running struct{ broker *nats.Broker }

// Stream implements [chain.Source].
func (r running) Stream(ctx context.Context, name events.Stream) (proof.Stream, error) {
	return read.LookUp(ctx, r.broker, name)
}

// Each implements [chain.Source].
func (r running) Each(ctx context.Context, name events.Stream, through uint64, take func(proof.Message) error) error {
	return read.Each(ctx, r.broker, name, through, take)
}

// Partitions implements [Source].
func (r running) Partitions() int { return r.broker.Topology().Partitions }

// Recording implements [Source].
func (r running) Recording(ctx context.Context, stage string) (engine.Recording, error) {
	return natssource.Recording(ctx, r.broker, stage)
}

// Builds implements [Source].
func (r running) Builds(ctx context.Context, stage string) ([]buildinfo.Build, error) {
	return commit.Builds(ctx, r.broker, stage)
}

// Applied implements [Source].
func (r running) Applied(ctx context.Context, hash string) ([]byte, error) {
	if !IsHash(hash) {
		return nil, nil
	}
	return keep.Applied(ctx, r.broker, hash)
}

// Events implements [Source]. The cost of a session or run grows with what is recorded of it; for anything
// else a stream is read whole.
func (r running) Events(ctx context.Context, of Selection, take func(Entry) error) error {
	passed := func(a read.Accepted) error {
		if a.Fault != "" || !of.has(a.Input.Event) {
			return nil
		}
		return take(Entry{a.Input.Event, a.Data})
	}
	stage := subjects.StageOf(of.Stream)
	id := of.Session + of.Run
	if id == "" {
		return read.All(ctx, r.broker, read.Options{Stage: stage, Partition: nats.AllPartitions, Filters: of.filters()}, passed)
	}
	if !events.ValidID(id) {
		return fmt.Errorf("%q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", id)
	}
	found, _, err := read.About(ctx, r.broker, stage, of.filters())
	for _, a := range found {
		if err == nil {
			err = passed(a)
		}
	}
	return err
}

// filters returns the subjects that hold the selected events; none for all.
func (s Selection) filters() []string {
	decided := s.Stream == events.StreamDecisions
	switch {
	case decided && s.Session != "":
		return subjects.DecidedAboutSession(s.Session)
	case decided && s.Run != "":
		return subjects.DecidedAboutRun(s.Run)
	case s.Session != "":
		return []string{subjects.SessionFilter(s.Type, s.Session)}
	case s.Run != "":
		return []string{subjects.RunFilter(s.Type, s.Run)}
	case s.Type == runevents.TypeGitCommit:
		return []string{"decisions.run.fact.>", "decisions.run.raw.>"}
	case decided && s.Type != "":
		return []string{"decisions." + subjects.FleetFilter(s.Type)}
	}
	return nil
}
