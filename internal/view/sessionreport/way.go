package sessionreport

import (
	"fmt"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// way says on which lines a value reached its sink, "" if only on the sink's own line.
func way(flow []sessionevents.FlowStep) string {
	var lines []string
	for _, step := range flow {
		if step.Line > 0 && step.Line != flow[len(flow)-1].Line {
			lines = append(lines, fmt.Sprintf("%s in line %d", step.Role, step.Line))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return " (" + strings.Join(lines, ", ") + ")"
}
