// Package ralph reads the plain log of a loop that runs an agent again and again
// (a "Ralph" loop): where an iteration begins, what was written in it and how it
// ended. Each iteration is an agent.completed of one run, so that three failures
// in a row break it (RW-30); what an iteration wrote as a transcript becomes a
// session of the run.
//
// Such logs have no format, only habits; those are data (rules/loops.yaml). A text is
// read as such a log only where its iterations count up in one style of banner
// and something beside the banners says that an agent ran there.
package ralph

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Name is the agent's name.
const Name = "ralph"

// Agent returns a loop around an agent. inner finds the format of what an
// iteration wrote where that is a transcript.
func Agent(inner func(head []byte) (transcript.Format, bool)) agent.Agent {
	format := Transcript(inner)
	return agent.Agent{Name: Name, Page: "ralph.md", Transcript: &format}
}
