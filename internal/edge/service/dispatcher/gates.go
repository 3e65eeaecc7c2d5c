package dispatcher

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/gates"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

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
