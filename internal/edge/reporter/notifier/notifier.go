// Package notifier notifies people of decisions: as a part of the reporter it reads batches from DECISIONS,
// sends the notices that they require, and records that it did.
package notifier

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Settings reads the file of notification settings and the words for notices.
func Settings(file, rulesFile string) (*notify.File, *notice.Words, error) {
	set, err := deployment.LoadRules(rulesFile)
	if err != nil {
		return nil, nil, err
	}
	words, err := notice.LoadWords(set)
	if err != nil {
		return nil, nil, err
	}
	hours, err := workhours.Load(set)
	if err != nil {
		return nil, nil, err
	}
	settings, err := notify.Load(file, words)
	if err == nil && settings.Hours.IsZero() { // the hours that the clocks of questions use (PL-36)
		settings.Hours = hours.Notifications
	}
	return settings, words, err
}

// New returns the part that notifies people. It fails if the notification settings are invalid or a
// variable is missing.
func New(p *service.Process) (service.Part, error) {
	settings, _, err := Settings(p.Config.Notify.File, p.Config.Rules)
	if err != nil {
		return service.Part{}, err
	}
	if unused := settings.Unused(); len(unused) > 0 {
		p.Log.Warn("no layer names these channels: only a run can choose them (trigger.notify)", "channels", unused)
	}
	if err := warnOfUnseen(p, settings); err != nil {
		return service.Part{}, err
	}
	if _, err = settings.Posts(os.Getenv, nil); err != nil {
		return service.Part{}, err
	}
	return service.Part{Run: func(ctx context.Context, broker *nats.Broker) error { return run(ctx, p, broker) }}, nil
}

// warnOfUnseen says in the log that defaults of questions may be taken while their notices are held: the
// clock runs by the rules, as the dispatcher does not know the notification settings.
func warnOfUnseen(p *service.Process, settings *notify.File) error {
	hours, err := workhours.Load(p.Rules)
	if err != nil {
		return err
	}
	at, err := settings.Unseen(hours.Notifications, time.Now())
	if err == nil && !at.IsZero() {
		p.Log.Warn("questions are held while the clock of their defaults runs: "+
			"set the same hours as hours.notifications in the rules file",
			"for_example_at", at.UTC().Format(time.RFC3339), "clock", hours.Notifications.String())
	}
	return err
}

// run notifies people of what is in DECISIONS until ctx ends. After a failure it continues from its outbox.
func run(ctx context.Context, p *service.Process, broker *nats.Broker) error {
	log := p.Log.With("service", "notify")
	standby := false
	for ctx.Err() == nil {
		err := attempt(ctx, p, broker)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, notify.ErrNewer):
			return err
		case errors.Is(err, notify.ErrInUse): // it continues when the other one ends
			p.Report("notify", nil)
			if !standby {
				log.Info("notifications are on standby", "why", err.Error())
			}
			standby = true
		default:
			standby = false
			p.Report("notify", err)
			log.Warn("notifications are interrupted, retrying", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func attempt(ctx context.Context, p *service.Process, broker *nats.Broker) error {
	settings, words, err := Settings(p.Config.Notify.File, p.Config.Rules)
	if err != nil {
		return err
	}
	service, err := notify.New(notify.Options{
		File: settings, Words: words, Path: p.Config.Notify.Outbox, Log: p.Log.With("service", "notify"), Env: os.Getenv,
	})
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // the lock ends with the process at the latest
	extent, err := broker.Extent(ctx, "dispatcher")
	if err != nil {
		return err
	}
	if at := service.Position(); at.Stream != extent.Identity || at.Anchor > extent.Last {
		service.Begin(extent.Identity)
	}
	publisher, err := client.NewPublisher(broker.Conn(), client.PublisherOptions{Source: notice.Source})
	if err != nil {
		return err
	}
	defer func() { _ = publisher.Close() }() // it has no spool: nothing is lost
	reader, err := read.Open(ctx, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, After: service.Position().Anchor})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	decided, ended := readBatches(ctx, reader)
	defer func() {
		cancel()
		<-ended // only one goroutine may use the reader
		reader.Close()
	}()
	p.Report("notify", nil)
	return service.Run(ctx, decided.source(), recordBy(publisher))
}

// recordPatience limits how long recording a fact may take; it is retried later.
const recordPatience = 5 * time.Second

func recordBy(publisher *client.Publisher) notify.Recorder {
	return func(ctx context.Context, e events.Event) error {
		ctx, cancel := context.WithTimeout(ctx, recordPatience)
		defer cancel()
		_, err := publisher.Event(ctx, e)
		return err
	}
}

// batches delivers what a reader reads, batch by batch.
type batches chan batch

type batch struct {
	records []notify.Record
	caught  bool // nothing more was available
	err     error
}

// readBatches reads in the background until ctx ends or it fails; then ended is closed.
func readBatches(ctx context.Context, reader *read.Reader) (batches, <-chan struct{}) {
	out, ended := make(batches), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			next := readBatch(ctx, reader)
			select {
			case out <- next:
			case <-ctx.Done():
				return
			}
			if next.err != nil {
				return
			}
		}
	}()
	return out, ended
}

func readBatch(ctx context.Context, reader *read.Reader) (b batch) {
	records, err := decisions.NextBatch(ctx, reader)
	if err != nil {
		return batch{err: err}
	}
	for _, r := range records {
		b.records = append(b.records, notify.Record{Sequence: r.Sequence, Anchor: r.Anchor, Event: r.Event})
	}
	b.caught = len(records) < decisions.Batch
	return b
}

// source returns a source that waits for a batch; if none arrives in time, the previous one was the last
// available.
func (b batches) source() notify.Source {
	return func(ctx context.Context, wait time.Duration) ([]notify.Record, bool, error) {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case next := <-b:
			return next.records, next.caught, next.err
		case <-timer.C:
			return nil, true, nil
		case <-ctx.Done():
			return nil, false, nil
		}
	}
}
