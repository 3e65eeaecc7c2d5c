package system

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
)

// purges finishes, once, purges that were killed (AU-40): this process holds the broker, so it may remove
// messages. On a broker of its own no service may; there `purge` is run again.
var purges = service.Service{
	Name: "purges", Does: "finishes purges that were interrupted",
	Build: func(p *service.Process) ([]service.Part, error) {
		return []service.Part{{Run: func(ctx context.Context, broker *nats.Broker) error {
			finishPurges(ctx, p, broker)
			return nil
		}}}, nil
	},
}

func finishPurges(ctx context.Context, p *service.Process, broker *nats.Broker) {
	ctx, done := context.WithCancel(ctx)
	defer done()
	keep.Retry(ctx, func() (bool, error) {
		err := erase.Finish(ctx, broker, func(group string, messages int) {
			p.Log.Warn("finished a purge that was interrupted", "of", group, "messages", messages)
		})
		if err == nil {
			done()
		}
		return false, err
	}, func(err error) { p.Log.Warn("a purge that was interrupted is not finished, retrying", "error", err) })
}
