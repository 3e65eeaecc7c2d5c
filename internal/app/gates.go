package app

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/gateservice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
)

// answerGates runs the gate service beside the dispatcher until ctx ends. What
// keeps it from running stops nothing else: gates that nobody answers are closed.
func (p *process) answerGates(ctx context.Context, broker *natsio.Broker) {
	log := p.Log.With("service", gateservice.Name)
	for ctx.Err() == nil {
		err := gateservice.Run(ctx, gateservice.Options{
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
