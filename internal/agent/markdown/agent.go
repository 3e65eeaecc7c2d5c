// Package markdown reads plain text and Markdown: a conversation with headings or labels for its speakers
// gives a turn for each section of the assistant; any other text is one turn. The segmenter finds what is
// in the text (SW-4).
package markdown

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent"

// Name is the agent's name.
const Name = "markdown"

// Agent is text of any origin.
var Agent = agent.Agent{Name: Name, Page: "text.md", Transcript: &Transcript}
