package sarif

import (
	"fmt"

	format "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// Importance of a flow's steps: viewers may leave out what is not essential.
const (
	essential = "essential"
	important = "important"
)

// codeFlows returns the paths of values from source to sink, one for each piece of evidence with a path.
// Steps without a line cannot be shown, so a flow with fewer than two others is left out.
func codeFlows(f finding) []*format.CodeFlow {
	var flows []*format.CodeFlow
	for _, e := range f.Evidence {
		if !isFile(e.Path) {
			continue
		}
		thread := format.NewThreadFlow()
		for i, step := range e.Flow {
			if step.Line == 0 {
				continue
			}
			l := place(e.Path, step.Line, step.Code)
			l.Message = format.NewTextMessage(linkless(fmt.Sprintf("%s: %s", step.Role, step.Code)))
			at := format.NewThreadFlowLocation()
			at.Location, at.ExecutionOrder = l, i+1
			at.Importance = important
			if i == 0 || i == len(e.Flow)-1 {
				at.Importance = essential
			}
			thread.Locations = append(thread.Locations, at)
		}
		if len(thread.Locations) < 2 {
			continue
		}
		flow := format.NewCodeFlow()
		flow.ThreadFlows = append(flow.ThreadFlows, thread)
		flows = append(flows, flow)
	}
	return flows
}
