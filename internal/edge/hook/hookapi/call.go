package hookapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// call is one hook call being answered.
type call struct {
	*Handler
	publisher Publisher
	event     hook.Event
	payload   json.RawMessage
	run       string
	elsewhere bool        // the workspace is not visible here
	judged    wire.Judged // what the hook judged where the agent runs
	trace     string      // trace context of the record of the call (W3C)

	reply  hook.Reply
	answer Answer // about the tool that is about to run; zero if not asked
	said   string // id of the interrupt in the reply
	facts  []mailbox.Fact
	body   []byte

	ended     *mailbox.Wait // for the turn of a response that is complete, nil where nobody wants to know
	release   func()        // returns the room that the call uses
	recording bool          // the recorder releases the room
}

// ackPatience is how long an agent waits until its call is recorded; together with the default wait for a
// decision, an answer takes at most 50 ms. A slower broker records the call after the answer.
const ackPatience = 20 * time.Millisecond

// handle records the call and determines the reply.
func (c *call) handle(ctx context.Context) *problem {
	id := rand.Text()
	c.trace = newTrace()
	c.open(ctx)
	if c.Seen != nil {
		c.Seen(c.local())
	}
	c.judge()
	wait := c.expect()
	if wait != nil {
		defer wait.End()
	}
	if c.Stopped != nil && !c.elsewhere && c.event.Workspace != "" && c.event.Reported() != "" {
		c.ended = c.Mailbox.Expect(c.trace)
	}
	if err := c.recorded(ctx, id); err != nil {
		return &problem{http.StatusServiceUnavailable, err}
	}
	c.facts = c.Mailbox.Progress(c.event.Speaker, c.event.Point)
	if wait != nil {
		limit, cancel := context.WithTimeout(ctx, c.Wait)
		defer cancel()
		wait.For(limit)
	}
	c.decide(ctx)
	var err error
	if c.body, err = c.event.Encode(c.reply); err != nil {
		return &problem{http.StatusInternalServerError, err}
	}
	return nil
}

// openPatience is how long the first call of a session since the start waits until what is recorded of it is
// read. Where that takes longer, what is pending is said with a later call.
const openPatience = 250 * time.Millisecond

func (c *call) open(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	c.Mailbox.Open(ctx, c.event.Speaker, c.event.Session, c.run)
}

// local returns the event as seen here: without a workspace that is on another machine.
func (c *call) local() *hook.Event {
	if !c.elsewhere {
		return &c.event
	}
	e := c.event
	e.Workspace = ""
	return &e
}

// recorded publishes the call and waits briefly until it is stored. It returns an error only if publishing
// failed within that time.
func (c *call) recorded(ctx context.Context, id string) error {
	before, payload := c.messages.take(c.event.Speaker, c.event.Chunk, c.payload)
	if before == nil && payload == nil {
		return nil // a piece of a message
	}
	done := make(chan error, 1)
	c.recording = true
	earlier, recorded := c.responses.order(c.event.Session, c.event.Point == hook.PointStop)
	go func() {
		defer c.release()
		defer recorded()
		<-earlier
		err := c.publish(context.WithoutCancel(ctx), id, before, payload)
		if err != nil {
			c.Metrics.Failed(c.event.Dialect.Agent)
			c.Log.Warn("a hook call was not recorded", "agent", c.event.Dialect.Agent, "hook", c.event.Name, "error", err)
		}
		done <- err
	}()
	patience := time.NewTimer(ackPatience)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
		return nil
	}
}

// expect starts waiting if a decision about the turn that ends here could still go into the answer.
func (c *call) expect() *mailbox.Wait {
	if c.Wait <= 0 || !c.event.EndsTurn() || !c.event.Accepts() || !c.Mailbox.Ready() {
		return nil
	}
	return c.Mailbox.Expect(c.trace)
}

// newTrace returns a new trace context of a trace that is not sampled.
func newTrace() string {
	var id [24]byte
	_, _ = rand.Read(id[:]) // it never fails
	return fmt.Sprintf("00-%x-%x-00", id[:16], id[16:])
}

