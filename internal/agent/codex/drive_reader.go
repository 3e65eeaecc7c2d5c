package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/process"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/sessionid"
)

// reader turns the agent's notifications into turns.
type reader struct {
	driver *Driver
	sink   drive.Sink
	agent  *process.Process
	ledger drive.Ledger
	byID   map[string]*thread
	at     time.Time // time of the message being read
	failed string    // the error that the agent reported
}

// thread is one conversation of the agent. Its turn is guarded by the driver's lock, the rest belongs to
// the reader.
type thread struct {
	id, session string
	live        *transcript.Live
	turn        string // the turn in progress, "" when idle
	plans       int
	running     map[string]bool   // calls without a result
	held        []json.RawMessage // results, until the response is complete
	ran         bool              // one of them is a tool's
	counts      bool              // tokens are counted, which shows where a response ends
	counted     bool              // the token count arrived before the tools were done
}

// notification holds the parameters of any notification.
type notification struct {
	ThreadID   string      `json:"threadId"`
	Thread     *threadInfo `json:"thread"`
	Turn       *turnInfo   `json:"turn"`
	Item       *threadItem `json:"item"`
	TurnID     string      `json:"turnId"`
	TokenUsage struct {
		Last *tokens `json:"last"`
	} `json:"tokenUsage"`
	Plan []planStep `json:"plan"`
}

type threadInfo struct {
	ID     string `json:"id"`
	Parent string `json:"parentThreadId"`
	Role   string `json:"agentRole"`
	CWD    string `json:"cwd"`
	Model  string `json:"model"`
}

type turnInfo struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

type tokens struct {
	Input      int64 `json:"inputTokens"`
	Cached     int64 `json:"cachedInputTokens"`
	CacheWrite int64 `json:"cacheWriteInputTokens"`
	Output     int64 `json:"outputTokens"`
}

// messages reads until the agent closes its output.
func (r *reader) messages(ctx context.Context) error {
	r.byID = map[string]*thread{}
	for {
		data, err := r.agent.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.message(ctx, data); err != nil {
			r.sink.Note(fmt.Sprintf("a message from codex could not be read: %v", err))
		}
	}
}

func (r *reader) message(ctx context.Context, data []byte) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("not a message: %w", err)
	}
	switch {
	case m.Method == "":
		r.driver.rpc.answered(m)
	case len(m.ID) > 0:
		return r.refuse(m)
	default:
		r.at = time.Now()
		if m.EmittedAt > 0 {
			r.at = time.UnixMilli(m.EmittedAt)
		}
		var n notification
		if err := json.Unmarshal(m.Params, &n); err != nil {
			return fmt.Errorf("%s: %w", m.Method, err)
		}
		return r.notification(ctx, m.Method, &n)
	}
	return nil
}

func (r *reader) notification(ctx context.Context, method string, n *notification) error {
	if method == "thread/started" && n.Thread != nil {
		return r.thread(n.Thread)
	}
	t := r.byID[n.ThreadID]
	if t == nil {
		return nil
	}
	switch method {
	case "turn/started":
		if n.Turn != nil {
			r.setTurn(t, n.Turn.ID)
		}
	case "item/started", "item/completed":
		if n.Item != nil {
			return r.item(ctx, t, n.Item, method == "item/completed")
		}
	case "turn/plan/updated":
		return r.feed(ctx, t, t.plan(n.TurnID, n.Plan))
	case "thread/tokenUsage/updated":
		return r.response(ctx, t, n.TokenUsage.Last)
	case "turn/completed":
		return r.completed(ctx, t, n.Turn)
	}
	return nil
}

// thread begins a conversation; one that another started names it.
func (r *reader) thread(info *threadInfo) error {
	if info.ID == "" || r.byID[info.ID] != nil {
		return nil
	}
	live := Transcript.Live(info.ID, transcript.Options{Run: r.driver.options.Run})
	t := &thread{id: info.ID, session: sessionid.Valid(info.ID), live: live, running: map[string]bool{}}
	r.byID[t.id] = t
	r.driver.mu.Lock()
	r.driver.threads[t.session] = t
	r.driver.mu.Unlock()
	return r.record(t, meta(info))
}

func (r *reader) setTurn(t *thread, id string) {
	r.driver.mu.Lock()
	defer r.driver.mu.Unlock()
	t.turn = id
}

