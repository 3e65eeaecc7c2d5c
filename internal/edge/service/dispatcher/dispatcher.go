// Package dispatcher wires the service that decides what is said, and when: SIGNALS → DECISIONS. It links
// neither detectors nor grammars nor secret rules.
package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/gates"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Service is the dispatcher: its machine, the bucket CONTROL and the gates.
var Service = service.Service{
	Address: "127.0.0.1:8422", Name: budget.StageName, Does: "owns the interrupt budget and decides what is said, and when: SIGNALS → DECISIONS",
	// It also maintains CONTROL, and records requests to gates in INPUT.
	Reads:  []string{string(events.StreamSignals), "KV_" + topology.BucketControl, "KV_" + topology.BucketPositions, string(events.StreamDeadLetter)},
	Writes: append(vitals.StageWrites(budget.StageName), vitals.InputWrite(events.ClassRunRaw)),
	Build:  build,
}

func build(p *service.Process) ([]service.Part, error) {
	machine, err := dispatch.New(p.Rules)
	if err != nil {
		return nil, fmt.Errorf("start the dispatcher: %w", err)
	}
	p.Report(budget.StageName, errors.New("the control states have not been rewritten yet"))
	stage := service.Stage(p, machine, service.StageOptions{Before: keepControl})
	gates := service.Part{Run: func(ctx context.Context, broker *nats.Broker) error { return answerGates(ctx, p, broker) }}
	return []service.Part{stage, gates}, nil
}

// keepControl maintains the bucket CONTROL. The dispatcher reads input only after the bucket has been
// rewritten (EV-8).
func keepControl(ctx context.Context, broker *nats.Broker, log *slog.Logger, begin func()) {
	control.Keep(ctx, broker, begin, func(err error) {
		log.Warn("the control states are not maintained, retrying", "error", err)
	})
}

// answerGates runs the gate service until ctx ends. A failure stops nothing else: without an answer, gates
// stay closed.
func answerGates(ctx context.Context, p *service.Process, broker *nats.Broker) error {
	log := p.Log.With("service", gates.Name)
	for ctx.Err() == nil {
		err := gates.Run(ctx, gates.Options{
			Conn: broker.Conn(), Broker: broker, Log: log, Ready: func() { p.Report("gates", nil) },
		})
		if ctx.Err() != nil {
			break
		}
		p.Report("gates", err)
		log.Warn("requests to gates are not answered, retrying", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}
