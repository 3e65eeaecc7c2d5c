package topology

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// Apply changes the streams that differ from the topology as far as no message is
// lost by it: subjects and sources are added, ages and limits raised or removed, a limit set
// above what the stream holds, replicas added, compression taken off replicated ones, the
// duplicate window closed. It returns the names of the streams
// that it changed; [Check] returns what still differs. It needs the rights of an
// administrator.
func Apply(ctx context.Context, js jetstream.JetStream, t Topology) (changed []string, err error) {
	for _, want := range t.Streams() {
		stream, err := js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) && IsIntake(want.Name) { // before INPUT copies from it
			if _, err = provisionStream(ctx, js, want); err == nil {
				continue
			}
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return changed, fmt.Errorf("look up stream %s: %w", want.Name, err)
		}
		info := stream.CachedInfo()
		next := lossless(want, info.Config, info.State)
		if reflect.DeepEqual(next, info.Config) {
			continue
		}
		if takesOff(next, info.Config) {
			if next.Metadata, err = compressing(ctx, js.Conn(), info); err != nil {
				return changed, fmt.Errorf("take compression off stream %s: %w", want.Name, err)
			}
		}
		if _, err := js.UpdateStream(ctx, next); err != nil {
			return changed, fmt.Errorf("change stream %s: %w", want.Name, err)
		}
		changed = append(changed, want.Name)
	}
	return changed, nil
}

// lossless returns have, changed toward want where that loses nothing.
func lossless(want, have jetstream.StreamConfig, state jetstream.StreamState) jetstream.StreamConfig {
	next := have
	next.Subjects = slices.Clone(have.Subjects)
	for _, subject := range want.Subjects {
		if !slices.Contains(next.Subjects, subject) {
			next.Subjects = append(next.Subjects, subject)
		}
	}
	if want.MaxAge == 0 || have.MaxAge > 0 && want.MaxAge > have.MaxAge {
		next.MaxAge = want.MaxAge
	}
	if want.MaxBytes <= 0 || uint64(want.MaxBytes) > state.Bytes {
		next.MaxBytes = want.MaxBytes
	}
	if want.MaxMsgs <= 0 || uint64(want.MaxMsgs) > state.Msgs {
		next.MaxMsgs = want.MaxMsgs
	}
	// A subject holds no more messages than the stream.
	if want.MaxMsgsPerSubject <= 0 || have.MaxMsgsPerSubject > 0 && want.MaxMsgsPerSubject >= have.MaxMsgsPerSubject || uint64(want.MaxMsgsPerSubject) > state.Msgs {
		next.MaxMsgsPerSubject = want.MaxMsgsPerSubject
	}
	if next.MaxMsgsPerSubject == want.MaxMsgsPerSubject && next.MaxBytes == want.MaxBytes && next.MaxMsgs == want.MaxMsgs {
		next.Discard, next.DiscardNewPerSubject = want.Discard, want.DiscardNewPerSubject
	}
	next.Compression = want.Compression // of blocks that are filled from now on, see takesOff
	if decidesDuplicates(want) {
		next.Duplicates = want.Duplicates
	}
	next.AllowMsgTTL = have.AllowMsgTTL || want.AllowMsgTTL
	next.Sources = slices.Clone(have.Sources)
	for _, source := range want.Sources {
		if !slices.ContainsFunc(have.Sources, func(s *jetstream.StreamSource) bool { return s.Name == source.Name }) {
			next.Sources = append(next.Sources, source)
		}
	}
	if want.Replicas > have.Replicas {
		next.Replicas, next.AllowDirect = want.Replicas, want.AllowDirect
	}
	return next
}

// AddSubjects adds the subjects that are new in this version to the streams of an
// earlier one and returns the names of those streams (EV-11). It removes and
// changes nothing else. It needs the rights of an administrator: `up` does it on
// its embedded server, `streams init` on others.
func AddSubjects(ctx context.Context, js jetstream.JetStream, t Topology) (changed []string, err error) {
	for _, want := range t.Streams() {
		stream, err := js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return changed, fmt.Errorf("look up stream %s: %w", want.Name, err)
		}
		have := stream.CachedInfo().Config
		missing := slices.DeleteFunc(slices.Clone(want.Subjects), func(s string) bool { return slices.Contains(have.Subjects, s) })
		if len(missing) == 0 {
			continue
		}
		have.Subjects = append(slices.Clone(have.Subjects), missing...)
		if _, err := js.UpdateStream(ctx, have); err != nil {
			return changed, fmt.Errorf("add subjects to stream %s: %w", want.Name, err)
		}
		changed = append(changed, want.Name)
	}
	return changed, nil
}

// RemoveStream removes a stream with its messages, if it exists.
func RemoveStream(ctx context.Context, js jetstream.JetStream, name string) error {
	err := js.DeleteStream(ctx, name)
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("remove stream %s: %w", name, err)
	}
	return nil
}