// decide fills in the reply: a halt, else a denial, else whatever is pending.
func (c *call) decide(ctx context.Context) {
	state := c.Mailbox.State(c.event.Speaker, c.event.Session, c.run)
	work := control.Step
	if c.event.Point == hook.PointPrompt {
		work = control.Task
	}
	if control.Stops(state.State, work) {
		c.reply.Halt = haltText(state)
	}
	switch c.answer.Decision {
	case preflight.Deny:
		c.reply.Deny = c.answer.Text
	case preflight.Warn:
		c.reply.Context = c.answer.Text
		if c.answer.Class == preflight.ClassDestructive {
			c.reply.Person = c.answer.Text // CO-4
		}
	}
	c.addJudged()
	if c.reply.Halt == "" && c.event.Point != hook.PointBeforeTool && c.event.Accepts() {
		said := c.interrupt(ctx)
		c.reply.Context, c.reply.Person = both(c.reply.Context, said), both(c.reply.Person, said)
	}
	if c.event.Point == hook.PointPrompt && c.Allowed != nil && c.judged.Context == "" {
		if said := c.Allowed(&c.event); said != "" {
			c.reply.Context, c.reply.Person = strings.TrimSpace(said+"\n"+c.reply.Context), strings.TrimSpace(said+"\n"+c.reply.Person)
		}
	}
	c.hear()
	if refusal := c.reply.Refusal(); refusal != "" {
		c.reply.Person = refusal
	}
	if c.reply.Halt == "" && (c.reply.Deny != "" || c.answer.Begins != "" && c.reply.Context != "") {
		c.Mailbox.Denied(mailbox.Denial{
			Session: c.event.Speaker, Detector: c.answer.Rule, Text: c.answer.Text, Begins: c.answer.Begins, Channel: "hook:" + c.event.Dialect.Agent + ":" + c.event.Name,
			Refused: c.reply.Deny != "",
		})
	}
}

// adopt adopts the hook's own judgement where it is stricter.
func (c *call) adopt(turn int) {
	d := c.judged.Decided
	if d == nil || c.answer.Decision == preflight.Deny || c.answer.Decision == preflight.Warn && d.Verdict != preflight.Deny {
		return
	}
	d.Session, d.Run, d.Turn, d.Alone, d.Agent, d.Call = c.event.Speaker, c.run, turn, false, c.event.Dialect.Agent, c.event.Tool.ID
	c.answer.Decided = d
	c.answer.HookAnswer = sessionevents.HookAnswer{
		Decision: d.Verdict, Class: d.Class, Rule: d.Rule, Text: d.Text, Reason: "the hook judged it where the agent runs",
	}
}

// addJudged adds what else the hook says, such as that a person lifted a denial.
func (c *call) addJudged() {
	if c.reply.Deny == "" {
		c.reply.Deny = c.judged.Deny
	}
	c.reply.Context, c.reply.Person = both(c.reply.Context, c.judged.Context), both(c.reply.Person, c.judged.Person)
}

// both joins two texts, either of which may be empty or contained in the other.
func both(a, b string) string {
	if strings.Contains(a, b) {
		return a
	}
	return strings.TrimSpace(a + "\n" + b)
}

// hear adds what subagents of the session received, which its agent and person see once (CO-9).
func (c *call) hear() {
	if c.event.Speaker != c.event.Session || c.reply.Refusal() != "" || c.event.Point == hook.PointBeforeTool || !c.event.Accepts() {
		return
	}
	if said := strings.Join(c.Mailbox.Heard(c.event.Session), "\n"); said != "" {
		c.reply.Context, c.reply.Person = both(c.reply.Context, said), both(c.reply.Person, said)
	}
}

// judge judges a tool that is about to run, before the call is recorded, so that the record contains the
// answer.
func (c *call) judge() {
	if c.event.Point != hook.PointBeforeTool || c.Preflight == nil || c.event.Tool.Name == "" {
		return
	}
	mutes, turn := c.Mailbox.Mutes(c.event.Speaker, c.event.Session, c.run)
	state := c.Mailbox.State(c.event.Speaker, c.event.Session, c.run)
	c.answer = c.Preflight(Question{
		Event: c.local(), Run: c.run, State: state, Mutes: mutes, Turn: turn, Elsewhere: c.elsewhere,
	})
	c.adopt(turn)
	if c.answer.Decision != preflight.Allow {
		c.Log.Info("answered before a tool", "agent", c.event.Dialect.Agent, "session", c.event.Speaker, "decision", c.answer.Decision,
			"class", c.answer.Class, "rule", c.answer.Rule, "reason", c.answer.Reason)
	}
}

