package hookapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// Pattern is the route of the handler.
	Pattern = "POST /v1/hooks/{agent}"
	// ErrorHeader says why a call was not accepted.
	ErrorHeader = "X-Scaffoldwatch-Error"
	// Source is the CloudEvents source of what the handler publishes.
	Source = "/scaffoldwatch/hook"

	maxBody        = 16 << 20
	maxUnderway    = 256 << 20        // bytes of calls that are answered or recorded; more are refused
	bodyPatience   = 10 * time.Second // for a body that trickles in
	publishTimeout = 2 * time.Second
)

// Publisher records events in INPUT; *client.Publisher is one.
type Publisher interface {
	Event(ctx context.Context, e events.Event) (client.Receipt, error)
}

// Preflight judges a tool call before it runs (DP-24).
type Preflight func(Question) sessionevents.HookAnswer

// Question is a tool call that is about to run, with what is known of its session.
type Question struct {
	Event *hook.Event
	Run   string
	State runevents.Control
	Mutes []budget.Mute // that persons put in force
	Turn  int           // the call is part of, from 1
}

// Options are what a Handler needs.
type Options struct {
	Dialects  hook.Dialects // of the agents whose hooks are answered
	Mailbox   *mailbox.Mailbox
	Preflight Preflight // nil allows every call
	// Wait bounds how long the answer to a hook that ends a turn waits for the
	// decision about that very turn; 0 does not wait.
	Wait    time.Duration
	Metrics *obs.HookMetrics
	Log     *slog.Logger
}

// Handler answers hooks. It is safe for concurrent use.
type Handler struct {
	Options
	publisher atomic.Pointer[Publisher]
	messages  *messages
	underway  *semaphore.Weighted // of maxUnderway
}

// New makes a handler that answers 503 until a publisher is attached.
func New(o Options) *Handler {
	return &Handler{Options: o, messages: newMessages(), underway: semaphore.NewWeighted(maxUnderway)}
}

// Attach gives the handler its connection to INPUT.
func (h *Handler) Attach(p Publisher) { h.publisher.Store(&p) }

// problem is an answer that says nothing to the agent, and why.
type problem struct {
	status int
	err    error
}

// ServeHTTP answers one hook call.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	room := roomFor(r)
	if !h.underway.TryAcquire(room) {
		refuse(w, problem{http.StatusServiceUnavailable, errors.New("too many hook calls at once")})
		return
	}
	release := sync.OnceFunc(func() { h.underway.Release(room) })
	deadline := http.NewResponseController(w).SetReadDeadline // some servers know none
	_ = deadline(began.Add(bodyPatience))
	call, bad := h.read(r)
	_ = deadline(time.Time{})
	if bad == nil {
		call.release = release
		bad = call.handle(r.Context())
	}
	if call == nil || !call.recording {
		release()
	}
	if bad != nil {
		refuse(w, *bad)
		return
	}
	send(w, http.StatusOK, call.body)
	h.Metrics.Answered(call.event.Dialect.Agent, string(call.event.Point), time.Since(began), call.said != "", call.reply.Halt != "")
	call.record(context.WithoutCancel(r.Context()))
}

// roomFor is what a call may hold in memory, from one that says too little.
func roomFor(r *http.Request) int64 {
	if r.ContentLength >= 0 && r.ContentLength <= maxBody {
		return max(r.ContentLength, 1<<10)
	}
	return maxBody
}

func refuse(w http.ResponseWriter, p problem) {
	w.Header().Set(ErrorHeader, headerValue(p.err.Error()))
	send(w, p.status, []byte("{}"))
}

// send writes a whole answer, so that what is done after it costs the agent nothing.
func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
	if flusher, ok := w.(http.Flusher); ok {
		flusher.Flush()
	}
}

// read parses the request.
func (h *Handler) read(r *http.Request) (*call, *problem) {
	agent, err := h.Dialects.Named(r.PathValue("agent"))
	if err != nil {
		return nil, &problem{http.StatusNotFound, err}
	}
	// A page in a browser cannot send this type to another origin unasked.
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return nil, &problem{http.StatusUnsupportedMediaType, errors.New("send the hook's JSON as Content-Type: application/json")}
	}
	run := r.URL.Query().Get("run")
	if run != "" && !events.ValidID(run) {
		return nil, &problem{http.StatusBadRequest, errors.New("run is not a run id: ids are 1 to 128 of A-Z a-z 0-9 _ -")}
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, &problem{http.StatusRequestEntityTooLarge, fmt.Errorf("more than %d bytes", maxBody)}
	}
	if err != nil {
		return nil, &problem{http.StatusBadRequest, fmt.Errorf("read the request: %w", err)}
	}
	event, err := agent.Parse(body)
	if err != nil {
		return nil, &problem{http.StatusBadRequest, err}
	}
	publisher := h.publisher.Load()
	if publisher == nil {
		return nil, &problem{http.StatusServiceUnavailable, errors.New("not connected to NATS yet")}
	}
	return &call{Handler: h, publisher: *publisher, event: event, payload: events.ValidUTF8(body), run: run}, nil
}

// headerValue keeps a message to one printable line.
func headerValue(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c < 0x20 || c > 0x7e {
			out[i] = ' '
		}
	}
	return string(out[:min(len(out), 300)])
}
