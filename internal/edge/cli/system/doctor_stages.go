package system

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/connect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// patience is how long input may wait without a commit before doctor warns.
const patience = 15 * time.Second

// stages says for each stage what waits for it, and whether it gets on.
func stages(check *checkup, broker *nats.Broker) {
	for _, stage := range connect.Stages {
		progress, err := broker.Progress(check, stage)
		if err != nil {
			check.line(false, stage, "%v", err)
			continue
		}
		if err := nats.Stalled(stage, progress, patience); err != nil {
			check.line(false, stage, "%v", err)
			continue
		}
		check.line(true, stage, "%s", backlogText(progress))
	}
}

func backlogText(progress []nats.Progress) string {
	var waiting uint64
	var oldest time.Duration
	for _, p := range progress {
		waiting += p.Waiting
		oldest = max(oldest, p.Age())
	}
	if waiting == 0 {
		return "up to date"
	}
	return fmt.Sprintf("%s waiting, the oldest for %s", cli.Plural(int(waiting), "message"), oldest.Round(100*time.Millisecond))
}

// damage collects what a reader of a whole stream did not accept.
type damage struct {
	count   int
	reasons []string // in order of appearance
	first   uint64
}

// Skipped implements nats.Observer.
func (d *damage) Skipped(_ string, _ int, reason string, sequence uint64) {
	if d.count == 0 {
		d.first = sequence
	}
	d.count++
	if !slices.Contains(d.reasons, reason) {
		d.reasons = append(d.reasons, reason)
	}
}

// intact reads every stream that a stage writes and checks each event against the
// checkpoints (EV-7): nothing erased, altered or added.
func intact(check *checkup, broker *nats.Broker) {
	for _, stage := range connect.Stages {
		var found damage
		events := 0
		err := broker.Observed(&found).ReadAll(check, nats.ReaderOptions{Stage: stage, Partition: nats.AllPartitions}, func(nats.Accepted) error {
			events++
			return nil
		})
		name := stage + " log"
		switch {
		case err != nil:
			check.line(false, name, "%v", err)
		case found.count > 0:
			check.line(false, name, "damaged: %s not as the checkpoints say (%s), the first near message %d; restore the stream from a backup",
				cli.Plural(found.count, "message"), strings.Join(found.reasons, "; "), found.first)
		default:
			check.line(true, name, "%s, all as the checkpoints say", cli.Plural(events, "event"))
		}
	}
}
