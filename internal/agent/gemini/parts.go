package gemini

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/patch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// speaker adds parts to a session.
type speaker struct {
	s       *transcript.Session
	phrases *outcome.Phrases
}

// user adds what the person said; tool results among the parts belong to the open turn.
func (k speaker) user(parts loose.Parts, at time.Time) {
	for i := range parts {
		if r := parts[i].FunctionResponse; r != nil {
			k.result(result{ID: r.ID, Name: r.Name, Response: r.Response}, at)
			continue
		}
		k.s.User(k.phrases.UserText(parts[i].Text), at)
	}
}

// model adds what the model said and called.
func (k speaker) model(parts loose.Parts) {
	for i := range parts {
		p := &parts[i]
		switch {
		case p.FunctionCall != nil:
			k.call(string(p.FunctionCall.ID), string(p.FunctionCall.Name), p.FunctionCall.Args)
		case bool(p.Thought):
			k.s.Thinking(p.Text)
		default:
			k.s.Text(p.Text)
		}
	}
}

func (k speaker) call(id, name string, args json.RawMessage) {
	k.s.Call(id, name, loose.Object(args))
}

// result is the outcome of a call in any of its places.
type result struct {
	ID       loose.String
	Name     loose.String
	Status   string          // success, error, cancelled
	Response json.RawMessage // {output} or {error}
	Display  json.RawMessage // text, or {fileDiff, fileName} for an edit
}

func (k speaker) result(r result, at time.Time) {
	var response struct {
		Error json.RawMessage `json:"error"`
	}
	failed := json.Unmarshal(r.Response, &response) == nil && loose.Text(response.Error) != ""
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(r.ID), Output: loose.Text(r.Response)}
	if b.Output == "" || b.Output == "{}" {
		if b.Output = ""; len(r.Display) > 0 && r.Display[0] == '"' {
			b.Output = loose.Text(r.Display)
		}
	}
	b.Output, b.ExitCode = shellOutput(b.Output)
	refused, reply := k.phrases.Rejected(b.Output)
	b.Rejected = r.Status == "cancelled" || refused
	failed = failed || r.Status == "error" || b.ExitCode != nil && *b.ExitCode != 0
	b.IsError = loose.Flag(failed && !b.Rejected)
	if !failed && !b.Rejected {
		b.Patch = edit(r.Display)
	}
	k.s.Add(b)
	k.s.User(reply, at)
}

// shellOutput removes the frame from the shell tool's answer, because its process ids would make equal
// outputs differ (SW-6).
func shellOutput(s string) (string, *int) {
	if !strings.HasPrefix(s, "Command: ") && !strings.HasPrefix(s, "Output: ") {
		return s, nil
	}
	exit := outcome.CodeAfter(text.Tail(s, 400), "Exit Code: ")
	if exit == nil && strings.HasPrefix(s, "Command: ") && strings.Contains(s, "Exit Code: (none)") {
		exit = nil
	}
	_, body, ok := strings.Cut(s, "Output: ")
	if !ok {
		return s, exit
	}
	if end := strings.LastIndex(body, "\nExit Code: "); end >= 0 {
		body = body[:end]
	} else if end := strings.LastIndex(body, "\nProcess Group PGID: "); end >= 0 {
		body = body[:end]
	}
	body = strings.TrimSuffix(body, "\nError: (none)")
	if body == "(empty)" {
		body = ""
	}
	return body, exit
}

// edit returns the applied edit that a result displays.
func edit(display json.RawMessage) []sessionevents.FilePatch {
	var d struct {
		FileDiff loose.String `json:"fileDiff"`
		FileName loose.String `json:"fileName"`
		FilePath loose.String `json:"filePath"`
		Original *string      `json:"originalContent"`
	}
	if len(display) == 0 || display[0] != '{' || json.Unmarshal(display, &d) != nil || d.FileDiff == "" {
		return nil
	}
	hunks := patch.Hunks(string(d.FileDiff))
	if len(hunks) == 0 {
		return nil
	}
	f := sessionevents.FilePatch{Path: string(d.FilePath), Op: sessionevents.DiffUpdate, Hunks: hunks}
	if f.Path == "" {
		f.Path = string(d.FileName)
	}
	if d.Original != nil && *d.Original == "" {
		f.Op = sessionevents.DiffCreate
	}
	return []sessionevents.FilePatch{f}
}
