package system

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	natsprogress "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/progress"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// patience is how long input may remain without a commit before doctor warns.
const patience = 15 * time.Second

// stages reports what is pending for each stage, and whether it makes progress.
func stages(check *checkup, broker *nats.Broker) {
	for _, stage := range link.Stages {
		progress, err := natsprogress.Look(check, broker, stage)
		if err != nil {
			check.line(false, stage, "%v", err)
			continue
		}
		if err := natsprogress.Stalled(stage, progress, patience); err != nil {
			check.line(false, stage, "%v", err)
			continue
		}
		check.line(true, stage, "%s", backlogText(progress))
	}
}

// instances names the services that nobody runs: where nothing waits, the stages alone look healthy, and nothing else
// shows that the reporter does not run. The services of `up` send no heartbeats; they run where their broker answers
// for them.
func instances(check *checkup, broker *nats.Broker) {
	if _, ok := vitals.Ask(check, broker.Conn()); ok {
		return
	}
	counts, err := keep.Instances(check, broker)
	if err != nil {
		check.line(false, "instances", "%v", err)
		return
	}
	var missing, running []string
	for _, stage := range link.Stages {
		if counts[stage] == 0 {
			missing = append(missing, stage)
		}
		running = append(running, fmt.Sprintf("%d of %s", counts[stage], stage))
	}
	running = append(running, fmt.Sprintf("%d of %s", counts[keep.Reporter], keep.Reporter))
	switch {
	case len(missing) > 0:
		check.line(
			false, "instances",
			"no %s runs, or none reaches the broker: what comes is stored, and not watched before one does",
			strings.Join(missing, ", no "),
		)
	case counts[keep.Reporter] == 0:
		check.line(false, "instances", "no reporter runs, or none can send heartbeats: no page, no reports over HTTP, nobody is notified")
	default:
		check.line(true, "instances", "%s", strings.Join(running, ", "))
	}
}

func backlogText(progress []natsprogress.Partition) string {
	var waiting uint64
	var oldest time.Duration
	for _, p := range progress {
		waiting += p.Waiting
		oldest = max(oldest, p.Age())
	}
	if waiting == 0 {
		return "up to date"
	}
	return fmt.Sprintf("%s waiting, the oldest for %s", text.Count(int(waiting), "message"), oldest.Round(100*time.Millisecond))
}

// intact verifies every stream that a stage writes, as `scaffoldwatch verify` does (AU-1). It lists what an
// operator erased or acknowledged, and batches that a stage could not finish. A purge that is not finished
// needs attention: what somebody asked to be erased is still there.
func intact(check *checkup, report *chain.Report, err error) {
	if err != nil {
		check.line(false, "record", "%v", err)
		return
	}
	lines, fine := []string{report.Result()}, report.Verified
	for _, p := range slices.Concat(report.Purged, report.Announced) {
		lines = append(lines, terminal.Clean(p.String()))
		fine = fine && len(p.Erased) > 0 && len(p.Left) == 0
	}
	for _, u := range report.Unfinished {
		lines = append(lines, u.String())
	}
	for _, a := range report.Acknowledged {
		lines = append(lines, terminal.Clean(a.String()))
	}
	if !report.Verified {
		lines = append(lines, "the first: "+terminal.Clean(report.Findings[0].String()),
			"`scaffoldwatch verify` lists all; docs/audit.md explains each kind and what to do")
	}
	check.line(fine, "record", "%s", strings.Join(lines, "\n"))
}
