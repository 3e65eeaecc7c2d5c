// Package aider reads the chat history of aider (.aider.chat.history.md): lines that begin with "####" are
// the person's, lines quoted with ">" are aider's own, all others the model's.
package aider

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "aider"

// Agent is aider.
var Agent = agent.Agent{Name: Name, Page: "aider.md", Transcript: &Transcript}
