package progress

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Watch returns the progress of a stage again and again. It remembers the last look and asks
// only for what can have changed: where nothing did, two requests instead of six for each
// partition.
type Watch struct {
	broker *natsengine.Broker
	stage  string

	written, source content // of the two streams at the last look
	own, before     []uint64
	all             []Partition // nil: nothing is known
}

// content identifies what a stream holds. It changes with every message that is stored or
// removed.
type content struct {
	created     time.Time
	first, last uint64
	messages    uint64
}

func contentOf(info *jetstream.StreamInfo) content {
	return content{created: info.Created, first: info.State.FirstSeq, last: info.State.LastSeq, messages: info.State.Msgs}
}

// NewWatch returns a watch of the progress of a stage. It is for one goroutine.
func NewWatch(b *natsengine.Broker, stage string) *Watch {
	return &Watch{broker: b, stage: stage}
}

// Look returns the progress on every partition, as [Look] does.
func (w *Watch) Look(ctx context.Context) ([]Partition, error) {
	look, err := lookAt(ctx, w.broker, w.stage)
	if err != nil {
		return nil, err
	}
	written, source := contentOf(look.ownInfo), contentOf(look.sourceInfo)
	if w.all == nil || written != w.written || source != w.source {
		if err := w.changed(ctx, look, source != w.source); err != nil {
			w.all = nil
			return nil, err
		}
		w.written, w.source = written, source
	}
	for i := range w.all {
		w.all[i].Now = look.sourceInfo.TimeStamp
	}
	return w.all, nil
}

// changed looks up the partitions whose progress may have changed.
func (w *Watch) changed(ctx context.Context, look *look, moved bool) error {
	own, err := checkpoints(ctx, w.broker, look.own, w.stage)
	if err != nil {
		return err
	}
	var before []uint64
	if look.before != "" {
		if before, err = checkpoints(ctx, w.broker, look.source, look.before); err != nil {
			return err
		}
	}
	all := make([]Partition, w.broker.Topology().Partitions)
	for partition := range all {
		same := w.all != nil && own[partition] == w.own[partition]
		if look.before != "" { // events count once a checkpoint accepts them
			same = same && before[partition] == w.before[partition] && (!moved || w.all[partition].Waiting == 0)
		} else {
			same = same && !moved
		}
		if same {
			all[partition] = w.all[partition]
			continue
		}
		if all[partition], err = look.partition(ctx, partition); err != nil {
			return err
		}
	}
	w.all, w.own, w.before = all, own, before
	return nil
}

// checkpoints returns the sequence of the last message on the subject of each partition's
// checkpoints, 0 where there is none.
func checkpoints(ctx context.Context, b *natsengine.Broker, s *proof.Store, stage string) ([]uint64, error) {
	last := make([]uint64, b.Topology().Partitions)
	wanted := make([]string, len(last))
	for partition := range wanted {
		wanted[partition] = subjects.CheckpointSubject(stage, partition)
	}
	config := s.Stream.CachedInfo().Config
	if !config.AllowDirect {
		for partition, subject := range wanted {
			m, err := s.Last(ctx, subject)
			if err != nil {
				return nil, err
			}
			if m != nil {
				last[partition] = m.Sequence
			}
		}
		return last, nil
	}
	found, err := jetstreamext.GetLastMsgsFor(ctx, b.JetStream(), config.Name, wanted)
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints of %s: %w", stage, err)
	}
	for m, err := range found {
		if errors.Is(err, jetstreamext.ErrNoMessages) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the checkpoints of %s: %w", stage, err)
		}
		if partition := slices.Index(wanted, m.Subject); partition >= 0 {
			last[partition] = m.Sequence
		}
	}
	return last, nil
}

// look is the state of the two streams of a stage at one time.
type look struct {
	broker              *natsengine.Broker
	stage, before       string // before: the stage that writes the source, "" for INPUT
	own, source         *proof.Store
	ownInfo, sourceInfo *jetstream.StreamInfo
}

func lookAt(ctx context.Context, b *natsengine.Broker, stage string) (*look, error) {
	stream, err := natsengine.StreamOf(stage)
	if err != nil {
		return nil, err
	}
	l := &look{broker: b, stage: stage}
	from := subjects.SourceOf(stage)
	if from != events.StreamInput {
		l.before = subjects.StageOf(from)
	}
	if l.own, l.ownInfo, err = informed(ctx, b, stream); err != nil {
		return nil, err
	}
	l.source, l.sourceInfo, err = informed(ctx, b, from)
	return l, err
}

// informed returns the store of a stream and the present answer of the broker about it.
func informed(
	ctx context.Context, b *natsengine.Broker, name events.Stream,
) (*proof.Store, *jetstream.StreamInfo, error) {
	s, err := b.Store(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	info, err := s.Stream.Info(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("look up stream %s: %w", name, err)
	}
	return s, info, nil
}
