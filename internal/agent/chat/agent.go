// Package chat reads messages with role and content, the form that most agents and APIs share: Droid, Pi
// and OpenClaw, Grok, Hermes, and bare lists of messages as Anthropic and OpenAI accept them. One lenient
// decoder serves all of them; the formats differ in their names and in how they are recognised.
package chat

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the name of the format for any list of messages.
const Name = "chat"

// Agents whose transcripts are lists of messages, most specific first.
var (
	Droid  = agent.Agent{Name: "droid", Page: "chat.md", Transcript: &droidTranscript}   // Factory's Droid
	Pi     = agent.Agent{Name: "pi", Page: "chat.md", Transcript: &piTranscript}         // Pi and OpenClaw
	Grok   = agent.Agent{Name: "grok", Page: "chat.md", Transcript: &grokTranscript}     // the Grok CLI
	Hermes = agent.Agent{Name: "hermes", Page: "chat.md", Transcript: &hermesTranscript} // Hermes
	Agent  = agent.Agent{Name: Name, Page: "chat.md", Transcript: &Transcript}           // anything else
)
