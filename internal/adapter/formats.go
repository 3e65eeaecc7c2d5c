package adapter

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/antigravity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/archeflow"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/chat"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/cloudevents"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/copilot"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/gemini"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/kimi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/metadata"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/miniswe"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/opencode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/openhands"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/ralph"
	"github.com/scaffoldwatch/scaffoldwatch/internal/adapter/sweagent"
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
