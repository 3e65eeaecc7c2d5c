package hook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Reply is the content of a reply. The zero value means nothing.
type Reply struct {
	Context string // a text for the model
	Deny    string // why the tool that is about to run is denied
	Halt    string // why the agent must stop
	// Person is what the person at the agent sees, unless the agent shows it anyway (CO-4).
	Person string
}

// Refusal returns why the tool that is about to run is denied: the halt's reason, else the denial's, "" if
// it is not.
func (r Reply) Refusal() string { return cmp.Or(r.Halt, r.Deny) }

// Unseen returns what the person must still see of the reply if the agent itself shows them the text for
// the model.
func (r Reply) Unseen() string {
	if r.Context == "" {
		return r.Person
	}
	return strings.TrimSpace(strings.Replace(r.Person, r.Context, "", 1))
}

// NotThePerson begins a text that makes an agent continue which passes it to the model as a message of the
// person, and to our own hook as a prompt. The rules (adapters) know it as not the person's (IN-3).
const NotThePerson = "Note of scaffoldwatch, not of the person: "

// maxText limits one text to what agents accept, in characters.
const maxText = 10_000

// Encode returns a reply in the agent's own JSON, as far as the agent accepts one at this event, otherwise
// `{}`. Accepts reports in advance whether it does.
func (e *Event) Encode(r Reply) ([]byte, error) {
	var out any = struct{}{}
	if reply := e.Dialect.Reply(e, Reply{Context: short(r.Context), Deny: short(r.Deny), Halt: short(r.Halt), Person: short(r.Person)}); reply != nil {
		out = reply
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode the reply to %s: %w", e.Name, err)
	}
	return data, nil
}

// Shows reports whether a text for the person can be part of the reply.
func (e *Event) Shows() bool { return e.Dialect.Reply(e, Reply{Person: "?"}) != nil }

// Accepts reports whether a text for the model can be part of the reply.
func (e *Event) Accepts() bool { return e.Dialect.Reply(e, Reply{Context: "?"}) != nil }

func short(s string) string { return text.Short(s, maxText) }

// Output is a reply in the form that Claude Code, Codex and Gemini CLI share.
type Output struct {
	Continue   *bool     `json:"continue,omitempty"`
	StopReason string    `json:"stopReason,omitempty"`
	Decision   string    `json:"decision,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Message    string    `json:"systemMessage,omitempty"` // for the person, never for the model
	Specific   *Specific `json:"hookSpecificOutput,omitempty"`
}

// Specific is the part of an Output that depends on the event.
type Specific struct {
	Event    string `json:"hookEventName"`
	Context  string `json:"additionalContext,omitempty"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}

// Context returns a reply with a text for the model, nil if there is none.
func Context(e *Event, text string) any {
	if text == "" {
		return nil
	}
	return Output{Specific: &Specific{Event: e.Name, Context: text}}
}

// Decided returns a reply with a decision and its reason, nil without a reason.
func Decided(decision, reason string) any {
	if reason == "" {
		return nil
	}
	return Output{Decision: decision, Reason: reason}
}

// Halted returns a reply that ends the agent's loop.
func Halted(reason string) Output { return Output{Continue: new(bool), StopReason: reason} }

// Refused returns a reply that denies the tool that is about to run or, if nothing denies it, a reply with
// a text for the model.
func Refused(e *Event, r Reply) any {
	if reason := r.Refusal(); reason != "" {
		return Output{Specific: &Specific{Event: e.Name, Decision: "deny", Reason: reason}}
	}
	return Context(e, r.Context)
}

// Shown adds what the person sees to a reply, which it creates if there is none.
func Shown(reply any, text string) any {
	if text == "" {
		return reply
	}
	out, _ := reply.(Output)
	out.Message = text
	return out
}

// Inject is where a text can reach the model.
type Inject string

// Places where a text can reach the model.
const (
	InjectMidTool      Inject = "mid-tool"      // with the next request, after a tool
	InjectTurnBoundary Inject = "turn boundary" // when a response ends
	InjectNone         Inject = "none"
)

// Halt is the effect of stopping an agent.
type Halt string

// Effects of stopping an agent.
const (
	HaltHard Halt = "hard" // no more tools run and no more requests are made
	HaltSoft Halt = "soft" // no more tools run; the model receives the reason until it ends
	HaltNone Halt = "none"
)

// Dialect is how one agent calls its hooks and which replies it accepts. What hooks can do was measured
// with the real command lines against mock models; for Cursor it is from the documentation.
type Dialect struct {
	Agent  string // as in agent.kind of turns
	Inject Inject
	Halt   Halt
	// Batches marks an agent that reports when all tool calls of a response are complete, so that this
	// event ends a turn rather than each call.
	Batches bool
	// Conversations marks an agent that identifies sessions by conversation_id.
	Conversations bool
	// Hooks are the hooks that are understood, by name.
	Hooks map[string]*Kind
	// Outcome completes the result of a call that did not fail.
	Outcome func(*sessionevents.Block, Result)
	// Reply returns the encoded form of a reply to an event, nil for nothing.
	Reply func(*Event, Reply) any
}

// Dialects is a list of dialects.
type Dialects []*Dialect

// Agents returns the agents of the dialects.
func (list Dialects) Agents() []string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.Agent
	}
	return names
}

// Named returns the dialect of an agent; the error lists the known ones.
func (list Dialects) Named(agent string) (*Dialect, error) {
	for _, d := range list {
		if d.Agent == agent {
			return d, nil
		}
	}
	return nil, fmt.Errorf("no agent called %q has hooks here; there are %s", agent, strings.Join(list.Agents(), ", "))
}
