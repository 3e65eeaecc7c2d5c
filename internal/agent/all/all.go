// Package all lists the agents that scaffoldwatch knows.
package all

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/antigravity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/archeflow"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/chat"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cloudevents"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/copilot"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cursor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/gemini"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/kimi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/metadata"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/miniswe"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/opencode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/openhands"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/ralph"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/sweagent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

// Formats lists the formats of transcripts that can be read.
func Formats() transcript.Formats {
	return transcript.Formats{
		cloudevents.Transcript, archeflow.Transcript, ralph.Transcript(inside), claudecode.Transcript, codex.Transcript, copilot.Transcript,
		gemini.Transcript, gemini.QwenTranscript, sweagent.Transcript, miniswe.Transcript, openhands.Transcript,
		kimi.Transcript, antigravity.Transcript, opencode.Transcript,
		chat.Droid, chat.Pi, chat.Grok, chat.Hermes, cursor.Transcript, chat.Transcript,
		metadata.Transcript, markdown.Transcript,
	}
}

// inside returns the format of a transcript of turns that is part of a log.
func inside(head []byte) (transcript.Format, bool) { return Formats().Inside(head) }
