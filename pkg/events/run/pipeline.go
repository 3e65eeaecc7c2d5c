package run

import "encoding/json"

// ContractRegistered adds an external handoff contract (PL-5).
type ContractRegistered struct {
	Actor   Actor           `json:"actor"`
	Ref     string          `json:"ref"`     // e.g. acme.release_handoff
	Version int             `json:"version"` // from 1
	Schema  json.RawMessage `json:"schema"`  // JSON Schema of the artifact
	Hash    string          `json:"hash,omitempty"`
}

// ContextSection is one piece of an assembled context.
type ContextSection struct {
	Name   string `json:"name"`
	Tier   *int   `json:"tier,omitempty"` // 0 always included and uncounted … 2; absent: not stated, and counted
	Bytes  int    `json:"bytes,omitempty"`
	Tokens int    `json:"tokens,omitempty"`
	Source string `json:"source,omitempty"`
	Status string `json:"status,omitempty"` // included, dropped, cut, failed, empty, unconfigured
}

// ContextAssembled reports the context given to an agent or phase (PL-9, PL-38a).
type ContextAssembled struct {
	Actor    Actor            `json:"actor"`
	Phase    string           `json:"phase,omitempty"`
	AgentID  string           `json:"agent_id,omitempty"`
	Bytes    int              `json:"bytes,omitempty"` // without Tier 0
	Sections []ContextSection `json:"sections,omitempty"`
	// Contradictions between sources, with the source that was followed (PL-38a).
	Contradictions []Contradiction `json:"contradictions,omitempty"`
}

// ContextPersistFailed reports that a phase's context could not be stored (PL-10).
type ContextPersistFailed struct {
	Actor Actor  `json:"actor"`
	Phase string `json:"phase,omitempty"`
	Why   string `json:"why,omitempty"`
}

// TicketReceived is the task as a person wrote it (PL-30, PL-31).
type TicketReceived struct {
	Actor              Actor    `json:"actor"`
	Title              string   `json:"title"`
	Text               string   `json:"text,omitempty"`
	AcceptanceCriteria []string `json:"acceptance_criteria,omitempty"`
}

// IntentCheckpoint is an agent's understanding of its task (PL-32). Its field names are those of
// the agents that write it.
type IntentCheckpoint struct {
	Actor                  Actor    `json:"actor"`
	Session                string   `json:"session,omitempty"`
	Turn                   int      `json:"turn,omitempty"` // from 1
	TaskType               string   `json:"taskType,omitempty" jsonschema:"example=targeted_fix,example=feature,example=refactor,example=architectural"`
	Interpretation         string   `json:"interpretation,omitempty"`
	RivalInterpretations   TextList `json:"rivalInterpretations,omitempty"`
	UnresolvedAssumptions  TextList `json:"unresolvedAssumptions,omitempty"`
	AmbiguityLevel         string   `json:"ambiguityLevel,omitempty" jsonschema:"example=clear,example=uncertain,example=ambiguous"`
	ConfidenceBreakdown    any      `json:"confidenceBreakdown,omitempty"`
	InterpretationClusters []int    `json:"interpretationClusters,omitempty"` // sizes of the clusters of sampled interpretations (PL-31)
	QuestionSpecificity    *float64 `json:"questionSpecificity,omitempty"`    // 0–1, of the one question the agent would ask (PL-31)
	// PlanConsistency says whether plans that were made independently of each other agree
	// (PL-31): consistent or not, in words or as a boolean.
	PlanConsistency any `json:"planConsistency,omitempty"`
}

// Assumption is something an agent assumes (PL-38).
type Assumption struct {
	Assumption         string `json:"assumption"`
	Evidence           string `json:"evidence,omitempty"`
	FalsificationQuery string `json:"falsificationQuery,omitempty"`
	Status             string `json:"status,omitempty" jsonschema:"example=unchecked,example=checked,example=confirmed,example=contradicted"`
}

// AssumptionsStated lists the assumptions of an agent (PL-38).
type AssumptionsStated struct {
	Actor       Actor        `json:"actor"`
	Session     string       `json:"session,omitempty"`
	Assumptions []Assumption `json:"assumptions"`
}

// Interpretation is the reading of a ticket that a council chose.
type Interpretation struct {
	Text  string `json:"text"`
	Basis string `json:"basis,omitempty"`
}

// CouncilMember is one party of a council (PL-35).
type CouncilMember struct {
	AgentID     string `json:"agent_id"`
	Role        string `json:"role,omitempty"`
	ModelFamily string `json:"model_family,omitempty"`
	Mode        string `json:"mode,omitempty"`
	Turns       int    `json:"turns,omitempty"`
}

// CouncilCompleted is the result of a council (PL-35).
type CouncilCompleted struct {
	Actor                         Actor           `json:"actor"`
	RevisedAmbiguityLevel         string          `json:"revisedAmbiguityLevel" jsonschema:"example=clear,example=uncertain,example=ambiguous"`
	FailureMode                   string          `json:"failureMode,omitempty"`
	PrimaryInterpretationSurvived bool            `json:"primaryInterpretationSurvived"`
	WinningInterpretation         *Interpretation `json:"winningInterpretation,omitempty"`
	Dissents                      TextList        `json:"dissents,omitempty"`
	Members                       []CouncilMember `json:"members,omitempty"`
	// DefenceTurns counts the turns in which the primary answered its challengers; a
	// council has none.
	DefenceTurns int `json:"defenceTurns,omitempty"`
}

// ClarificationAnswered is a person's answer (PL-36); an operator's act.
type ClarificationAnswered struct {
	Actor     Actor  `json:"actor"`
	RequestID string `json:"request_id"`
	Option    string `json:"option,omitempty"` // id of the option chosen
	Text      string `json:"text,omitempty"`
	By        string `json:"by,omitempty"`
}

// CalibrationRecorded compares an intent with its outcome (PL-39).
type CalibrationRecorded struct {
	Actor                  Actor    `json:"actor"`
	Outcome                string   `json:"outcome"`
	Breakdown              any      `json:"breakdown,omitempty"` // the confidence breakdown of the checkpoint
	Correction             string   `json:"correction,omitempty"`
	Verdict                string   `json:"verdict,omitempty"`
	Subtype                string   `json:"subtype,omitempty" jsonschema:"example=A,example=B"`
	InterpretationFindings TextList `json:"interpretation_findings,omitempty"` // ids of findings tagged as misread intent
}

// Criterion is one acceptance criterion as checked (PL-40).
type Criterion struct {
	Criterion string `json:"criterion"`
	Source    string `json:"source,omitempty" jsonschema:"example=explicit,example=inferred"`
	Status    string `json:"status" jsonschema:"example=met,example=partial,example=missing,example=unclear"`
	Evidence  string `json:"evidence,omitempty"`
}

// ScopeChecked compares a change with its criteria (PL-40).
type ScopeChecked struct {
	Actor          Actor       `json:"actor"`
	Criteria       []Criterion `json:"criteria,omitempty"`
	CriteriaSource string      `json:"criteria_source,omitempty"` // ticket, inferred, none, …
	MissingCount   *int        `json:"missing_count,omitempty"`   // missing and partial, as the publisher counts; absent: not counted
	CreepCount     *int        `json:"creep_count,omitempty"`
	Flags          []string    `json:"flags,omitempty"` // out of scope: files, optionally with a remark
}

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
