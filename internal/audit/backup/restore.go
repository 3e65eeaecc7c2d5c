package backup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/transfer"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// ErrNotEmpty is returned, wrapped, for a system that holds messages.
var ErrNotEmpty = errors.New("a backup is restored into an empty system only")

// Restore writes a verified backup into an empty system. After an interruption it can be called again.
// Progress may be nil.
func (b *Backup) Restore(ctx context.Context, to *nats.Broker, now time.Time, progress func(stream string, done, of uint64)) error {
	if to.Topology().Partitions != b.Partitions {
		return fmt.Errorf("the backup has %d partitions, streams.partitions is %d: they must be equal", b.Partitions, to.Topology().Partitions)
	}
	for _, s := range b.Streams {
		if !slices.Contains(transfer.Streams(to), s.Name) {
			return fmt.Errorf("the backup holds a stream that this system does not have: %.80q", s.Name)
		}
	}
	if err := b.clear(ctx, to); err != nil {
		return err
	}
	for _, s := range b.Streams {
		if err := transfer.RestoreStream(ctx, to, s.Archived, now, counted(b.Records(s), s, progress)); err != nil {
			return err
		}
	}
	if _, err := topology.Provision(ctx, to.JetStream(), to.Topology()); err != nil { // what no backup holds
		return err
	}
	return keep.UnmarkRestore(ctx, to)
}

// clear checks that the system is empty, marks that a restore is in progress, and removes streams without
// messages and the remains of an interrupted restore.
func (b *Backup) clear(ctx context.Context, to *nats.Broker) error {
	mark, err := keep.RestoreMark(ctx, to)
	if err != nil {
		return err
	}
	if mark != "" && mark != b.ID() {
		return fmt.Errorf("the restore of another backup (%s) was interrupted here: finish it, or remove its streams and SCAFFOLDWATCH_RESTORE", mark)
	}
	if mark == "" {
		if err := empty(ctx, to); err != nil {
			return err
		}
	}
	running, err := keep.Running(ctx, to)
	if err != nil {
		return err
	}
	if len(running) > 0 {
		return fmt.Errorf("%w: services run (%s): stop them; one that was killed counts as running for some seconds", ErrNotEmpty, strings.Join(running, ", "))
	}
	if mark == "" {
		if err := keep.MarkRestore(ctx, to, b.ID()); err != nil {
			return err
		}
	}
	for _, name := range transfer.Streams(to) {
		if err := topology.RemoveStream(ctx, to.JetStream(), name); err != nil {
			return err
		}
	}
	return nil
}

// empty returns an error if any stream holds or held a message.
func empty(ctx context.Context, to *nats.Broker) error {
	var held []string
	for _, name := range transfer.Streams(to) {
		s, err := transfer.Look(ctx, to, name)
		if errors.Is(err, transfer.ErrNoStream) {
			continue
		}
		if err != nil {
			return err
		}
		// Services that merely started have saved their rules and positions.
		if s.Last > 0 && !strings.HasPrefix(name, "KV_") {
			held = append(held, fmt.Sprintf("%s %s, the last at %d", name, text.Count(int(s.Messages), "message"), s.Last))
		}
	}
	if len(held) > 0 {
		return fmt.Errorf("%w: %s", ErrNotEmpty, strings.Join(held, "; "))
	}
	return nil
}

func counted(all iter.Seq2[transfer.Record, error], s Stream, progress func(string, uint64, uint64)) iter.Seq2[transfer.Record, error] {
	return func(yield func(transfer.Record, error) bool) {
		done := uint64(0)
		for r, err := range all {
			if done++; progress != nil && done%progressEvery == 0 {
				progress(s.Name, done, s.Messages)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Later compares a backup with anchors, given the report of a verification against them. It returns, a line
// each, what was recorded after the backup, and the remaining findings: if there are any, the backup is not
// of the anchored history.
func (b *Backup) Later(report *chain.Report, anchors []chain.Anchor) (later []string, other []chain.Finding) {
	for _, a := range anchors {
		for _, was := range a.Streams {
			if s, ok := b.stream(string(was.Name)); ok && was.Last > s.Last {
				later = append(later, fmt.Sprintf("%s: messages %d to %d came after the backup (anchor of %s)", was.Name, s.Last+1, was.Last, a.Time.UTC().Format(time.RFC3339)))
			}
		}
	}
	for _, f := range report.Findings {
		s, ok := b.stream(f.Stream)
		if after := ok && f.Sequence > s.Last; after && (f.Kind == chain.Restored || f.Kind == chain.TailCut || f.Kind == chain.PartitionGone) {
			continue
		}
		other = append(other, f)
	}
	return later, other
}
