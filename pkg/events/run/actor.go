package run

import (
	"encoding/json"
)

// ActorKind is the kind of party that sent a run event. Offline, in `scan`, human is the
// operator and infra the infrastructure; through NATS the credential decides and this
// field is only a claim (EV-10).
type ActorKind string

// Actor kinds.
const (
	ActorHuman        ActorKind = "human"
	ActorOrchestrator ActorKind = "orchestrator"
	ActorScout        ActorKind = "scout"
	ActorScaffold     ActorKind = "scaffold"
	ActorWaveAgent    ActorKind = "wave_agent"
	ActorInfra        ActorKind = "infra"
)

// PlanDocument is the actor id of facts read from a run's plan document (IN-10). A fact
// that such a document cannot show is not counted as missing.
const PlanDocument = "plan-document"

// Actor is the person or program that caused a run event.
type Actor struct {
	Kind ActorKind `json:"kind" jsonschema:"enum=human,enum=orchestrator,enum=scout,enum=scaffold,enum=wave_agent,enum=infra"`
	ID   string    `json:"id,omitempty"` // agent id, user name or host
}

// TextList is a list of texts; in JSON a bare string is read as a list of one.
type TextList []string

// UnmarshalJSON accepts an array of strings or one string.
func (l *TextList) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var one string
		if err := json.Unmarshal(b, &one); err != nil {
			return err
		}
		*l = TextList{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(l))
}
