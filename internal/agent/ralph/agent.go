// Package ralph reads the plain log of a loop that runs an agent repeatedly (a "Ralph" loop): where an
// iteration begins, what was written in it and how it ended. Each iteration is an agent.completed of one
// run, so that three consecutive failures break it (RW-30); what an iteration wrote as a transcript becomes
// a session of the run.
//
// Such logs have no format, only habits; those are data (rules/loops.yaml). A text is read as such a log
// only if its iterations count up in one style of banner and something other than the banners shows that an
// agent ran there.
package ralph

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Name is the agent's name.
const Name = "ralph"

// Agent returns a loop around an agent; inner returns the format of an iteration's output if that is a
// transcript.
func Agent(inner func(head []byte) (transcript.Format, bool)) agent.Agent {
	format := Transcript(inner)
	return agent.Agent{Name: Name, Page: "ralph.md", Transcript: &format}
}
