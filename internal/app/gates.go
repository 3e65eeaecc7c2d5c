package app

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/gates"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// answerGates runs the gate service beside the dispatcher until ctx ends. What
// keeps it from running stops nothing else: gates that nobody answers are closed.
func (p *process) answerGates(ctx context.Context, broker *nats.Broker) {
	log := p.Log.With("service", gates.Name)
	for ctx.Err() == nil {
		err := gates.Run(ctx, gates.Options{
			Conn: p.conn, Broker: broker, Log: log, Ready: func() { p.health.report("gates", nil) },
		})
		if ctx.Err() != nil {
			return
		}
		p.health.report("gates", err)
		log.Warn("gates are not answered by request, trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
