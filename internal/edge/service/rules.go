package service

import (
	"context"
	"log/slog"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// keepRules stores what the configuration hash of the process names, so that its decisions
// can be derived again when other rules apply (AU-12). The stage works meanwhile: without
// the record it decides the same.
func keepRules(ctx context.Context, p *Process, broker *nats.Broker, log *slog.Logger) error {
	applied := p.Deployment().Applied()
	data, err := applied.Encode()
	if err != nil {
		return err
	}
	fits := func(data []byte) error {
		_, err := deployment.DecodeApplied(applied.ConfigHash, data)
		return err
	}
	broker.KeepRules(ctx, applied.ConfigHash, data, fits, func(err error) {
		if err != nil {
			log.Warn("the rules are not stored in the bucket RULES, trying again", "error", err)
		}
	})
	return nil
}
