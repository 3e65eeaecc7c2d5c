package hook

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
