// Package workrail reads what WorkRail and its daemon WorkTrain store on disk as run events (IN-11): the
// daemon's event log, the store of a session with its manifest, and the context that a coordinator keeps of
// a pipeline run. Handoffs and verdicts are read from their files; those without a recorded kind are
// recognised by their fields.
package workrail

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Names of the formats.
const (
	DaemonName   = "worktrain"
	PipelineName = "workrail-pipeline"
	StoreName    = "workrail"
	SegmentName  = "workrail-segment"
)

const page = "workrail.md"

// The formats of WorkRail, each with its own reader.
var (
	Daemon   = agent.Agent{Name: DaemonName, Page: page, Transcript: &daemonLog}
	Pipeline = agent.Agent{Name: PipelineName, Page: page, Transcript: &pipelineContext}
	Store    = agent.Agent{Name: StoreName, Page: page, Transcript: &storeManifest}
	Segment  = agent.Agent{Name: SegmentName, Page: page, Transcript: &storeSegment}
)
