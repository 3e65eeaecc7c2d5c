package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Running returns a feed that folds what ingest or the evaluator of a running system has written. It writes
// nothing, not even a consumer's position.
func Running(broker *nats.Broker) Feed {
	return func(ctx context.Context, f *Folding, t *Trial) ([]string, error) {
		options := read.Options{Stage: t.from, Partition: nats.AllPartitions}
		if t.from == machines.Joined {
			options.Stage = evaluate.StageName
		}
		only := ""
		var err error
		if t.Only != "" {
			if only, err = groupOf(ctx, broker, options, t.Only); err != nil {
				return nil, err
			}
		}
		stored, err := read.LookUp(ctx, broker, streams[options.Stage])
		if err != nil {
			return nil, err
		}
		bar := t.Progress(int64(stored.Last))
		defer bar.Done()
		reading := &recordedRead{broker: broker, trial: t, only: only, progress: bar, others: map[string]bool{}}
		err = f.Read(ctx, func(ctx context.Context, take func(Input) error) error {
			if t.from == machines.Joined {
				return reading.joined(ctx, take)
			}
			return reading.stage(ctx, options, take)
		})
		if err != nil {
			return nil, err
		}
		notes := reading.notes()
		if stored.First > 1 {
			notes = append(notes, fmt.Sprintf("%s no longer holds the oldest records: sessions that began there are incomplete", streams[options.Stage]))
		}
		return notes, nil
	}
}

// groupOf finds the group in which a session is recorded: itself or its run.
func groupOf(ctx context.Context, broker *nats.Broker, o read.Options, session string) (string, error) {
	found := errors.New("found")
	group := ""
	err := read.All(ctx, broker, o, func(a read.Accepted) error {
		if a.Fault == "" && (a.Input.Event.Subject == session || a.Group == session) {
			group = a.Group
			return found
		}
		return nil
	})
	if errors.Is(err, found) {
		return group, nil
	}
	if err == nil {
		err = fmt.Errorf("no record of %q was found", session)
	}
	return "", err
}

// recordedRead reads the record of the running system.
type recordedRead struct {
	broker   *nats.Broker
	trial    *Trial
	only     string // the group that is read; "" means all
	progress Bar
	others   map[string]bool // groups recorded under rules other than the current ones
	joining
}

// stage reads what one stage wrote, in the order of the stream.
func (r *recordedRead) stage(ctx context.Context, o read.Options, take func(Input) error) error {
	at := uint64(0)
	return read.All(ctx, r.broker, o, func(a read.Accepted) error {
		r.progress.Add(int64(a.Position.Sequence - at))
		at = a.Position.Sequence
		if a.Fault != "" || r.only != "" && a.Group != r.only {
			return nil
		}
		e := a.Input.Event
		if e.ConfigHash != "" && e.ConfigHash != r.trial.present.Hash {
			r.others[e.Group()] = true
		}
		return take(Input{Event: &e, At: a.Stored})
	})
}

// joined reads what ingest and the evaluator wrote, partition by partition; within one, their events are in
// the same order. What was recorded under other rules is not reused.
func (r *recordedRead) joined(ctx context.Context, take func(Input) error) error {
	if err := r.underOtherRules(ctx); err != nil {
		return err
	}
	for partition := range r.broker.Topology().Partitions {
		if err := r.partition(ctx, partition, take); err != nil {
			return err
		}
	}
	return nil
}

// underOtherRules finds the groups that were recorded under rules other than the current ones.
func (r *recordedRead) underOtherRules(ctx context.Context) error {
	o := read.Options{Stage: evaluate.StageName, Partition: nats.AllPartitions, Raw: true}
	return read.All(ctx, r.broker, o, func(a read.Accepted) error {
		header := func(name string) string {
			if values := a.Header[name]; len(values) > 0 {
				return values[0]
			}
			return ""
		}
		if hash := header("ce-confighash"); hash != "" && hash != r.trial.present.Hash {
			group := cmp.Or(header("ce-partitionkey"), header("ce-subject"))
			r.trial.whole[group] = true
			if r.only == "" || group == r.only {
				r.others[group] = true
			}
		}
		return nil
	})
}

// partition reads one partition.
func (r *recordedRead) partition(ctx context.Context, partition int, take func(Input) error) error {
	turns, stop := iter.Pull2(r.written(ctx, partition))
	defer stop()
	joint := machines.Joint{Turns: func() (events.Event, error) {
		e, err, more := turns()
		if !more {
			err = io.EOF
		}
		return e, err
	}}
	o := read.Options{Stage: evaluate.StageName, Partition: partition}
	return read.All(ctx, r.broker, o, func(a read.Accepted) error {
		r.progress.Add(1)
		if a.Fault != "" || r.only != "" && a.Group != r.only {
			return nil
		}
		return r.pass(&joint, Input{Event: &a.Input.Event, At: a.Stored, number: int(a.Position.Sequence)}, take)
	})
}

// errEnough ends a read early.
var errEnough = errors.New("enough")

// written yields what ingest wrote in a partition.
func (r *recordedRead) written(ctx context.Context, partition int) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		o := read.Options{Stage: "ingest", Partition: partition}
		err := read.All(ctx, r.broker, o, func(a read.Accepted) error {
			if a.Fault != "" || r.only != "" && a.Group != r.only {
				return nil
			}
			if !yield(a.Input.Event, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(events.Event{}, err)
		}
	}
}