// answered returns the answer as it is recorded with the call, nil if the call is simply permitted.
func (c *call) answered() *sessionevents.HookAnswer {
	if c.answer.Decision == "" || c.answer.Decision == preflight.Allow && c.answer.Reason == "" {
		return nil
	}
	return &c.answer.HookAnswer
}

func haltText(state runevents.Control) string {
	return fmt.Sprintf(
		"⚡ SCAFFOLD-WATCH HALT: this session is %s (%s). A person decides how to continue.", state.State,
		quote.Line(control.Reason(state)),
	)
}

// interrupt returns the text of the session's pending interrupt, which it records as emitted beforehand:
// the text may be lost in transit, but is never emitted twice (DP-21).
func (c *call) interrupt(ctx context.Context) string {
	fired := c.Mailbox.Next(c.event.Speaker)
	if fired == nil {
		return ""
	}
	fact := sessionevents.InterruptDelivery{
		Interrupt: fired.ID, Session: fired.Session, Turn: fired.Turn, State: sessionevents.DeliveryEmitted,
		Channel: "hook:" + c.event.Dialect.Agent + ":" + c.event.Name, By: mailbox.By,
	}
	if c.event.Dialect.Inject == hook.InjectNone {
		fact.State = sessionevents.DeliveryUnsupported
	}
	earlier, err := c.recordSaying(ctx, mailbox.Fact{Run: fired.Run, InterruptDelivery: fact})
	if err != nil {
		c.Log.Warn("an interrupt is held until the next hook: it cannot be recorded", "interrupt", fired.ID, "error", err)
		return ""
	}
	first := c.Mailbox.Emitted(fact, c.event.Dialect.Batches && c.event.Point == hook.PointAfterTool)
	if earlier || !first || fact.State != sessionevents.DeliveryEmitted {
		return ""
	}
	c.said = fired.ID
	return fired.Headline + "\n" + quote.Line(fired.Message) + fired.Handle()
}

// recordSaying records that an interrupt is about to be emitted, and reports whether that was recorded
// earlier: of several instances, the one whose record INPUT stored first emits it (DP-21).
func (c *call) recordSaying(ctx context.Context, fact mailbox.Fact) (earlier bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	e := factEvent(fact)
	receipt, err := c.publisher.Event(ctx, e)
	if err == nil {
		earlier, err = c.publisher.SentBefore(ctx, e, receipt.Sequence)
	}
	if err != nil {
		return false, fmt.Errorf("record that interrupt %s was %s: %w", fact.Interrupt, fact.State, err)
	}
	return earlier, nil
}

// tell records a fact about an interrupt.
func (c *call) tell(ctx context.Context, fact mailbox.Fact) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	if _, err := c.publisher.Event(ctx, factEvent(fact)); err != nil {
		return fmt.Errorf("record that interrupt %s was %s: %w", fact.Interrupt, fact.State, err)
	}
	return nil
}

// factEvent returns the event of a fact. Its id is derived from interrupt and state, so that a fact counts
// once.
func factEvent(fact mailbox.Fact) events.Event {
	e := events.Event{
		ID: events.DerivedID(
			"hook", fact.Interrupt, string(fact.State), 0,
		), Source: Source, Type: sessionevents.TypeInterruptDelivery,
		Subject: fact.Session, PartitionKey: fact.Run, Correlation: fact.Run, Data: &fact.InterruptDelivery,
	}
	if e.PartitionKey == "" {
		e.PartitionKey = e.Subject
	}
	return e
}

// evaluatedPatience is how long a response's last turn may take to be evaluated.
const evaluatedPatience = 30 * time.Second

// stopped passes a complete response on beside everything else, once its last turn is evaluated; where that
// takes too long it is left out: its number is not known.
func (c *call) stopped() {
	if c.ended == nil {
		return
	}
	go func() {
		defer c.ended.End()
		limit, cancel := context.WithTimeout(context.Background(), evaluatedPatience)
		defer cancel()
		if !c.ended.For(limit) {
			return
		}
		_, open := c.Mailbox.Mutes(c.event.Speaker, c.event.Session, c.run)
		c.Stopped(&c.event, c.run, open-1)
	}()
}

// record publishes, after the answer, what became of earlier interrupts.
func (c *call) record(ctx context.Context) {
	for _, fact := range append(c.facts, c.Mailbox.Settled()...) {
		if err := c.tell(ctx, fact); err != nil {
			c.Log.Warn("a fact about an interrupt is not recorded", "error", err)
		}
	}
}
