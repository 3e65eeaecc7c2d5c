package githook

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// factSpool limits the facts that wait for a broker, in bytes; a fact takes a few hundred.
const factSpool = 16 << 20

// SendFacts publishes facts about a Git repository, in order, within a time. What cannot be sent is kept in
// the repository for the next call; waiting is their number. Git never waits longer than that time; it does
// not wait if nothing listens, and only once per [awayFor] if nothing answers.
func SendFacts(ctx context.Context, c config.Config, spool string, facts []events.Event, within time.Duration) (waiting int, err error) {
	if len(facts) == 0 && nothingWaits(spool) {
		return 0, nil
	}
	nc, err := dial(c, spool, within)
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	return publishFacts(ctx, nc, spool, facts, within)
}

// KeepFacts keeps facts in the repository for the next call if it is not known which broker they are for.
func KeepFacts(ctx context.Context, spool string, facts []events.Event) error {
	nc, err := nats.ConnectLater(nats.ConnectOptions{Name: "git-hook", Extra: []nats.Option{nats.NoDial()}})
	if err != nil {
		return err
	}
	defer nc.Close()
	_, err = publishFacts(ctx, nc, spool, facts, patient)
	return err
}

func publishFacts(ctx context.Context, nc *nats.Conn, spool string, facts []events.Event, within time.Duration) (waiting int, err error) {
	reached := nc.IsConnected()
	var shed []client.Shed
	publisher, err := client.NewPublisher(nc, client.PublisherOptions{
		Source: Source, AttemptTimeout: within, Spool: &client.SpoolOptions{Dir: spool, MaxBytes: factSpool},
		OnShed: func(s client.Shed) { shed = append(shed, s) },
	})
	if err != nil {
		return 0, fmt.Errorf("open the spool of the hooks: %w", err)
	}
	defer func() { err = errors.Join(err, publisher.Close()) }()
	for _, fact := range facts {
		if _, err := publisher.Event(ctx, fact); err != nil {
			return 0, fmt.Errorf("publish %s: %w", fact.Type, err)
		}
	}
	if reached {
		ctx, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		if err := publisher.Flush(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return 0, fmt.Errorf("publish what waited: %w", err)
		}
	}
	if len(shed) > 0 {
		return 0, fmt.Errorf("%d facts were lost, the first because: %s", len(shed), shed[0].Reason)
	}
	stats, err := publisher.Stats()
	if err != nil {
		return 0, fmt.Errorf("look at the spool of the hooks: %w", err)
	}
	return stats.Spooled, nil
}

// awayFor is how long hooks do not retry a broker that did not answer. A person's command always tries.
const (
	awayFor  = 10 * time.Second
	awayFile = "away" // in the spool; its time counts
	patient  = time.Second
)

// dial connects as the infrastructure; the connection may not be established yet.
func dial(c config.Config, spool string, within time.Duration) (*nats.Conn, error) {
	name := c.NATS.User // permissions hold each user to an inbox of their own (EV-10)
	if name == "" {
		name = "git-hook"
	}
	o := link.As(c, credential.Infra, name)
	away := filepath.Join(spool, awayFile)
	if info, err := os.Stat(away); err == nil && within < patient && time.Since(info.ModTime()) < awayFor {
		o.Extra = append(o.Extra, nats.NoDial())
	}
	begun := time.Now()
	o.Extra = append(o.Extra, nats.DialTimeout(within))
	nc, err := nats.ConnectLater(o)
	if err != nil {
		return nil, err
	}
	switch {
	case nc.IsConnected():
		_ = os.Remove(away)
	case time.Since(begun) >= within/2: // it did not answer, rather than say no
		if os.MkdirAll(spool, 0o700) == nil {
			_ = os.WriteFile(away, nil, 0o600)
		}
	}
	return nc, nil
}

// nothingWaits reports whether no fact of an earlier call is kept.
func nothingWaits(spool string) bool {
	entries, err := os.ReadDir(spool)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), ".json") })
}

// Source is the CloudEvents source of the hooks' events.
const Source = "/scaffoldwatch/git-hook"

var actor = runevents.Actor{Kind: runevents.ActorInfra, ID: "git-hook"}

// typeOf returns the event type under which a fact's data is registered.
func typeOf(data any) events.Type {
	switch data.(type) {
	case *runevents.HookInstalled:
		return runevents.TypeHookInstalled
	case *runevents.HookRemoved:
		return runevents.TypeHookRemoved
	case *runevents.WorktreeCreated:
		return runevents.TypeWorktreeCreated
	case *runevents.WorktreeRemoved:
		return runevents.TypeWorktreeRemoved
	case *runevents.GitCommit:
		return runevents.TypeGitCommit
	case *runevents.GitMerge:
		return runevents.TypeGitMerge
	case *runevents.GitCounted:
		return runevents.TypeGitCounted
	}
	return ""
}

// fact is a run event of the infrastructure. Events that can be observed twice have an id, so that they count
// once.
func fact(run, id string, data any) events.Event {
	e := events.Event{Source: Source, Type: typeOf(data), Subject: run, PartitionKey: run, Correlation: run, Data: data, Credential: events.RoleInfra, Time: time.Now().UTC()}
	if id == "" {
		id = rand.Text() // the same may happen again
	}
	e.ID = events.DerivedID("git-hook", run, id, 0)
	return e
}
