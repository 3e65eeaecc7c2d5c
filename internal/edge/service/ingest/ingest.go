// Package ingest wires the service that checks and numbers turns, replaces secrets
// and cuts turns into segments: INPUT → SEGMENTS. It also answers agents' hooks,
// and their questions before a tool runs, which needs the detectors.
package ingest

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
)

// snapshotEvery is low because raw input is short-lived: a state must not depend
// on a long tail of it.
const snapshotEvery = 64

// Service is ingest on its own.
var Service = With(func(p *service.Process) (*machines.Core, error) {
	return machines.New(machines.Options{Rules: p.Rules, FingerprintKey: p.Key, IdleTimeout: p.Config.Session.IdleTimeout})
})

// With is ingest with the machines that build gives, so that services in one
// process can share them.
func With(build func(*service.Process) (*machines.Core, error)) service.Service {
	return service.Service{
		Name: "ingest", Does: "checks and numbers turns, replaces secrets, cuts turns into segments: INPUT → SEGMENTS",
		Build: func(p *service.Process) ([]service.Part, error) {
			c, err := build(p)
			if err != nil {
				return nil, err
			}
			parts := []service.Part{service.Stage(p, c.Ingest, service.StageOptions{SnapshotEvery: snapshotEvery})}
			if p.Config.HTTP.Address != "" {
				parts = append(parts, newHooks(p, c.Preflight))
			}
			return parts, nil
		},
	}
}
