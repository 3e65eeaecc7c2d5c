package main

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/replayed"
)

// replay folds the recorded input of every stage again and returns how many groups
// are derived otherwise than they were recorded between the kills (AU-10).
func replay(ctx context.Context, broker *nats.Broker) (int, error) {
	// As the services run: ingest's timers depend on the timeout.
	core, err := machines.New(machines.Options{Rules: rules.Default(), IdleTimeout: settings("").Session.IdleTimeout})
	if err != nil {
		return 0, err
	}
	recordings := func(stage string) (engine.Recording, error) { return source.Recording(ctx, broker, stage) }
	stages, err := replayed.Stages(ctx, core, core.Identity, recordings, partitions)
	wrong := 0
	for _, s := range stages {
		wrong += s.Differ()
		fmt.Printf("chaos: %s replayed: %d groups, %d events the same byte for byte, %d groups differ\n", s.Name, s.Result.Groups, s.Result.Same, s.Differ())
		for _, d := range s.Result.First[:min(shown, len(s.Result.First))] {
			fmt.Printf("chaos: %s: %s caused by %s is derived otherwise:\n  was %.300s\n  is  %.300s\n", d.Group, d.Type, d.Cause, d.Was, d.Is)
		}
	}
	return wrong, err
}
