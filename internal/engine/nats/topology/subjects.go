package topology

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

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
