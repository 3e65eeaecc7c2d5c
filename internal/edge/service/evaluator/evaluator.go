// Package evaluator wires the service that runs the detectors: SEGMENTS → SIGNALS.
package evaluator

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/evaluator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// snapshotEvery limits the turns that are folded again after a restart, about half a millisecond each.
const snapshotEvery = 32

// Service is the evaluator alone.
var Service = With(func(p *service.Process) (*evaluate.Machine, error) {
	return evaluator.New(p.Deployment())
})

// With returns the evaluator with the machine that build returns, so that services in one process can share
// it.
func With(build func(*service.Process) (*evaluate.Machine, error)) service.Service {
	return service.Service{
		Address: "127.0.0.1:8421", Name: evaluate.StageName, Does: "keeps what each session did and runs the detectors: SEGMENTS → SIGNALS",
		Reads:  []string{string(events.StreamSegments), "KV_" + topology.BucketPositions, string(events.StreamDeadLetter)},
		Writes: vitals.StageWrites(evaluate.StageName),
		Build: func(p *service.Process) ([]service.Part, error) {
			machine, err := build(p)
			if err != nil {
				return nil, err
			}
			return []service.Part{service.Stage(p, machine, service.StageOptions{SnapshotEvery: snapshotEvery})}, nil
		},
	}
}
