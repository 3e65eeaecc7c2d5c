package run

import "encoding/json"

// OperatorAct is a person's answer, accepted only from an operator credential (EV-10).
type OperatorAct struct {
	Act     string          `json:"act"` // ack, dismiss, mute, unmute, resume, approve, recover, answer, report
	Session string          `json:"session,omitempty"`
	Run     string          `json:"run,omitempty"`
	Target  string          `json:"target,omitempty"` // id of the interrupt, break or request it answers
	By      string          `json:"by"`
	Why     string          `json:"why,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}
