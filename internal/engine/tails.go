package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

const (
	// unsavedGroup is where a partition's list of unsaved groups is stored, as if it
	// were a group's snapshot; no publisher can name such a group (EV-3).
	unsavedGroup = "~unsaved"
	// unsavedEvery is how often it is written at most.
	unsavedEvery = time.Minute
	// lostVersion is the version of a snapshot that says that a state is lost.
	lostVersion = -1
)

// unsavedForm is the stored list: at the snapshot's sequence, these groups had
// unsaved inputs, from these sequences on.
type unsavedForm struct {
	Groups map[string]uint64 `json:"groups"`
	// Since is where the list began to be kept: it says nothing of inputs up to here.
	Since uint64 `json:"since,omitempty"`
}

// lostError is the fault of every input of a group whose state is lost.
type lostError struct{ group string }

// Error implements error.
func (e *lostError) Error() string {
	return fmt.Sprintf("what came in group %s earlier expired before it was saved, while this stage was down: "+
		"a repeated event cannot be recognised, so none is accepted; continue in another session or run, or purge this one", e.group)
}

// restore lists what an earlier owner left unsaved. If its process was killed, those states are
// only in the source.
func (a *attempt[S]) restore(ctx context.Context) error {
	if a.source.Groups == nil {
		return nil
	}
	through := a.log.Position().Sequence
	a.kernel.tracked = &through
	mark, form, err := a.readMark(ctx, through)
	if err != nil || mark == nil { // none: the first commit writes it
		return err
	}
	a.kernel.tracked, a.marked = &form.Since, unsavedMark{mark.Sequence, form.Groups}
	if len(form.Groups) == 0 && mark.Sequence == through {
		return nil
	}
	spans, oldest, err := a.source.Groups(ctx, a.partition, mark.Sequence, through)
	if err != nil {
		return fmt.Errorf("find the unsaved groups of partition %d: %w", a.partition, err)
	}
	for _, group := range slices.Sorted(maps.Keys(form.Groups)) {
		a.kernel.unsaved.note(group, Span{form.Groups[group], mark.Sequence})
	}
	for _, group := range slices.Sorted(maps.Keys(spans)) {
		a.kernel.unsaved.note(group, spans[group])
	}
	if a.whole() && oldest > oldestUnsaved(form.Groups, mark.Sequence)+1 {
		return a.giveUp(ctx, form.Groups)
	}
	return nil
}

// whole reports whether a state must cover all that its group ever had.
func (a *attempt[S]) whole() bool {
	return a.kernel.beyond.Whole
}

// oldestUnsaved returns the sequence before the first unsaved input.
func oldestUnsaved(groups map[string]uint64, sequence uint64) uint64 {
	for _, first := range groups {
		sequence = min(sequence, first-1)
	}
	return sequence
}

// readMark returns the list as it was stored last, nil if it never was.
func (a *attempt[S]) readMark(ctx context.Context, through uint64) (mark *Snapshot, form unsavedForm, err error) {
	if mark, err = a.log.Snapshot(ctx, unsavedGroup); err != nil {
		return nil, form, fmt.Errorf("read the list of unsaved groups: %w", err)
	}
	if mark == nil {
		return nil, form, nil
	}
	if mark.Sequence > through {
		return nil, form, fmt.Errorf("the list of unsaved groups is ahead of this owner: %w", ErrFenced)
	}
	data, err := unpacker().DecodeAll(mark.Data, nil)
	if err == nil {
		err = json.Unmarshal(data, &form)
	}
	if err != nil {
		return nil, form, fmt.Errorf("decode the list of unsaved groups: %w", err)
	}
	return mark, form, nil
}

// giveUp marks the groups whose inputs the source lost before they were saved.
func (a *attempt[S]) giveUp(ctx context.Context, listed map[string]uint64) error {
	uncovered := a.log.Options().Uncovered
	if uncovered == nil {
		return nil
	}
	groups, err := uncovered(ctx, unsavedGroup, slices.Sorted(maps.Keys(listed)))
	if err != nil {
		return fmt.Errorf("find the groups of partition %d that are lost: %w", a.partition, err)
	}
	for _, group := range groups {
		if _, err := a.Save(ctx, Snapshot{Group: group, Version: lostVersion, Sequence: a.log.Position().Sequence}); err != nil {
			return err
		}
		a.kernel.unsaved.saved(group)
		a.Observer.DeadLettered(a.partition, (&lostError{group}).Error())
	}
	a.batch.begin()
	return a.mark(ctx)
}

// unsavedMark is the list as it was stored last.
type unsavedMark struct {
	sequence uint64
	groups   map[string]uint64
}

// mark commits the list of unsaved groups if it has changed.
func (a *attempt[S]) mark(ctx context.Context) error {
	if a.source.Groups != nil && a.batch.Position.Sequence > 0 {
		if err := a.putMark(ctx); err != nil {
			return err
		}
	}
	return a.commit(ctx)
}

// putMark puts the list of unsaved groups into the batch if it has changed.
func (a *attempt[S]) putMark(ctx context.Context) error {
	now := unsavedMark{a.batch.Position.Sequence, a.kernel.unsaved.all()}
	if now.sequence == a.marked.sequence && maps.Equal(now.groups, a.marked.groups) {
		return nil
	}
	data, err := json.Marshal(unsavedForm{Groups: now.groups, Since: *a.kernel.tracked})
	if err != nil {
		return fmt.Errorf("encode the list of unsaved groups: %w", err)
	}
	a.marked = now
	a.batch.begin()
	_, err = a.Save(ctx, Snapshot{Group: unsavedGroup, Version: 1, Sequence: now.sequence, Data: compress(data)})
	return err
}

// cover adds to a batch what shows later which inputs are saved: the states that changed after
// their snapshot was added, so that a snapshot covers all outputs before it, and the first list
// of unsaved groups.
func (a *attempt[S]) cover(ctx context.Context) error {
	if a.source.Groups == nil {
		return nil
	}
	for _, snapshot := range a.batch.Snapshots {
		if held := a.kernel.states.get(snapshot.Group); a.whole() && held != nil && held.unsaved > 0 {
			if err := a.kernel.save(ctx, held); err != nil {
				return err
			}
		}
	}
	if a.marked.sequence == 0 && a.batch.inputs > 0 {
		return a.putMark(ctx)
	}
	return nil
}
