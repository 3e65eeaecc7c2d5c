package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

// StateBefore folds the inputs of one group up to the one with the id of the departure's cause
// and returns the SHA-256 of the group's state before it, as a snapshot stores it (AU-10). If
// two builds return the same digest, they came to a difference from the same state. It returns
// "" if the input was not folded.
func StateBefore[S any](
	ctx context.Context, machine step.Machine[S], id step.Identity, recording Recording, of Departure, o Options,
) (string, error) {
	w := &watched[S]{Machine: machine, cause: of.Cause}
	_, err := Rederive(ctx, w, id, Only(recording, of.Group, of.Partition), nil, o)
	if w.digest != "" {
		return w.digest, nil
	}
	return "", errors.Join(err, w.err)
}

// watched is a machine that hashes the state before the first input with an id.
type watched[S any] struct {
	step.Machine[S]
	cause  string
	digest string
	err    error
}

// Options implements [step.Machine]: no state depends on what the machine reports of inputs
// that it gives up.
func (w *watched[S]) Options() step.Options[S] { return step.Options[S]{} }

// Step implements [step.Machine].
func (w *watched[S]) Step(state S, in step.Input, out *step.Emitter) (S, error) {
	if w.digest == "" && in.Event.ID == w.cause {
		data, err := w.Encode(state)
		if err != nil {
			w.err = err
		} else {
			sum := sha256.Sum256(data)
			w.digest = hex.EncodeToString(sum[:])
		}
	}
	return w.Machine.Step(state, in, out)
}
