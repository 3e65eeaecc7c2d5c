package audit

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/attest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// recordedSource is the record of a running system.
type recordedSource struct {
	broker *nats.Broker
	heads  []chain.Head
}

// openSource verifies a running system and opens it for attestations.
func openSource(c cli.Connection, r *cli.Call) (attest.Source, error) {
	report, err := Verified(c, r, nil)
	if err != nil {
		return nil, err
	}
	if !report.Verified {
		return nil, fmt.Errorf("%w, so nothing is attested: %s; see `scaffoldwatch verify`", ErrFindings, report.Findings[0])
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return nil, err
	}
	return recordedSource{broker, report.Heads()}, nil
}

// await waits until facts name the commits, at most as long as the caller allows.
func (c *Attest) await(r *cli.Call, commits []attest.GitCommit) error {
	if c.Wait <= 0 || len(commits) == 0 {
		return nil
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	for end := now().Add(c.Wait); now().Before(end); {
		named := map[string]bool{}
		err := recordedSource{broker: broker}.Facts(r, func(e events.Event) {
			if d, is := e.Data.(*runevents.GitCommit); is {
				named[d.SHA] = true
			}
		})
		if err != nil {
			return fmt.Errorf("read the facts about commits: %w", err)
		}
		if !slices.ContainsFunc(commits, func(c attest.GitCommit) bool { return !named[c.SHA] }) {
			return nil
		}
		select {
		case <-r.Done():
			return r.Err()
		case <-time.After(time.Second):
		}
	}
	return nil
}

// Partitions implements attest.Source.
func (s recordedSource) Partitions() int { return s.broker.Topology().Partitions }

// Heads implements attest.Source.
func (s recordedSource) Heads(context.Context) ([]chain.Head, error) { return s.heads, nil }

// Facts implements attest.Source.
func (s recordedSource) Facts(ctx context.Context, take func(events.Event)) error {
	return s.forwarded(ctx, runevents.TypeGitCommit, take)
}

// Turns implements attest.Source.
func (s recordedSource) Turns(ctx context.Context, take func(events.Event)) error {
	return s.forwarded(ctx, sessionevents.TypeTurnEvaluated, take)
}

// forwarded reads the events of one type in DECISIONS.
func (s recordedSource) forwarded(ctx context.Context, typ events.Type, take func(events.Event)) error {
	filters := []string{"decisions." + subjects.FleetFilter(typ)}
	if typ == runevents.TypeGitCommit {
		filters = []string{"decisions.run.fact.>", "decisions.run.raw.>"}
	}
	o := read.Options{Stage: subjects.StageOf(events.StreamDecisions), Partition: nats.AllPartitions, Filters: filters}
	return read.All(ctx, s.broker, o, func(a read.Accepted) error {
		if a.Input.Event.Type == typ {
			take(a.Input.Event)
		}
		return nil
	})
}

// Session implements attest.Source.
func (s recordedSource) Session(ctx context.Context, id string) ([]events.Event, error) {
	return s.about(ctx, id, decisions.SessionFilters(id))
}

// Run implements attest.Source.
func (s recordedSource) Run(ctx context.Context, id string) ([]events.Event, error) {
	return s.about(ctx, id, decisions.RunFilters(id))
}

func (s recordedSource) about(ctx context.Context, id string, filters []string) ([]events.Event, error) {
	if !events.ValidID(id) {
		return nil, cli.Usage(fmt.Errorf("%q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", id))
	}
	found, _, err := read.About(ctx, s.broker, subjects.StageOf(events.StreamDecisions), filters)
	if err != nil {
		return nil, fmt.Errorf("read the decisions about %s: %w", id, err)
	}
	all := make([]events.Event, 0, len(found))
	for _, a := range found {
		all = append(all, a.Input.Event)
	}
	return all, nil
}

// Segments implements attest.Source.
func (s recordedSource) Segments(ctx context.Context, session string, take func([]byte)) error {
	filter := subjects.SessionFilter(sessionevents.TypeTurnSegmented, session)
	found, _, err := read.About(ctx, s.broker, subjects.StageOf(events.StreamSegments), []string{filter})
	for _, a := range found {
		take(a.Data)
	}
	return err
}

// readAll reads an attestation from a pipe.
func readAll(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, attest.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read stdin: %w", err)
	}
	return data, nil
}
