package copilotchat

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// request is a message of the person with everything that answers it.
type request struct {
	ID      loose.String `json:"requestId"`
	Message struct {
		Text loose.String `json:"text"`
	} `json:"message"`
	Response  []part       `json:"response"`
	Timestamp loose.Time   `json:"timestamp"`
	Model     loose.String `json:"modelId"`
	Canceled  loose.Bool   `json:"isCanceled"`
	Prompt    loose.Int    `json:"promptTokens"`
	Completed loose.Int    `json:"completionTokens"`
	Result    struct {
		Error    json.RawMessage `json:"errorDetails"`
		Metadata struct {
			Rounds  []round           `json:"toolCallRounds"`
			Results map[string]result `json:"toolCallResults"`
		} `json:"metadata"`
	} `json:"result"`
}

// round is one response of the model with its calls.
type round struct {
	ID       loose.String `json:"id"`
	Response loose.String `json:"response"`
	Thinking struct {
		Text json.RawMessage `json:"text"`
	} `json:"thinking"`
	Calls []struct {
		ID        loose.String    `json:"id"`
		Name      loose.String    `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

type result struct {
	Content []struct {
		Value json.RawMessage `json:"value"`
	} `json:"content"`
}

// part is what VS Code showed: text if it has no kind, otherwise what a tool did …
type part struct {
	Kind     loose.String    `json:"kind"`
	Value    json.RawMessage `json:"value"`
	Content  json.RawMessage `json:"content"`
	CallID   loose.String    `json:"toolCallId"`
	Tool     loose.String    `json:"toolId"`
	Complete loose.Bool      `json:"isComplete"`
	Past     struct {
		Value loose.String `json:"value"`
	} `json:"pastTenseMessage"`
	Specific specific        `json:"toolSpecificData"`
	Details  json.RawMessage `json:"resultDetails"`
	Inline   struct {
		Name loose.String `json:"name"`
		Path loose.String `json:"path"`
	} `json:"inlineReference"`
}

// specific is a call in the terminal with its output.
type specific struct {
	Kind    loose.String    `json:"kind"`
	Command json.RawMessage `json:"commandLine"`
	Plain   loose.String    `json:"command"`
	State   struct {
		Exit *loose.Int `json:"exitCode"`
	} `json:"terminalCommandState"`
	Output struct {
		Text loose.String `json:"text"`
	} `json:"terminalCommandOutput"`
}

func (d *decoder) request(data []byte) error {
	var r request
	if err := json.Unmarshal(data, &r); err != nil && !loose.Mismatch(err) {
		return fmt.Errorf("not a request: %w", err)
	}
	at := r.Timestamp.Time
	d.s.Saw(at)
	d.s.SetModel(strings.TrimPrefix(string(r.Model), "copilot/"))
	d.s.User(d.phrases.UserText(string(r.Message.Text)), at)
	terminals := map[string]specific{}
	for i := range r.Response {
		if p := &r.Response[i]; p.Specific.Kind == "terminal" {
			terminals[string(p.CallID)] = p.Specific
		}
	}
	if rounds := r.Result.Metadata.Rounds; len(rounds) > 0 {
		for i := range rounds {
			d.round(&r, &rounds[i], terminals)
		}
	} else if len(r.Response) > 0 {
		d.shown(&r)
	} else if r.Completed > 0 { // there was an answer that the file does not contain
		d.s.Begin(string(r.ID), at)
		d.s.Unsupported(sessionevents.UnsupportedRecord, "response")
	}
	if r.Completed > 0 || r.Prompt > 0 {
		d.s.Usage(&sessionevents.Usage{InputTokens: int64(r.Prompt), OutputTokens: int64(r.Completed)})
	}
	switch {
	case bool(r.Canceled):
		d.s.Stop("interrupted")
	case len(r.Result.Error) > 2:
		d.s.Fail(transcript.StopError, at)
	}
	return nil
}

func (d *decoder) round(r *request, one *round, terminals map[string]specific) {
	d.s.Begin(string(one.ID), r.Timestamp.Time)
	d.s.Thinking(loose.Text(one.Thinking.Text))
	d.s.Text(string(one.Response))
	for _, c := range one.Calls {
		d.s.Call(string(c.ID), string(c.Name), loose.Object(c.Arguments))
	}
	for _, c := range one.Calls {
		b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(c.ID)}
		got, kept := r.Result.Metadata.Results[b.ID]
		for _, content := range got.Content {
			b.Output = loose.Join(b.Output, printed(content.Value))
		}
		t, ran := terminals[b.ID]
		t.finish(&b)
		if kept || ran && t.State.Exit != nil {
			refused, _ := d.phrases.Rejected(b.Output)
			b.Rejected = refused
			d.s.Add(b)
		}
	}
}

// finish adds the terminal's output to a call.
func (t *specific) finish(b *sessionevents.Block) {
	b.Output = loose.Join(b.Output, string(t.Output.Text))
	if t.State.Exit != nil {
		b.ExitCode = loose.Code(int(*t.State.Exit))
		b.IsError = loose.Flag(*b.ExitCode != 0)
	}
}

// command returns what was typed into the terminal.
func (t *specific) command() string {
	var line struct {
		Original loose.String `json:"original"`
		Edited   loose.String `json:"userEdited"`
	}
	switch {
	case t.Plain != "":
		return string(t.Plain)
	case json.Unmarshal(t.Command, &line) == nil && line.Edited != "":
		return string(line.Edited)
	case line.Original != "":
		return string(line.Original)
	}
	return loose.Text(t.Command)
}

// shown reads a response of which only the display is stored.
func (d *decoder) shown(r *request) {
	d.s.Begin(string(r.ID), r.Timestamp.Time)
	text := ""
	flush := func() { d.s.Text(text); text = "" }
	for i := range r.Response {
		p := &r.Response[i]
		switch p.Kind {
		case "", "markdownContent", "markdownVuln":
			text += loose.Text(p.Value) + loose.Text(p.Content)
		case "inlineReference":
			text += "`" + string(p.Inline.Name) + string(p.Inline.Path) + "`"
		case "thinking":
			d.s.Thinking(loose.Text(p.Value))
		case "toolInvocationSerialized", "toolInvocation":
			flush()
			d.invocation(p)
		}
	}
	flush()
}

func (d *decoder) invocation(p *part) {
	b := sessionevents.Block{
		Type: sessionevents.BlockToolCall, ID: string(p.CallID),
		Name: strings.TrimPrefix(string(p.Tool), "copilot_"),
	}
	if p.Specific.Kind != "terminal" {
		d.s.Unsupported(sessionevents.UnsupportedCall, b.Name) // its arguments are not stored
		d.s.Add(b)
		return
	}
	input, err := json.Marshal(map[string]string{"command": p.Specific.command()})
	if err != nil {
		return
	}
	b.Name, b.Input = "run_in_terminal", input
	d.s.Add(b)
	res := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: b.ID}
	if p.Specific.finish(&res); res.ExitCode != nil || res.Output != "" {
		d.s.Add(res)
	}
}

// printed returns a result's text: plain, or the texts in a tree of nodes.
func printed(raw json.RawMessage) string {
	var tree struct {
		Node *node `json:"node"`
	}
	if len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &tree) == nil && tree.Node != nil {
		var out strings.Builder
		tree.Node.write(&out, 0)
		return strings.TrimPrefix(out.String(), "\n")
	}
	return loose.Text(raw)
}

type node struct {
	Text     *loose.String `json:"text"`
	Break    loose.Bool    `json:"lineBreakBefore"`
	Children []node        `json:"children"`
}

const maxDepth = 200 // of a tree of nodes

func (n *node) write(out *strings.Builder, depth int) {
	if n.Text != nil {
		if n.Break {
			out.WriteString("\n")
		}
		out.WriteString(string(*n.Text))
	}
	if depth < maxDepth {
		for i := range n.Children {
			n.Children[i].write(out, depth+1)
		}
	}
}
