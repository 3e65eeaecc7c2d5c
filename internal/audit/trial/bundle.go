package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// recordedRules returns the rules under which the bundles were recorded.
func recordedRules(all []*bundle.Bundle) (*rules.Set, error) {
	for _, b := range all[1:] {
		if b.Manifest.RulesHash != all[0].Manifest.RulesHash {
			return nil, errors.New("the bundles were exported under different rules: compare them one by one, or name the current rules with --against FILE")
		}
	}
	set, err := all[0].RuleSet()
	if err != nil {
		return nil, fmt.Errorf("%w; name others with --against FILE", err)
	}
	return set, nil
}

// Bundles is a [Feed] of the content of bundles. A session that several of them hold is read from the first.
func Bundles(ctx context.Context, f *Folding, t *Trial) (notes []string, err error) {
	bar := t.Progress(inputsOf(t.Bundles, streams[t.from]))
	defer bar.Done()
	reads, twice := bundleReads(t, bar)
	for _, r := range reads {
		if err := r.underOtherRules(ctx); err != nil {
			return nil, err
		}
	}
	var joined joining
	err = f.Read(ctx, func(ctx context.Context, take func(Input) error) error {
		for _, r := range reads {
			if err := take(Input{}); err != nil {
				return err
			}
			if err := r.all(ctx, &joined, take); err != nil {
				return err
			}
		}
		return nil
	})
	if twice > 0 {
		notes = append(notes, fmt.Sprintf("sessions and runs that are in several bundles and are read from the first: %d", twice))
	}
	if slices.ContainsFunc(t.Bundles, func(b *bundle.Bundle) bool { return t.of == nil && b.Manifest.RulesHash != t.sets[0].Hash() }) {
		notes = append(notes, "the bundle was exported under rules other than the current ones, so that its current decisions are not the recorded ones")
	}
	return append(notes, joined.notes()...), err
}

// bundleRead reads one bundle.
type bundleRead struct {
	*bundle.Bundle
	trial    *Trial
	mine     map[string]bool // groups that are read from this bundle
	progress Bar
}

func bundleReads(t *Trial, progress Bar) (all []bundleRead, twice int) {
	known := map[string]bool{}
	for _, b := range t.Bundles {
		mine := map[string]bool{}
		for _, group := range b.Manifest.Groups {
			mine[group] = !known[group] && (t.of == nil || t.of[group])
			if known[group] {
				twice++
			}
			known[group] = true
		}
		all = append(all, bundleRead{Bundle: b, trial: t, mine: mine, progress: progress})
	}
	return all, twice
}

// underOtherRules finds the groups that were recorded under rules other than the current ones; their record
// is not reused.
func (r bundleRead) underOtherRules(ctx context.Context) error {
	if r.trial.from != machines.Joined {
		return nil
	}
	return r.Each(ctx, events.StreamSignals, math.MaxUint64, func(m proof.Message) error {
		if hash := m.Header.Get("ce-confighash"); hash != "" && hash != r.trial.present.Hash {
			r.trial.whole[cmp.Or(m.Header.Get("ce-partitionkey"), m.Header.Get("ce-subject"))] = true
		}
		return nil
	})
}

// all passes on what the stage wrote whose record is folded.
func (r bundleRead) all(ctx context.Context, joined *joining, take func(Input) error) error {
	joint, stop := joints(ctx, r.Bundle)
	defer stop()
	return r.Each(ctx, streams[r.trial.from], math.MaxUint64, func(m proof.Message) error {
		r.progress.Add(1)
		e, is, err := record.Decode(m)
		if err != nil || !is || !r.mine[e.Group()] {
			return err
		}
		in := Input{Event: &e, At: m.Time}
		if r.trial.from != machines.Joined {
			return take(in)
		}
		partition, _ := proof.Partition(m.Subject)
		return joined.pass(joint(partition), in, take)
	})
}

// inputsOf counts messages.
func inputsOf(all []*bundle.Bundle, stream events.Stream) (n int64) {
	for _, b := range all {
		for _, file := range b.Manifest.Files {
			if file.Stream == stream {
				n += int64(file.Messages)
			}
		}
	}
	return n
}

// joining passes on what the evaluator wrote, joined with the turns that it read.
type joining struct {
	lost int // turns that the evaluator's record names but ingest's no longer holds
}

// pass joins one event.
func (j *joining) pass(joint *machines.Joint, in Input, take func(Input) error) error {
	e, given, err := joint.Take(*in.Event)
	if err != nil {
		return err
	}
	if given {
		in.Event = &e
		return take(in)
	}
	if _, turn := e.Data.(*evaluate.Recorded); turn {
		j.lost++
	}
	return nil
}

func (j *joining) notes() []string {
	if j.lost == 0 {
		return nil
	}
	return []string{fmt.Sprintf("turns left out because SEGMENTS no longer has them: %d", j.lost)}
}

// joints returns the joint of each partition of a bundle. Calling stop ends the reading of its turns.
func joints(ctx context.Context, b *bundle.Bundle) (of func(partition int) *machines.Joint, stop func()) {
	next, stop := iter.Pull2(turnsOf(ctx, b))
	waiting := map[int][]proof.Message{} // partitions do not progress equally
	made := map[int]*machines.Joint{}
	return func(partition int) *machines.Joint {
		if made[partition] == nil {
			made[partition] = &machines.Joint{Turns: func() (events.Event, error) {
				for len(waiting[partition]) == 0 {
					m, err, more := next()
					if err != nil || !more {
						return events.Event{}, cmp.Or(err, io.EOF)
					}
					at, _ := proof.Partition(m.Subject)
					waiting[at] = append(waiting[at], m)
				}
				m := waiting[partition][0]
				waiting[partition] = waiting[partition][1:]
				e, _, err := record.Decode(m)
				return e, err
			}}
		}
		return made[partition]
	}, stop
}

// turnsOf yields the turns that ingest wrote.
func turnsOf(ctx context.Context, b *bundle.Bundle) iter.Seq2[proof.Message, error] {
	return func(yield func(proof.Message, error) bool) {
		err := b.Each(ctx, events.StreamSegments, math.MaxUint64, func(m proof.Message) error {
			if m.Header.Get("ce-type") == string(sessionevents.TypeTurnSegmented) && !yield(m, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(proof.Message{}, err)
		}
	}
}
