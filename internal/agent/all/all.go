// Package all lists the agents that scaffoldwatch knows.
package all

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/acp"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/aider"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/amp"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/antigravity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/archeflow"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/atif"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/chat"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cline"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cloudevents"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/copilot"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/copilotchat"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/crush"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cursor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/dsh"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/gemini"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/goose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/kimi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/kiro"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/metadata"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/miniswe"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/muse"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/opencode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/openhands"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/ralph"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/scoutwave"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/specstory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/sweagent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/workrail"
)

// Agents returns the agents. If two recognise a transcript with equal confidence, the first one reads it.
func Agents() []agent.Agent {
	return []agent.Agent{
		cloudevents.Agent, archeflow.Agent, scoutwave.Agent, workrail.Daemon, workrail.Pipeline, workrail.Store,
		workrail.Segment, specstory.Agent, aider.Agent, ralph.Agent(inside),
		claudecode.Agent, codex.Agent, codex.Exec, copilot.Agent, copilotchat.Agent, gemini.Agent, gemini.Qwen,
		sweagent.Agent, miniswe.Agent, atif.Agent, openhands.Agent, kimi.Agent, kiro.Agent, antigravity.Agent,
		opencode.Agent, acp.Agent, amp.Agent, goose.Agent, cline.Agent, crush.Agent, dsh.Agent, muse.Agent, chat.Droid, chat.Pi, chat.Grok, chat.Hermes,
		cursor.Agent, chat.Agent, metadata.Agent, markdown.Agent,
	}
}

// inside returns the format of a transcript of turns that is part of a log.
func inside(head []byte) (transcript.Format, bool) { return Formats().Inside(head) }

// Formats returns the formats of the agents' transcripts.
func Formats() (list transcript.Formats) {
	for _, a := range Agents() {
		if a.Transcript != nil {
			list = append(list, *a.Transcript)
		}
	}
	return list
}

// Hooks returns the dialects of the agents that have hooks.
func Hooks() (list hook.Dialects) {
	for _, a := range Agents() {
		if a.Hooks != nil {
			list = append(list, a.Hooks)
		}
	}
	return list
}

// Settings returns the settings of the agents whose hooks can be installed.
func Settings() (list install.List) {
	for _, a := range Agents() {
		if a.Install != nil {
			list = append(list, a.Install)
		}
	}
	return list
}

// Drives returns the ways to drive agents, for those that can be driven.
func Drives() (list drive.Ways) {
	for _, a := range Agents() {
		if a.Drive != nil {
			list = append(list, a.Drive)
		}
	}
	return list
}
