package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// AddSubjects lets streams that an earlier version made take the subjects that
// are new in this one, and names those streams (EV-11). It takes nothing away and
// changes nothing else. It needs the rights of an administrator: `up` does it on
// its embedded server, `streams init` on others.
func (b *Broker) AddSubjects(ctx context.Context) (changed []string, err error) {
	for _, want := range b.topology.Streams() {
		stream, err := b.js.Stream(ctx, want.Name)
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
		if _, err := b.js.UpdateStream(ctx, have); err != nil {
			return changed, fmt.Errorf("add subjects to stream %s: %w", want.Name, err)
		}
		changed = append(changed, want.Name)
	}
	return changed, nil
}
