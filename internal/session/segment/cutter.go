package segment

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

// Cutter is the form in which the ingest stage uses a segmenter.
type Cutter struct{ *Segmenter }

// Cut is [Segmenter.Cut] with its options as arguments.
func (c Cutter) Cut(turn *events.Turn, number int, workspace string, secrets []events.SecretFinding) *events.TurnSegmented {
	return c.Segmenter.Cut(turn, number, Options{Workspace: workspace, Secrets: secrets})
}
