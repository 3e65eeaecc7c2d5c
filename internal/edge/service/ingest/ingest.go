// Package ingest wires the service that checks and numbers turns, redacts secrets and splits turns into
// segments: INPUT → SEGMENTS. It also answers agents' hooks, including those that ask before a tool runs,
// which requires the detectors.
package ingest

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/evaluator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines/ingest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// snapshotEvery is low because raw input is short-lived: a state must not depend on a long tail of it.
const snapshotEvery = 64

// Service is ingest alone.
var Service = With(func(p *service.Process) (ingest.Parts, error) {
	judge, err := evaluator.New(p.Deployment())
	if err != nil {
		return ingest.Parts{}, err
	}
	return ingest.New(p.Deployment(), judge.Suite())
})

// With returns ingest with the machines that build returns, so that services in one process can share them.
func With(build func(*service.Process) (ingest.Parts, error)) service.Service {
	return service.Service{
		Address: "127.0.0.1:8420", Name: "ingest", Does: "checks and numbers turns, replaces secrets, cuts turns into segments: INPUT → SEGMENTS",
		// Its hooks record calls in INPUT and read decisions.
		Reads:  []string{string(events.StreamDecisions), "KV_" + topology.BucketControl, "KV_" + topology.BucketPositions, string(events.StreamDeadLetter)},
		Writes: append(vitals.StageWrites(subjects.StageOf(events.StreamSegments)), vitals.InputWrite(sessionevents.TypeHookReceived)),
		Build: func(p *service.Process) ([]service.Part, error) {
			parts, err := build(p)
			if err != nil {
				return nil, err
			}
			list := []service.Part{service.Stage(p, parts.Machine, service.StageOptions{SnapshotEvery: snapshotEvery})}
			if p.Config.HTTP.Address != "" {
				list = append(list, newHooks(p, parts.Preflight))
			}
			return list, nil
		},
	}
}
