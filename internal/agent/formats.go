package agent

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/antigravity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/archeflow"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/chat"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cloudevents"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/copilot"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/gemini"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/kimi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/metadata"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/miniswe"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/opencode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/openhands"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/ralph"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/sweagent"
)

// Formats lists the supported formats. Of two that are equally sure of a
// transcript, the first one reads it.
func Formats() []Format {
	list := []Format{
		cloudevents.Format(), archeflow.Format(), ralph.Format(transcript), claudecode.Format(), codex.Format(), copilot.Format(),
		gemini.Format(), gemini.Qwen(), sweagent.Format(), miniswe.Format(), openhands.Format(),
		kimi.Format(), antigravity.Format(), opencode.Format(),
	}
	list = append(list, chat.Formats()...)
	return append(list, metadata.Format(), markdown.Format())
}

// transcript is the format of a transcript of turns that stands inside a log.
func transcript(head []byte) (Format, bool) {
	f, confidence := Recognise(head)
	return f, confidence > 0 && !f.Log && !f.Metadata && !f.Whole && f.Name != markdown.Name
}
