package report

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// newsNotHeld reports whether a run relayed news to its workspace or project (PL-10, RW-15) whose group,
// with the conclusions drawn there, is not in the bundle.
func newsNotHeld(b *bundle.Bundle, id string) (lacks bool, err error) {
	for _, stream := range []events.Stream{events.StreamSignals, events.StreamDecisions} {
		err := b.Each(stream, func(m proof.Message) error {
			if events.Type(m.Header.Get("ce-type")) != events.TypeTimerSet {
				return nil
			}
			e, err := events.DecodeMessage(m.Header, m.Data)
			if err != nil {
				return fmt.Errorf("decode message %d of the bundle: %w", m.Sequence, err)
			}
			set, is := e.Data.(*events.TimerSet)
			if is && e.Group() == id && (set.Name == run.RelayWorkspace || set.Name == run.RelayProject) {
				lacks = lacks || !slices.Contains(b.Manifest.Groups, set.Group)
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return lacks, nil
}
