package intent

import (
	"fmt"
	"path"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn notes a session's turn and what it edited.
func (d *decision) turn(data *sessionevents.TurnEvaluated) {
	d.state.session(clip(data.Session, 128), data.Turn, d.config.Kept.Sessions)
	if data.Observed != nil {
		d.edits(data.Observed.FilesEdited, data.Session)
	}
}

// firstSource is the place of the first file that is no document, or -1.
func (c *Config) firstSource(files []string) int {
	return slices.IndexFunc(files, func(file string) bool {
		return !slices.Contains(c.Documents, strings.ToLower(path.Ext(file)))
	})
}

// edits are files that were written: notes and documents are none, a discovery
// writes those.
func (d *decision) edits(files []string, session string) {
	at := d.config.firstSource(files)
	if at < 0 {
		return
	}
	s := d.state
	if r := s.waiting(); r != nil && r.Default == "" {
		d.violateOnce("PL-33", CodePausedEdit, r.ID, fmt.Sprintf("%s was edited while the run is paused until an operator answers: %s.", d.text(files[at]), r.choice()), r.Event)
	}
	if s.FirstEdit == nil {
		s.FirstEdit = &Edit{Event: d.event, Session: clip(session, 128), Path: d.text(files[at])}
		d.firstEdit(s.FirstEdit)
	}
	d.beforeWork()
}

// firstEdit: with a ticket the run resolves intent, so the checkpoint comes
// first (PL-32). Without one it is judged when a checkpoint comes.
func (d *decision) firstEdit(edit *Edit) {
	if d.state.Ticket != nil && d.state.Checkpoint == nil && !d.state.Skip {
		d.earlyEdit(edit)
	}
}

// phaseStarted begins the implementation.
func (d *decision) phaseStarted(data *runevents.PhaseStarted) {
	if d.config.implementation(data.Phase) {
		d.beforeWork()
	}
}

func (d *decision) phaseCompleted(data *runevents.PhaseCompleted) {
	d.state.Worked = true
	d.ranHeld(data)
	d.observations(data.Observations)
	d.openQuestions(data.OpenQuestions)
}

// beforeWork is what must be there when the implementation begins: at its
// phase, at an edit, at the latest at the end. Each is said once.
func (d *decision) beforeWork() {
	d.skipped()
	d.surfaced()
	d.unresolved()
	if d.state.Due != "" && d.state.Council == nil {
		d.warnOnce("PL-33", CodeCouncilSkipped, d.state.Checkpoint.Event, "Work began though a council is due.", d.state.Checkpoint.Event)
	}
}

// structuralTask says that assumptions must be surfaced whatever else is left
// out (PL-37, PL-38).
func (d *decision) structuralTask() bool {
	c := d.state.Checkpoint
	return c != nil && slices.Contains(d.config.StructuralTasks, c.TaskType)
}

// skippedReading: the agent says in a line what it understood even so (PL-37).
func (d *decision) skippedReading() {
	if c := d.state.Checkpoint; c == nil || c.Interpretation == "" {
		d.violateOnce("PL-37", CodeSkipInterpretation, "", "Intent resolution is skipped, but no interpretation in one line was given.")
	}
}

// skipped is PL-37: what a skipped intent resolution still needs.
func (d *decision) skipped() {
	s := d.state
	if !s.Skip {
		return
	}
	d.skippedReading()
	if d.structuralTask() && s.Assumptions == "" {
		d.violateOnce("PL-37", CodeSkipAssumptions, "", fmt.Sprintf("A %s task skips no assumptions, and none were stated.", s.Checkpoint.TaskType), s.Checkpoint.Event)
	}
}
