package claudecode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/process"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reader turns the agent's lines into turns.
type reader struct {
	driver  *Driver
	sink    drive.Sink
	live    *transcript.Live
	session string
	ledger  drive.Ledger
	partial map[string]*streamEvent // beginnings of unfinished responses, by subagent
	spent   float64                 // in dollars, up to the last result
	failed  string                  // the error that the agent reported
	working bool                    // its task is not done
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
			r.sink.Note(fmt.Sprintf("a line from claude could not be read: %v", err))
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

// message feeds a line of the conversation, unless it is our own message.
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

// feed records the line in the form of a transcript, and publishes complete events.
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

// publish passes on complete events; cost belongs to the last turn.
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
		return // content of another shape; the transcript's reader handles it
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

// fail records a task that ended with an error as a failed turn (RW-35). Reaching a limit, or our own halt,
// is not a failure of the agent.
func (r *reader) fail(subtype string) {
	switch {
	case r.driver.haltReason() != "":
	case subtype == "success": // its result is the API's error text
		r.live.Fail(transcript.StopAPIError)
	case subtype == "error_during_execution":
		r.live.Fail(subtype)
	}
}

// refuse answers a question meant for a person, as nobody is present.
func (r *reader) refuse(l *streamLine) error {
	r.sink.Note("claude asked for a decision; nobody is present to make it, so it was refused")
	return r.driver.agent.Write(map[string]any{"type": "control_response", "response": map[string]string{
		"subtype": "error", "request_id": l.RequestID, "error": "unattended: nobody is present to decide",
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
