package app

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// NotifySettings reads the file of notification settings with its words.
func NotifySettings(file, rulesFile string) (*notify.File, *notice.Words, error) {
	set, err := LoadRules(rulesFile)
	if err != nil {
		return nil, nil, err
	}
	words, err := notice.LoadWords(set)
	if err != nil {
		return nil, nil, err
	}
	settings, err := notify.Load(file, words)
	return settings, words, err
}

// checkNotify finds mistakes in the notification settings, and variables that
// are missing, before anything starts.
func checkNotify(o ServiceOptions) error {
	if o.Config.Notify.File == "" || !slices.Contains(o.Names, Reporter) {
		return nil
	}
	settings, _, err := NotifySettings(o.Config.Notify.File, o.Config.Rules)
	if err != nil {
		return err
	}
	if unused := settings.Unused(); len(unused) > 0 {
		o.Log.Warn("no layer names these channels: only a run can choose them (trigger.notify)", "channels", unused)
	}
	_, err = settings.Posts(os.Getenv, nil)
	return err
}

// notify tells people what DECISIONS holds until ctx ends. After a failure it
// goes on from its outbox. It stands apart from the lists and reports: neither
// holds up the other.
func (p *process) notify(ctx context.Context, broker *nats.Broker) error {
	log := p.Log.With("service", "notify")
	standsBy := false
	for ctx.Err() == nil {
		err := p.tellPeople(ctx, broker)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, notify.ErrNewer):
			return err
		case errors.Is(err, notify.ErrInUse): // it goes on where that one ends
			p.health.report("notify", nil)
			if !standsBy {
				log.Info("notifications stand by", "why", err.Error())
			}
			standsBy = true
		default:
			standsBy = false
			p.health.report("notify", err)
			log.Warn("notifications do not go on, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (p *process) tellPeople(ctx context.Context, broker *nats.Broker) error {
	settings, words, err := NotifySettings(p.Config.Notify.File, p.Config.Rules)
	if err != nil {
		return err
	}
	service, err := notify.New(notify.Options{
		File: settings, Words: words, Path: p.Config.Notify.Outbox, Log: p.Log.With("service", "notify"), Env: os.Getenv,
	})
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // the lock goes with the process at the latest
	extent, err := broker.Extent(ctx, "dispatcher")
	if err != nil {
		return err
	}
	if at := service.Position(); at.Stream != extent.Identity || at.Anchor > extent.Last {
		service.Begin(extent.Identity)
	}
	publisher, err := client.NewPublisher(p.conn, client.PublisherOptions{Source: notice.Source})
	if err != nil {
		return err
	}
	defer func() { _ = publisher.Close() }() // it has no spool: nothing is lost
	reader, err := broker.Reader(ctx, nats.ReaderOptions{Stage: "dispatcher", Partition: nats.AllPartitions, After: service.Position().Anchor})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	decided, ended := readBatches(ctx, reader)
	defer func() {
		cancel()
		<-ended // the reader is used by one goroutine
		reader.Close()
	}()
	p.health.report("notify", nil)
	return service.Run(ctx, decided.source(), recordBy(publisher))
}

// recordPatience is how long a fact may take; it is tried again later.
const recordPatience = 5 * time.Second

func recordBy(publisher *client.Publisher) notify.Recorder {
	return func(ctx context.Context, e events.Event) error {
		ctx, cancel := context.WithTimeout(ctx, recordPatience)
		defer cancel()
		_, err := publisher.Event(ctx, e)
		return err
	}
}

// batches are what a reader gives, batch by batch.
type batches chan batch

type batch struct {
	records []notify.Record
	caught  bool // nothing more was at hand
	err     error
}

// readBatches reads in the background until ctx ends or it fails; then ended is closed.
func readBatches(ctx context.Context, reader *nats.Reader) (batches, <-chan struct{}) {
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

func readBatch(ctx context.Context, reader *nats.Reader) (b batch) {
	records, err := nextBatch(ctx, reader)
	if err != nil {
		return batch{err: err}
	}
	for _, r := range records {
		b.records = append(b.records, notify.Record{Sequence: r.Sequence, Anchor: r.Anchor, Event: r.Event})
	}
	b.caught = len(records) < modelBatch
	return b
}

// source waits for a batch; without one for as long as it may, what came before
// was all there is.
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
