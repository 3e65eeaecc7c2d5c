package claudecode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/process"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reader makes turns of the agent's lines.
type reader struct {
	driver  *Driver
	sink    drive.Sink
	live    *transcript.Live
	session string
	ledger  drive.Ledger
	partial map[string]*streamEvent // beginnings of the responses under way, by subagent
	spent   float64                 // dollars, up to the last result
	failed  string                  // what the agent said went wrong
	working bool                    // its task is not done
}

// streamLine is what is read of a line of any type.
type streamLine struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	Status      string          `json:"status"`
	SessionID   string          `json:"session_id"`
	UUID        string          `json:"uuid"`
	Parent      string          `json:"parent_tool_use_id"`
	Replay      bool            `json:"isReplay"`
	CommandUUID string          `json:"command_uuid"`
	State       string          `json:"state"`
	RequestID   string          `json:"request_id"`
	IsError     bool            `json:"is_error"`
	Result      string          `json:"result"`
	TotalCost   float64         `json:"total_cost_usd"`
	Event       json.RawMessage `json:"event"`
	Message     json.RawMessage `json:"message"`
}

// lines reads until the agent closes its output.
func (r *reader) lines(ctx context.Context, agent *process.Process) error {
	r.partial = map[string]*streamEvent{}
	for {
		data, err := agent.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.line(ctx, data); err != nil {
			r.sink.Note(fmt.Sprintf("a line of claude was not read: %v", err))
		}
	}
}

func (r *reader) line(ctx context.Context, data []byte) error {
	var l streamLine
	if err := json.Unmarshal(data, &l); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if err := r.open(l.SessionID); err != nil {
		return err
	}
	switch l.Type {
	case "user", "assistant":
		r.working = true
		return r.message(ctx, &l, data)
	case "stream_event":
		return r.stream(ctx, &l)
	case "system":
		switch {
		case l.Subtype == "compact_boundary":
			return r.feed(ctx, data, &l)
		case l.Subtype == "status" && l.Status == "requesting":
			r.driver.goesOn()
		}
	case "command_lifecycle":
		if l.State == "started" {
			r.taken(ctx, l.CommandUUID)
		}
	case "result":
		return r.result(ctx, &l)
	case "control_request":
		return r.refuse(&l)
	}
	return nil
}

// open begins the session with its first line.
func (r *reader) open(id string) error {
	if id == "" || r.live != nil {
		return nil
	}
	live := Transcript.Live(id, transcript.Options{Run: r.driver.options.Run})
	r.live, r.session = live, sessionid.Valid(id)
	r.driver.setSession(r.session)
	return nil
}

func (r *reader) taken(ctx context.Context, uuid string) {
	if id := r.driver.heard(uuid); id != "" {
		r.sink.Delivered(ctx, id)
	}
}

// message feeds a line of the conversation; what we said ourselves is none.
func (r *reader) message(ctx context.Context, l *streamLine, data []byte) error {
	if l.Replay && r.driver.heard(l.UUID) != "" {
		r.taken(ctx, l.UUID)
		return nil
	}
	if l.Type == "assistant" && l.Parent == "" {
		r.show(l.Message)
	}
	return r.feed(ctx, data, l)
}

// feed records the line in the shape of a transcript's, and
// publishes what is whole.
func (r *reader) feed(ctx context.Context, data []byte, l *streamLine) error {
	if r.live == nil {
		return errors.New("no session id yet")
	}
	transcript, err := asTranscript(data, l)
	if err != nil {
		return err
	}
	if err := r.live.Record(transcript); err != nil {
		return err
	}
	if l.Type == "user" && len(r.partial) == 0 {
		r.live.Settle()
	}
	return r.publish(ctx, 0)
}

// asTranscript renames the members that the session files write otherwise.
func asTranscript(data []byte, l *streamLine) ([]byte, error) {
	var all members
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	all["sessionId"] = all["session_id"]
	if result, ok := all["tool_use_result"]; ok {
		all["toolUseResult"] = result
	}
	if l.Parent != "" { // a subagent, named by the call that made it
		all["agentId"], all["isSidechain"] = all["parent_tool_use_id"], json.RawMessage("true")
	}
	if _, dated := all["timestamp"]; !dated {
		all["timestamp"] = json.RawMessage(strconv.Quote(time.Now().UTC().Format(time.RFC3339Nano)))
	}
	return json.Marshal(all)
}

