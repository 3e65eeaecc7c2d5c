package policy

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// CodeResumeAnswer is the code of a resume where an answer is wanted.
const CodeResumeAnswer = "RESUME-NEEDS-ANSWER"

// Question is what a run waits for: a clarification without a default (PL-33).
type Question struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Wait takes which answer the run waits for after an event, nil for none. It is
// paused until that is given or taken back; a break it has beside stays.
func (c *Config) Wait(s *State, in step.Input, v *verdict.Verdict, question *Question) {
	before := s.Waits
	if s.Run == "" || before == question || before != nil && question != nil && *before == *question {
		return
	}
	if s.Waits, s.changed = question, true; question != nil {
		s.Checkpoint.stop()
		return
	}
	f := fold{c, s, in, v}
	f.startClock()
}

// standing is the run's control state: its own, or paused while it waits for an
// answer.
func (s *State) standing() Control {
	now := s.Control
	if s.Waits == nil || now.State != runevents.ControlRunning && now.State != runevents.ControlDraining {
		return now
	}
	now.State, now.asks = runevents.ControlPaused, s.Waits.ID
	if now.Open == nil {
		now.Who, now.Why = "", s.Waits.Why
	}
	return now
}

// unanswered tells an operator who resumes a run that only an answer lets it go on.
func (f *fold) unanswered() {
	if waits := f.state.Waits; waits != nil {
		f.v.Warning(runevents.WarningIssued(f.judged(CodeResumeAnswer,
			fmt.Sprintf("The run waits for an answer to clarification %s; a resume is none, and the run stays paused.", waits.ID))))
	}
}
