package service

import (
	"context"
	"log/slog"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
)

// keepRules stores the configuration of the process's configuration hash, so that its decisions can be
// derived again when other rules apply (AU-12). The stage does not wait for it, as it decides the same
// without the record. One stage of a process does it for all, since they have the same configuration.
func keepRules(ctx context.Context, p *Process, broker *nats.Broker, log *slog.Logger) {
	if !p.keepsRules.CompareAndSwap(false, true) {
		return
	}
	applied := p.Deployment().Applied()
	fits := func(data []byte) error {
		_, err := deployment.DecodeApplied(applied.ConfigHash, data)
		return err
	}
	keep.Rules(ctx, broker, applied.ConfigHash, applied.Encode, fits, func(err error) {
		if err != nil {
			log.Warn("the rules could not be stored in the bucket RULES, retrying", "error", err)
		}
	})
}
