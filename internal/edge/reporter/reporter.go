// Package reporter is the service that shows people what was decided: lists, reports and the live feed over
// HTTP, and report files, all from DECISIONS.
package reporter

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// reporter is the service: the list of sessions, reports on request, a report file when a session closes
// or its primary signals that it is done, the live feed. It keeps nothing that DECISIONS does not hold; its
// read model records how far it has read.
type reporter struct {
	*source
	*listeners
	settings config.Reports
	titles   map[string]string // titles of detectors by id
	log      *slog.Logger
	views    *views
}

func newReporter(settings config.Reports, reading *decisions.Reading, titles map[string]string, log *slog.Logger) *reporter {
	from, feed := &source{reading: reading, changed: make(chan struct{})}, &listeners{feed: map[chan events.Event]bool{}}
	return &reporter{
		source: from, listeners: feed, settings: settings, titles: titles, log: log,
		views: &views{source: from, listeners: feed, titles: titles, compared: comparedNextTo(settings.Database)},
	}
}

// run follows DECISIONS until ctx ends, from the read model's position. After any failure it reopens the
// model and continues from there. It fails if this version must not touch the model.
func (r *reporter) run(ctx context.Context, broker *nats.Broker, healthy func(error)) error {
	r.setBroker(broker)
	for ctx.Err() == nil {
		err := r.attempt(ctx, healthy)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, readmodel.ErrNewer), errors.Is(err, readmodel.ErrForeign):
			return err
		}
		healthy(err)
		r.log.Warn("the read model failed, retrying", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (r *reporter) attempt(ctx context.Context, healthy func(error)) error {
	model, err := openModel(ctx, r.settings, r.log)
	if err != nil {
		return err
	}
	r.setModel(model)
	defer func() {
		r.setModel(nil)
		if err := model.Close(); err != nil {
			r.log.Warn("close the read model", "error", err)
		}
	}()
	broker, err := r.decided()
	if err != nil {
		return err
	}
	files := reportFiles{source: r.source, settings: r.settings, log: r.log}
	follower := modelFollower{
		model: model, broker: broker, log: r.log, healthy: healthy, maxBytes: r.settings.DatabaseBytes,
		before: files.writeReports, after: r.tell,
	}
	return follower.run(ctx)
}
