package hookapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/sameplace"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
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
	// ErrorHeader gives the reason why a call was not accepted.
	ErrorHeader = wire.ErrorHeader
	// Source is the CloudEvents source of what the handler publishes.
	Source = wire.Source

	maxBody        = 16 << 20
	copies         = 4                // copies of a body that exist at the same time
	maxUnderway    = copies * maxBody // bytes of calls in progress; further calls wait and are then rejected
	bodyPatience   = 10 * time.Second // for a slow body
	roomPatience   = 2 * time.Second  // for space within maxUnderway
	publishTimeout = 2 * time.Second  // of publications that an answer waits for
	// recordPatience is how long recording a call in the background is retried: longer than a frozen server
	// delays the connection.
	recordPatience = 30 * time.Second
)

// Publisher records events in INPUT, as a [client.Publisher] does.
type Publisher interface {
	Event(ctx context.Context, e events.Event) (client.Receipt, error)
	// SentBefore reports whether INPUT holds an event with the same source and id
	// before a sequence.
	SentBefore(ctx context.Context, e events.Event, sequence uint64) (bool, error)
}

// Preflight judges a tool call before it runs (DP-24).
type Preflight func(Question) Answer

// Answer is an answer, with the beginning of an interrupt about the same thing, which is then not emitted
// as well; "" means the answer's own text.
type Answer struct {
	sessionevents.HookAnswer
	Begins string
	// Decided is what is recorded of the answer in addition to the call, nil for nothing (GD-21).
	Decided *sessionevents.GuardDecided
}

// Question is a tool call that is about to run, with what is known about its session.
type Question struct {
	Event *hook.Event
	Run   string
	State runevents.Control
	Mutes []budget.Mute // in force by a person's decision
	Turn  int           // the turn that the call is part of, from 1
	// Elsewhere means that the workspace is not visible here: the effects of the call were judged there.
	Elsewhere bool
}

// Options configure a Handler.
type Options struct {
	Dialects  hook.Dialects // dialects of the agents whose hooks are answered
	Mailbox   *mailbox.Mailbox
	Preflight Preflight // nil allows every call
	// Seen, if set, is called for every hook before it is judged.
	Seen func(*hook.Event)
	// Look inspects the workspace when a response is complete, before the response is recorded, so that its
	// claims are judged by what is there (JD-20). Nil inspects nothing.
	Look func(*hook.Event) *sessionevents.WorkspaceObserved
	// Stopped takes a response that is complete in a workspace that is seen here, with the turn that it
	// ended, once that is evaluated (JD-21); nil takes none.
	Stopped func(e *hook.Event, run string, turn int)
	// Allowed takes a person's prompt that lifts a denial and returns what is said of it, "" for any
	// other prompt (GD-11); nil lifts none.
	Allowed func(*hook.Event) string
	// Spool stores the guard's answers while the broker does not accept them (GD-21); nil drops them.
	Spool func(events.Event) error
	// Wait limits how long the answer to a hook that ends a turn waits for the decision about that turn; 0
	// does not wait.
	Wait time.Duration
	// Tokens is the folder of the agents' tokens, see package hooktoken; "" requires none.
	Tokens  string
	Metrics *obs.HookMetrics
	Log     *slog.Logger
}

// Handler answers hooks. It is safe for concurrent use.
type Handler struct {
	Options
	publisher atomic.Pointer[Publisher]
	messages  *messages
	responses *responses
	underway  *semaphore.Weighted // limited to maxUnderway
}

// New returns a handler that answers 503 until a publisher is attached.
func New(o Options) *Handler {
	return &Handler{Options: o, messages: newMessages(), responses: newResponses(), underway: semaphore.NewWeighted(maxUnderway)}
}

// Attach sets the handler's connection to INPUT.
func (h *Handler) Attach(p Publisher) { h.publisher.Store(&p) }

// Guard returns the handler for authenticated callers: with the token of the whole interface, "" for none,
// or with that of the agent that they act for.
func (h *Handler) Guard(token string) http.Handler {
	if token == "" && h.Tokens == "" {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given := httpapi.Bearer(r); token != "" && httpapi.Equal(given, token) || h.permits(r.PathValue("agent"), given) {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, problem{http.StatusUnauthorized, errors.New("a token is required: run `scaffoldwatch install`, " +
			"on another machine put the agent's token there (docs/install.md), " +
			"or set SCAFFOLDWATCH_HOOK_TOKEN where the agent runs")})
	})
}

// permits reports whether a token belongs to an agent.
func (h *Handler) permits(agent, given string) bool {
	if _, err := h.Dialects.Named(agent); err != nil || h.Tokens == "" {
		return false // the name may contain anything, even a path
	}
	return hooktoken.Permits(h.Tokens, agent, given)
}

