package report

import (
	"context"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// newsNotHeld reports whether a run relayed news to its workspace or project (PL-10, RW-15) whose group,
// with the conclusions drawn there, is not in the bundle.
func newsNotHeld(ctx context.Context, from record.Source, groups []string, id string) (lacks bool, err error) {
	for _, stream := range []events.Stream{events.StreamSignals, events.StreamDecisions} {
		of := record.Selection{Stream: stream, Type: events.TypeTimerSet, Run: id}
		err := from.Events(ctx, of, func(e record.Entry) error {
			set, is := e.Data.(*events.TimerSet)
			if is && (set.Name == run.RelayWorkspace || set.Name == run.RelayProject) {
				lacks = lacks || !slices.Contains(groups, set.Group)
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return lacks, nil
}