// item feeds an item, unless it is our own message.
func (r *reader) item(ctx context.Context, t *thread, i *threadItem, completed bool) error {
	if !completed && !t.counts && t.ran && len(t.running) == 0 {
		if err := r.respond(ctx, t); err != nil { // the model continues: what ran belongs to the previous response
			return err
		}
	}
	if i.Type == "userMessage" {
		if id := r.driver.heard(i.Content.Text()); id != "" {
			r.sink.Delivered(ctx, id)
			return nil
		}
	}
	if completed && i.Type == "agentMessage" && r.driver.options.Output != nil {
		fmt.Fprintln(r.driver.options.Output, i.Text)
	}
	err := r.feed(ctx, t, t.records(i, completed))
	if t.counted && len(t.running) == 0 {
		t.counted = false
		err = errors.Join(err, r.respond(ctx, t))
	}
	return err
}

// feed records lines and publishes complete events.
func (r *reader) feed(ctx context.Context, t *thread, records []json.RawMessage) error {
	for _, record := range records {
		if err := r.record(t, record); err != nil {
			return err
		}
	}
	return r.ledger.Hand(ctx, r.sink, t.live.Take())
}

// record passes one line to the transcript's reader, with the time it was sent.
func (r *reader) record(t *thread, line json.RawMessage) error {
	return t.live.Record(append(fmt.Appendf(nil, `{"timestamp":%q,`, r.at.UTC().Format(time.RFC3339Nano)), line[1:]...))
}

// response handles the token count that ends each response of the model; usually it follows the response's
// tools.
func (r *reader) response(ctx context.Context, t *thread, last *tokens) error {
	if last == nil {
		return nil
	}
	t.counts, t.counted = true, len(t.running) > 0
	if err := r.record(t, last.record()); err != nil {
		return err
	}
	if t.counted {
		return nil
	}
	return r.respond(ctx, t)
}

// respond completes the response with the results of its tools.
func (r *reader) respond(ctx context.Context, t *thread) error {
	for _, record := range t.release() {
		if err := r.record(t, record); err != nil {
			return err
		}
	}
	t.live.Settle()
	return r.ledger.Hand(ctx, r.sink, t.live.Take())
}

// completed ends the task of a thread.
func (r *reader) completed(ctx context.Context, t *thread, turn *turnInfo) error {
	r.setTurn(t, "")
	how := "task_complete"
	if turn != nil {
		r.failed = ""
		if turn.Status == "interrupted" {
			how = "turn_aborted"
		}
		if turn.Error != nil {
			r.failed = turn.Error.Message
		}
	}
	ends := []json.RawMessage{event(how, nil)}
	if turn != nil && turn.Error != nil && how != "turn_aborted" {
		ends = append([]json.RawMessage{event("error", nil)}, ends...)
	}
	for _, record := range append(t.release(), ends...) {
		if err := r.record(t, record); err != nil {
			return err
		}
	}
	t.live.Flush()
	t.counted = false
	clear(t.running)
	err := r.ledger.Hand(ctx, r.sink, t.live.Take())
	r.driver.rest()
	r.sink.Idle(ctx, t.session)
	return err
}

// refuse answers a question meant for a person, as nobody is present.
func (r *reader) refuse(m message) error {
	r.sink.Note(fmt.Sprintf("codex asked %s; nobody is present to decide, so it was declined", m.Method))
	if strings.HasSuffix(m.Method, "/requestApproval") {
		return r.agent.Write(map[string]any{"id": m.ID, "result": map[string]string{"decision": "decline"}})
	}
	return r.agent.Write(map[string]any{"id": m.ID, "error": callError{Code: -32601, Message: "unattended: nobody is present to decide"}})
}

// close completes what is open and closes the sessions.
func (r *reader) close(ctx context.Context) error {
	var problems []error
	for _, t := range r.byID {
		for _, record := range t.release() {
			problems = append(problems, r.record(t, record))
		}
		if r.driver.crashed(ctx, t) {
			t.live.Fail(transcript.StopCrashed)
		}
		t.live.Flush()
		problems = append(problems, r.ledger.Hand(context.WithoutCancel(ctx), r.sink, t.live.Take()))
	}
	ctx = context.WithoutCancel(ctx)
	reason := "completed"
	switch {
	case r.driver.haltReason() != "":
		reason = "halted"
	case r.failed != "":
		reason = "failed"
		problems = append(problems, fmt.Errorf("codex failed: %s", r.failed))
	}
	return errors.Join(append(problems, r.ledger.Close(ctx, r.sink, reason))...)
}
