package decisions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// ErrNotDecided is returned if a person's acts were sent but nothing shows that the dispatcher processed
// them.
var ErrNotDecided = errors.New("it was sent, but nothing is known to have changed: the dispatcher did not process it in time (`scaffoldwatch doctor` checks the system)")

const (
	actPatience = 10 * time.Second // for acts to pass all stages
	actPause    = 50 * time.Millisecond
)

// AwaitActs waits until DECISIONS holds the acts with the given ids, which a person did in a group. It
// returns ErrNotDecided if that takes longer than ten seconds.
func AwaitActs(ctx context.Context, broker *nats.Broker, group string, ids ...string) error {
	patient, cancel := context.WithTimeout(ctx, actPatience)
	defer cancel()
	filter := "decisions." + string(runevents.TypeOperatorAct) + ".*." + group + ".*"
	for {
		about, _, err := read.About(patient, broker, "dispatcher", []string{filter})
		if err == nil {
			for _, a := range about {
				e := a.Input.Event
				if a.Fault == "" { // only an operator's subject carries the type (EV-10)
					ids = slices.DeleteFunc(ids, func(id string) bool { return id == e.ID })
				}
			}
			if len(ids) == 0 {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-patient.Done():
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("%w: %w", ErrNotDecided, err)
			}
			return ErrNotDecided
		case <-time.After(actPause):
		}
	}
}