// streamEvent is an event of the API's stream.
type streamEvent struct {
	Type    string `json:"type"`
	Message struct {
		ID    string  `json:"id"`
		Model string  `json:"model"`
		Usage members `json:"usage"`
	} `json:"message"`
	Delta struct {
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage members `json:"usage"`
}

// stream follows where responses begin and end, and reads their tokens: the
// lines of the conversation have only those of the beginning.
func (r *reader) stream(ctx context.Context, l *streamLine) error {
	var e streamEvent
	if err := json.Unmarshal(l.Event, &e); err != nil {
		return fmt.Errorf("not an event of the stream: %w", err)
	}
	switch e.Type {
	case "message_start":
		r.partial[l.Parent] = &e
		r.driver.goesOn()
	case "message_delta":
		return r.tokens(ctx, l, &e)
	case "message_stop":
		delete(r.partial, l.Parent)
	}
	return nil
}

// tokens records the usage of the whole response, as a session file
// does with its last line.
func (r *reader) tokens(ctx context.Context, l *streamLine, e *streamEvent) error {
	begun := r.partial[l.Parent]
	if begun == nil || len(e.Usage) == 0 {
		return nil
	}
	usage := members{}
	maps.Copy(usage, begun.Message.Usage)
	maps.Copy(usage, e.Usage)
	last := map[string]any{"type": "assistant", "session_id": l.SessionID, "message": map[string]any{
		"id": begun.Message.ID, "model": begun.Message.Model, "content": []any{}, "usage": usage, "stop_reason": e.Delta.StopReason,
	}}
	if l.Parent != "" {
		last["parent_tool_use_id"] = l.Parent
	}
	data, err := json.Marshal(last)
	if err != nil {
		return err
	}
	return r.feed(ctx, data, l)
}

// publish hands on the events that are whole; cost belongs to the last turn.
func (r *reader) publish(ctx context.Context, cost float64) error {
	list := r.live.Take()
	for i := len(list) - 1; i >= 0 && cost > 0; i-- {
		if t, ok := list[i].Data.(*sessionevents.Turn); ok && t.Session == r.session {
			if t.Usage == nil {
				t.Usage = &sessionevents.Usage{}
			}
			t.Usage.CostUSD, cost = cost, 0
		}
	}
	return r.ledger.Hand(ctx, r.sink, list)
}

// show prints what the agent says.
func (r *reader) show(message json.RawMessage) {
	if r.driver.options.Output == nil {
		return
	}
	var m struct {
		Content []text `json:"content"`
	}
	if json.Unmarshal(message, &m) != nil {
		return // content of another shape; the transcript's reader reads it
	}
	for _, part := range m.Content {
		if part.Type == "text" && part.Text != "" {
			fmt.Fprintln(r.driver.options.Output, part.Text)
		}
	}
}

// result ends the task: its last turn is complete and has the cost.
func (r *reader) result(ctx context.Context, l *streamLine) error {
	if r.live == nil {
		return nil
	}
	r.failed = ""
	if l.IsError {
		r.failed = l.Subtype
		r.fail(l.Subtype)
	}
	r.working = false
	clear(r.partial)
	r.live.Flush()
	cost := l.TotalCost - r.spent
	r.spent = l.TotalCost
	err := r.publish(ctx, cost)
	r.driver.rest()
	r.sink.Idle(ctx, r.session)
	return err
}

// fail records a task that ended by an error as a failed turn (RW-35). A limit that
// was reached, and our own halt, are not failures of the agent.
func (r *reader) fail(subtype string) {
	switch {
	case r.driver.haltReason() != "":
	case subtype == "success": // the API's words are its result
		r.live.Fail(transcript.StopAPIError)
	case subtype == "error_during_execution":
		r.live.Fail(subtype)
	}
}

// refuse answers a question that a person would be asked: nobody is there.
func (r *reader) refuse(l *streamLine) error {
	r.sink.Note("claude asked for a decision; nobody is there to take it, so it was refused")
	return r.driver.agent.Write(map[string]any{"type": "control_response", "response": map[string]string{
		"subtype": "error", "request_id": l.RequestID, "error": "unattended: nobody is there to decide",
	}})
}

// close completes what is open and closes the sessions, subagents first.
func (r *reader) close(ctx context.Context) error {
	if r.live == nil {
		return errors.New("claude ended before its session began")
	}
	if r.working && r.driver.crashed(ctx) {
		r.live.Fail(transcript.StopCrashed)
	}
	r.live.Flush()
	ctx = context.WithoutCancel(ctx)
	problem := r.publish(ctx, 0)
	problem = errors.Join(problem, r.ledger.Close(ctx, r.sink, r.reason()))
	if r.failed != "" {
		problem = errors.Join(problem, fmt.Errorf("claude ended its task with %s", r.failed))
	}
	return problem
}

func (r *reader) reason() string {
	switch {
	case r.driver.haltReason() != "":
		return "halted"
	case r.failed != "":
		return r.failed
	}
	return "completed"
}
