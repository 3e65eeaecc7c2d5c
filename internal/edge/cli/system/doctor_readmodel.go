package system

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/reporter"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// readModel compares the reporter's read model with DECISIONS: people see lists, reports and figures from
// it.
func (c *Doctor) readModel(check *checkup, broker *nats.Broker) {
	settings, err := c.Settings(check.Call)
	if err != nil {
		check.line(false, "read model", "%v", err)
		return
	}
	if settings.Reports.Database == "" {
		check.line(true, "read model", "not compared: this configuration names no reports.database (of `up`: reports.db in its --data)")
		return
	}
	found, err := reporter.Check(check, settings.Reports, broker)
	if err != nil {
		check.line(false, "read model", "%v", err)
		return
	}
	readModelLine(check, settings.Reports.Database, found)
}

func readModelLine(check *checkup, file string, found reporter.Checked) {
	switch {
	case found.Other:
		check.line(false, "read model", "%s was built from another DECISIONS; the reporter rebuilds it when it starts", file)
	case found.Behind:
		check.line(false, "read model", "%s still has what an operator erased; start the reporter, which removes it", file)
	case found.Lacks:
		check.line(true, "read model", "%s was filled by an earlier version; a reporter completes it when it starts, "+
			"and then it is compared", file)
	case len(found.Differences) > 0:
		lines := []string{file + " is not what DECISIONS gives up to " + strconv.FormatUint(found.Sequence, 10) + ":"}
		for _, d := range found.Differences {
			lines = append(lines, terminal.Clean(d.String()))
		}
		lines = append(lines, "rows were deleted or edited, or an earlier build wrote them; `reporter rebuild` restores them")
		check.line(false, "read model", "%s", strings.Join(lines, "\n"))
	default:
		text := file + " is what DECISIONS gives up to " + strconv.FormatUint(found.Sequence, 10)
		if found.Kept.Aged {
			text += "; what is older than its age is not compared"
		}
		check.line(true, "read model", "%s", text)
	}
}