// problem is a response without content for the agent, and its reason.
type problem struct {
	status int
	err    error
}

// ServeHTTP answers one hook call.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	room := roomFor(r)
	if !h.acquire(r.Context(), room) {
		if agent, err := h.Dialects.Named(r.PathValue("agent")); err == nil {
			h.Metrics.Failed(agent.Agent)
		}
		refuse(w, problem{http.StatusServiceUnavailable, errors.New("too many hook calls at once")})
		return
	}
	release := sync.OnceFunc(func() { h.underway.Release(room) })
	deadline := http.NewResponseController(w).SetReadDeadline // not supported by every server
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
	call.stopped()
}

// acquire waits briefly for space: the sender keeps the body meanwhile.
func (h *Handler) acquire(ctx context.Context, room int64) bool {
	if h.underway.TryAcquire(room) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, roomPatience)
	defer cancel()
	return h.underway.Acquire(ctx, room) == nil
}

// roomFor returns the memory to reserve for a call, whose body exists several times while it is read and
// recorded; the maximum if the call does not give its length.
func roomFor(r *http.Request) int64 {
	if r.ContentLength >= 0 && r.ContentLength <= maxBody {
		return copies * max(r.ContentLength, 1<<10)
	}
	return copies * maxBody
}

func refuse(w http.ResponseWriter, p problem) {
	w.Header().Set(ErrorHeader, headerValue(p.err.Error()))
	send(w, p.status, []byte("{}"))
}

// send writes the complete answer, so that work done afterwards does not delay the agent.
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
	// A page in a browser cannot send this type to another origin without permission.
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return nil, &problem{http.StatusUnsupportedMediaType, errors.New("send the hook's JSON as Content-Type: application/json")}
	}
	run := r.URL.Query().Get("run")
	if run != "" && !events.ValidID(run) {
		return nil, &problem{http.StatusBadRequest, errors.New("run is not a run id: ids are 1 to 128 of A-Z a-z 0-9 _ -")}
	}
	body, err := readBody(r)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, &problem{http.StatusRequestEntityTooLarge, fmt.Errorf("more than %d bytes", maxBody)}
	}
	if err != nil {
		return nil, &problem{http.StatusBadRequest, fmt.Errorf("read the request: %w", err)}
	}
	if record.Crowded(body) {
		return nil, &problem{http.StatusRequestEntityTooLarge, errors.New("the hook's JSON has too many values")}
	}
	event, err := agent.Parse(body)
	if err != nil {
		return nil, &problem{http.StatusBadRequest, err}
	}
	publisher := h.publisher.Load()
	if publisher == nil {
		return nil, &problem{http.StatusServiceUnavailable, errors.New("not connected to NATS yet")}
	}
	c := &call{Handler: h, publisher: *publisher, event: event, payload: events.ValidUTF8(body), run: run}
	return c, c.place(r.Header)
}

// place determines whether the workspace is the one visible here. If not, it asks the hook to judge first
// what the call would destroy: Git is asked where the agent runs, never on a machine that has another
// folder of that name (GD-20).
func (c *call) place(header http.Header) *problem {
	place := header.Get(wire.PlaceHeader)
	if place == "" || c.event.Workspace == "" || sameplace.Same(place, c.event.Workspace) {
		return nil
	}
	c.elsewhere = true
	given := header.Get(wire.JudgedHeader)
	if given == "" {
		if !judgedFirst(&c.event) {
			return nil
		}
		return &problem{http.StatusPreconditionRequired, errors.New("this service cannot see the workspace: the hook must judge first what a call destroys")}
	}
	var err error
	if c.judged, err = wire.DecodeJudged(given); err != nil {
		return &problem{http.StatusBadRequest, err}
	}
	return nil
}

// judgedFirst reports whether the guard needs an event: the beginning of a session, its person's prompts,
// and calls that are about to run.
func judgedFirst(e *hook.Event) bool {
	return e.Point == hook.PointBeforeTool || e.Point == hook.PointPrompt || e.Point == hook.PointOther
}

// readBody reads a body into no more memory than its length, if that is given.
func readBody(r *http.Request) ([]byte, error) {
	var body bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= maxBody {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := body.ReadFrom(http.MaxBytesReader(nil, r.Body, maxBody))
	return body.Bytes(), err
}

// headerValue reduces a message to one printable line.
func headerValue(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c < 0x20 || c > 0x7e {
			out[i] = ' '
		}
	}
	return string(out[:min(len(out), 300)])
}
