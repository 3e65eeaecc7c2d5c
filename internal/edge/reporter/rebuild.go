package reporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
)

// Rebuild empties the read model and fills it from DECISIONS. What the stream no longer holds because of
// its age is then missing. A reporter that uses the same file may continue from there.
func Rebuild(ctx context.Context, settings config.Reports, broker *nats.Broker, log *slog.Logger, out io.Writer) error {
	if settings.Database == "" {
		return errors.New("reports.database is not set (--reports-database FILE): the read model is in memory and is built at every start")
	}
	begun := time.Now()
	extent, err := broker.Extent(ctx, "dispatcher")
	if err != nil {
		return err
	}
	model, err := openModel(ctx, settings, log)
	if err != nil {
		return err
	}
	defer model.Close()
	if extent.First > 1 {
		fmt.Fprintf(out, "DECISIONS begins at %d: earlier events have aged out and will be missing\n", extent.First)
	}
	if err := model.Reset(ctx, extent.Identity); err != nil {
		return err
	}
	err = decisions.Fill(ctx, model, nil, broker, nil)
	if errors.Is(err, readmodel.ErrMoved) {
		_, err = fmt.Fprintf(out, "%s was emptied; the reporter that runs on it fills it again\n", settings.Database)
		return err
	}
	if err != nil {
		return err
	}
	sessions, err := model.CountSessions(ctx)
	if err != nil {
		return err
	}
	runs, err := model.CountRuns(ctx, runlist.Filter{})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "rebuilt %s: %d sessions and %d runs in %s\n", settings.Database, sessions, runs, time.Since(begun).Round(10*time.Millisecond))
	return err
}

// rebuild implements the command `reporter rebuild`.
func rebuild(ctx context.Context, settings config.Config, log *slog.Logger, out io.Writer) error {
	keys, err := link.Keys(settings.Security)
	if err != nil {
		return err
	}
	patient, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	nc, err := nats.Connect(patient, link.Options(settings, Name))
	if err != nil {
		return err
	}
	defer nc.Close()
	broker, err := nats.Open(nc, link.Topology(settings), keys, nil)
	if err != nil {
		return err
	}
	return Rebuild(ctx, settings.Reports, broker, log, out)
}