func (r *recordedRead) notes() (list []string) {
	if len(r.others) > 0 {
		list = append(list, fmt.Sprintf("sessions and runs recorded under rules other than the current ones, so that their current decisions are not the recorded ones: %d", len(r.others)))
	}
	return append(list, r.joining.notes()...)
}

// Input is an event with the time that --since refers to: when it was recorded or, in a transcript, when it
// happened. Without an event, another file begins or the last one ends.
type Input struct {
	Event *events.Event
	At    time.Time
	// number is the position of the input, for reading in another order than that of recording.
	number int
	Ends   bool
}

// Read passes what produce reads to the workers.
func (f *Folding) Read(ctx context.Context, produce func(ctx context.Context, take func(Input) error) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	spread := machines.NewSpread(ctx, f.workers, func(worker, number int, derived [][]events.Event) {
		f.comparison[worker].TakeAt(number, derived)
	})
	err := produce(ctx, func(in Input) error {
		switch {
		case in.Ends:
			return spread.End()
		case in.Event == nil:
			return spread.Begin()
		}
		return f.fold(ctx, spread, in)
	})
	if err != nil {
		stop() // the rest is not needed
	}
	return cmp.Or(err, spread.Wait())
}

func (f *Folding) fold(ctx context.Context, spread *machines.Spread, in Input) error {
	e := *in.Event
	if !f.trial.Since.IsZero() {
		began, known := f.began[e.Group()]
		if !known {
			began = !in.At.Before(f.trial.Since)
			f.began[e.Group()] = began
			if !began {
				f.before++
			}
		}
		if !began {
			return nil
		}
	}
	if e.Type == f.turn {
		if err := f.trial.Limits.turn(ctx); err != nil {
			return err
		}
	}
	if in.number > 0 {
		return spread.FeedAt(in.number, e)
	}
	return spread.Feed(e)
}

// notes lists what was not compared.
func (f *Folding) notes() (list []string) {
	if f.before > 0 {
		list = append(list, fmt.Sprintf("sessions and runs that began before %s and are left out: %d", f.trial.Since.UTC().Format(time.DateTime), f.before))
	}
	var dead []memory.DeadLetter
	for _, variants := range f.workers {
		dead = append(dead, variants.DeadLetters()...)
	}
	if len(dead) > 0 {
		list = append(list, fmt.Sprintf("%s could not be folded: %s", text.Count(len(dead), "input"), quote.Visible(dead[0].Reason)))
	}
	return list
}

// streams maps each stage to the stream it writes.
var streams = map[string]events.Stream{
	"ingest": events.StreamSegments, "evaluator": events.StreamSignals, machines.Joined: events.StreamSignals,
}

// turns maps each stage to the type of its outputs that are counted.
var turns = map[string]events.Type{
	"": sessionevents.TypeTurnRaw, "ingest": sessionevents.TypeTurnSegmented, "evaluator": sessionevents.TypeTurnEvaluated,
	machines.Joined: sessionevents.TypeTurnEvaluated,
}

// Limits keep a fold within its limits of memory and rate (AU-22).
type Limits struct {
	bounds memory.Bounds
	spill  *spill
	rate   float64
	began  time.Time
	turns  int
}

// groupsHeld is how many sessions may keep inputs that no snapshot covers.
const groupsHeld = 32

// NewLimits returns limits of a fold: its memory in bytes, and turns per second, 0 for no limit.
func NewLimits(memoryBytes uint64, rate float64) *Limits {
	saved := &spill{}
	return &Limits{
		spill: saved, rate: rate,
		bounds: memory.Bounds{Memory: engine.NewMemory(int(memoryBytes / 4)), Groups: groupsHeld, Saved: saved}, // a quarter is for states
	}
}

// turn waits until the rate allows another turn.
func (l *Limits) turn(ctx context.Context) error {
	if l.rate <= 0 {
		return ctx.Err()
	}
	if l.turns == 0 {
		l.began = time.Now()
	}
	due := l.began.Add(time.Duration(float64(l.turns) / l.rate * float64(time.Second)))
	l.turns++
	wait := time.NewTimer(time.Until(due))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close removes what was saved.
func (l *Limits) Close() { l.spill.close() }

// spill is a temporary file for the states of silent sessions. Other users cannot read it, and it has no
// name where the system allows that.
type spill struct {
	mu   sync.Mutex
	file *os.File
	end  int64
}

// Put implements memory.Saved.
func (s *spill) Put(data []byte) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		file, err := os.CreateTemp("", "scaffoldwatch-backtest-*")
		if err != nil {
			return 0, err
		}
		s.file = file
		_ = os.Remove(file.Name()) // it is still open; where that fails, close removes it
	}
	place := s.end
	if _, err := s.file.WriteAt(data, place); err != nil {
		return 0, err
	}
	s.end += int64(len(data))
	return place, nil
}

// Get implements memory.Saved.
func (s *spill) Get(place int64, size int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data := make([]byte, size)
	_, err := s.file.ReadAt(data, place)
	return data, err
}

func (s *spill) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
