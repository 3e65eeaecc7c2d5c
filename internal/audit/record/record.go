// Package record is what audits read: the record of a running system, of a bundle or of a backup, behind one
// interface.
package record

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Source is a record. The methods of [chain.Source] return messages as they are stored, to be verified; the
// others assume that a bundle or a backup was verified, and yield of a running system only what its stages
// committed (EV-6).
type Source interface {
	chain.Source
	// Partitions returns the number of partitions of the streams.
	Partitions() int
	// Events calls take, in order, for each selected event.
	Events(ctx context.Context, of Selection, take func(Entry) error) error
	// Recording returns what a stage read and committed, for [engine.Rederive]. It fails for a backup, and for
	// the ingest of a bundle, which has no raw input.
	Recording(ctx context.Context, stage string) (engine.Recording, error)
	// Builds returns the builds that wrote what is kept of a stage, as far as it is known (AU-12).
	Builds(ctx context.Context, stage string) ([]buildinfo.Build, error)
	// Applied returns the stored form of what a configuration hash stands for, nil if the record does not have
	// it (AU-12).
	Applied(ctx context.Context, hash string) ([]byte, error)
}

// Selection selects the events of a stream. A field that is not set selects all.
type Selection struct {
	Stream  events.Stream
	Type    events.Type
	Session string // those about one session
	Run     string // those in the group of a run
}

func (s Selection) has(e events.Event) bool {
	return (s.Type == "" || e.Type == s.Type) && (s.Session == "" || e.Subject == s.Session) && (s.Run == "" || e.Group() == s.Run)
}

// Entry is a recorded event.
type Entry struct {
	events.Event
	Raw []byte // its data as stored
}

// ErrNoRules is returned if a record does not have the rules of a configuration hash.
var ErrNoRules = errors.New("the bucket RULES has no entry for it: the record is from an earlier version, or the hash is wrong")

// Rules returns what a configuration hash stands for. It returns [ErrNoRules] if the record does not have it.
func Rules(ctx context.Context, from Source, hash string) (deployment.Applied, error) {
	data, err := from.Applied(ctx, hash)
	if err == nil && data == nil {
		err = ErrNoRules
	}
	if err != nil {
		return deployment.Applied{}, err
	}
	return deployment.DecodeApplied(hash, data)
}

// IsHash reports whether text can be a configuration hash; it becomes part of a subject.
func IsHash(text string) bool {
	hex := !slices.ContainsFunc([]byte(text), func(c byte) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') })
	return hex && len(text) == 12
}

// ManyChanges limits how many changed settings one line names.
const ManyChanges = 8

// Changes describes what changed from the configuration with a hash to another. A record without the key of the
// fingerprints, as a bundle is, does not say whether the key changed.
func Changes(ctx context.Context, from Source, hash string, to deployment.Applied) string {
	if !IsHash(hash) {
		return "not known: the record names no configuration hash"
	}
	was, err := Rules(ctx, from, hash)
	if err == nil {
		var text string
		if _, copied := from.(*copied); copied {
			to.KeyMark = was.KeyMark
		}
		if text, err = was.Changes(to, ManyChanges); err == nil {
			return text
		}
	}
	return "not known: " + err.Error()
}

// copied is a record in a file or directory.
type copied struct {
	chain.Source
	partitions int
	recording  func(ctx context.Context, stage string) (engine.Recording, error)
	applied    func(ctx context.Context, hash string) ([]byte, error)
	kept       map[events.Stream][]Entry // what was decoded; nil keeps nothing
}

// Bundle returns a verified bundle as a source. It keeps the events of each stream that is asked for in memory.
func Bundle(b *bundle.Bundle) Source {
	return &copied{
		Source: b, partitions: b.Manifest.Partitions, recording: b.Recording, kept: map[events.Stream][]Entry{},
		applied: func(_ context.Context, hash string) ([]byte, error) { return b.Applied(hash) },
	}
}

// Backup returns a verified backup as a source.
func Backup(b *backup.Backup) Source {
	c := &copied{Source: b, partitions: b.Partitions}
	c.recording = func(context.Context, string) (engine.Recording, error) {
		return nil, errors.New("a backup is not replayed: restore it, and replay the restored system")
	}
	c.applied = func(ctx context.Context, hash string) (data []byte, err error) {
		err = b.Each(ctx, "KV_"+topology.BucketRules, math.MaxUint64, func(m proof.Message) error {
			if m.Subject == topology.RulesPrefix+hash {
				data = m.Data
			}
			return nil
		})
		return data, err
	}
	return c
}

// Partitions implements [Source].
func (c *copied) Partitions() int { return c.partitions }

// Recording implements [Source].
func (c *copied) Recording(ctx context.Context, stage string) (engine.Recording, error) {
	return c.recording(ctx, stage)
}

// Builds implements [Source]: a copy is derived again by its rules, whatever build wrote it.
func (c *copied) Builds(context.Context, string) ([]buildinfo.Build, error) { return nil, nil }

// Applied implements [Source].
func (c *copied) Applied(ctx context.Context, hash string) ([]byte, error) {
	return c.applied(ctx, hash)
}

// Events implements [Source].
func (c *copied) Events(ctx context.Context, of Selection, take func(Entry) error) error {
	all, known := c.kept[of.Stream]
	if known {
		for _, e := range all {
			if !of.has(e.Event) {
				continue
			}
			if err := take(e); err != nil {
				return err
			}
		}
		return nil
	}
	err := c.Each(ctx, of.Stream, math.MaxUint64, func(m proof.Message) error {
		e, is, err := Decode(m)
		if err != nil || !is {
			return err
		}
		if c.kept != nil {
			all = append(all, Entry{e, m.Data})
			return nil
		}
		if of.has(e) {
			return take(Entry{e, m.Data})
		}
		return nil
	})
	if err != nil || c.kept == nil {
		return err
	}
	c.kept[of.Stream] = all
	return c.Events(ctx, of, take)
}

// Decode returns the event of a message; false for a checkpoint, a snapshot and a record of a skipped input.
func Decode(m proof.Message) (e events.Event, is bool, err error) {
	if m.Header.Get("ce-type") == "" {
		return e, false, nil
	}
	if e, err = events.DecodeMessage(m.Header, m.Data); err != nil {
		return e, false, fmt.Errorf("decode message %d: %w", m.Sequence, err)
	}
	return e, true, nil
}
