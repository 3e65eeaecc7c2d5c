package run

import "encoding/json"

// Act is an act of a person (operator.act).
type Act string

// Acts of a person.
const (
	ActAck     Act = "ack"     // a person has seen an interrupt or escalation
	ActDismiss Act = "dismiss" // an interrupt was a false positive
	ActMute    Act = "mute"
	ActUnmute  Act = "unmute"  // withdraws mutes of the same scope, detector and subject
	ActHalt    Act = "halt"    // a run or session, by hand
	ActResume  Act = "resume"  // of a session; a run is resumed by run.resumed
	ActApprove Act = "approve" // of a phase without a handover
	ActAnswer  Act = "answer"  // to a question about a run
	ActReport  Act = "report"  // requests a report
	ActAllow   Act = "allow"   // allows a denied tool call of a session once; Target is the denial's word
	ActRestore Act = "restore" // restored the files of a snapshot, on the page; Target is its name

	ActAcknowledgeDamage  Act = "acknowledge_damage"  // of known damage in the record (verify --acknowledge)
	ActAcknowledgeLetters Act = "acknowledge_letters" // of dead letters that a person saw, or sent again (dead ack, dead retry)
)

// RecordID is the session and group of acts about the whole record. No agent uses it.
const RecordID = "scaffoldwatch-record"

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
