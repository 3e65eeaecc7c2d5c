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
func (c *Context) turn(data *sessionevents.TurnEvaluated) {
	c.state.session(clip(data.Session, 128), data.Turn, c.config.Kept.Sessions)
	if data.Observed != nil {
		c.edits(data.Observed.FilesEdited, data.Session)
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
func (c *Context) edits(files []string, session string) {
	at := c.config.firstSource(files)
	if at < 0 {
		return
	}
	s := c.state
	if r := s.waiting(); r != nil && r.Default == "" {
		c.violateOnce("PL-33", CodePausedEdit, r.ID, fmt.Sprintf("%s was edited while the run is paused until an operator answers: %s.", c.text(files[at]), r.choice()), r.Event)
	}
	if s.FirstEdit == nil {
		s.FirstEdit = &Edit{Event: c.Event.ID, Session: clip(session, 128), Path: c.text(files[at])}
		c.firstEdit(s.FirstEdit)
	}
	c.beforeWork()
}

// firstEdit: with a ticket the run resolves intent, so the checkpoint comes
// first (PL-32). Without one it is judged when a checkpoint comes.
func (c *Context) firstEdit(edit *Edit) {
	if c.state.Ticket != nil && c.state.Checkpoint == nil && !c.state.Skip {
		c.earlyEdit(edit)
	}
}

// phaseStarted begins the implementation.
func (c *Context) phaseStarted(data *runevents.PhaseStarted) {
	if c.config.implementation(data.Phase) {
		c.beforeWork()
	}
}

func (c *Context) phaseCompleted(data *runevents.PhaseCompleted) {
	c.state.Worked = true
	c.ranHeld(data)
	c.observations(data.Observations)
	c.openQuestions(data.OpenQuestions)
}

// beforeWork is what must be there when the implementation begins: at its
// phase, at an edit, at the latest at the end. Each is said once.
func (c *Context) beforeWork() {
	c.skipped()
	c.surfaced()
	c.unresolved()
	if c.state.Due != "" && c.state.Council == nil {
		c.warnOnce("PL-33", CodeCouncilSkipped, c.state.Checkpoint.Event, "Work began though a council is due.", c.state.Checkpoint.Event)
	}
}

// structuralTask says that assumptions must be surfaced whatever else is left
// out (PL-37, PL-38).
func (c *Context) structuralTask() bool {
	checkpoint := c.state.Checkpoint
	return checkpoint != nil && slices.Contains(c.config.StructuralTasks, checkpoint.TaskType)
}

// skippedReading: the agent says in a line what it understood even so (PL-37).
func (c *Context) skippedReading() {
	if checkpoint := c.state.Checkpoint; checkpoint == nil || checkpoint.Interpretation == "" {
		c.violateOnce("PL-37", CodeSkipInterpretation, "", "Intent resolution is skipped, but no interpretation in one line was given.")
	}
}

// skipped is PL-37: what a skipped intent resolution still needs.
func (c *Context) skipped() {
	s := c.state
	if !s.Skip {
		return
	}
	c.skippedReading()
	if c.structuralTask() && s.Assumptions == "" {
		c.violateOnce("PL-37", CodeSkipAssumptions, "", fmt.Sprintf("A %s task skips no assumptions, and none were stated.", s.Checkpoint.TaskType), s.Checkpoint.Event)
	}
}
