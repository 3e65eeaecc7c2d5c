package run

import "encoding/json"

// Act is what a person does (operator.act).
type Act string

// Acts of a person.
const (
	ActAck     Act = "ack"     // has seen an interrupt or escalation
	ActDismiss Act = "dismiss" // an interrupt was a false positive
	ActMute    Act = "mute"
	ActUnmute  Act = "unmute"  // takes mutes of the same scope, detector and subject back
	ActHalt    Act = "halt"    // a run or session, by hand
	ActResume  Act = "resume"  // of a session; a run is resumed by run.resumed
	ActApprove Act = "approve" // of a phase without its handover
	ActAnswer  Act = "answer"  // to a question about a run
	ActReport  Act = "report"  // asks for a report
	ActAllow   Act = "allow"   // lets a denied tool call of a session run once; Target is the denial's word
	ActRestore Act = "restore" // wrote back the files of a snapshot, on the page; Target is its name

	ActAcknowledgeDamage Act = "acknowledge_damage" // known damage of the record (verify --acknowledge)
)

// OperatorAct is a person's answer, accepted only from an operator credential (EV-10).
type OperatorAct struct {
	Act     Act             `json:"act"`
	Session string          `json:"session,omitempty"`
	Run     string          `json:"run,omitempty"`
	Target  string          `json:"target,omitempty"` // id of the interrupt, break or request it answers
	By      string          `json:"by"`
	Why     string          `json:"why,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}
