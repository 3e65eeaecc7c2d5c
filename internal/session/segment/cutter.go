package segment

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// Cutter is the form in which the ingest stage uses a segmenter.
type Cutter struct{ *Segmenter }

// Cut is [Segmenter.Cut] with its options as arguments.
func (c Cutter) Cut(turn *sessionevents.Turn, number int, workspace string, secrets []sessionevents.SecretFinding) *sessionevents.TurnSegmented {
	return c.Segmenter.Cut(turn, number, Options{Workspace: workspace, Secrets: secrets})
}
