// Package run holds the payloads of events about runs: what orchestrators, infrastructure
// and people report about a run's lifecycle, and the decisions about it (gates,
// violations, breaks, escalations, control states). The constants Type… name the event
// types; package events holds their envelope and codec.
package run

// Allowance is how much a run may spend.
type Allowance struct {
	Limit float64 `json:"limit"`
	Unit  string  `json:"unit,omitempty"` // usd, tokens, minutes, …
}

// Trigger is what started a run and the policies it declares.
type Trigger struct {
	ID string `json:"id,omitempty"`
	// OnPartial is what a phase with a partial handoff does (PL-2); default proceed.
	OnPartial string `json:"on_partial,omitempty" jsonschema:"example=proceed,example=escalate,example=retry_once"`
	// RequireIntentConfirmation is the ladder's setting (PL-33); default uncertain.
	RequireIntentConfirmation string   `json:"require_intent_confirmation,omitempty" jsonschema:"example=never,example=uncertain,example=always"`
	SkipIntent                bool     `json:"skip_intent,omitempty"`          // PL-37
	Priority                  string   `json:"priority,omitempty"`             // critical bypasses working hours (PL-51)
	IgnoreWorkingHours        bool     `json:"ignore_working_hours,omitempty"` // PL-51
	Notify                    TextList `json:"notify,omitempty"`               // names of notification channels (PL-50)
}

// RunStarted opens a run.
type RunStarted struct {
	Actor     Actor      `json:"actor"`
	Workspace string     `json:"workspace,omitempty"`
	Project   string     `json:"project,omitempty"` // key of what is kept across runs (RW-15)
	Kind      string     `json:"kind,omitempty" jsonschema:"example=build,example=pipeline,example=saw"`
	Goal      string     `json:"goal,omitempty"`
	Workflow  string     `json:"workflow,omitempty" jsonschema:"example=quick,example=standard,example=thorough"`
	Budget    *Allowance `json:"budget,omitempty"`
	Trigger   *Trigger   `json:"trigger,omitempty"`
}

// RunResumed lets a halted or crashed run continue (RW-34, PL-10); an operator's act.
type RunResumed struct {
	Actor          Actor    `json:"actor"`
	PriorRunID     string   `json:"prior_run_id,omitempty"`
	RestoredPhases []string `json:"restored_phases,omitempty"`
	By             string   `json:"by"`
	Why            string   `json:"why"`
}

// RunCompleted ends a run.
type RunCompleted struct {
	Actor   Actor  `json:"actor"`
	Outcome string `json:"outcome"` // success, failure, halted, cancelled, …
	PRURL   string `json:"pr_url,omitempty"`
	Summary string `json:"summary,omitempty"`
	// Observations are those of a retrospective (PL-38a).
	Observations []Observation `json:"observations,omitempty"`
}

// PhaseStarted opens a phase and asks for the gate next_phase (PL-2).
type PhaseStarted struct {
	Actor       Actor  `json:"actor"`
	Phase       string `json:"phase"`
	Workflow    string `json:"workflow,omitempty"` // e.g. wr.coding-task
	Cycle       int    `json:"cycle,omitempty"`    // from 1
	Attempt     int    `json:"attempt,omitempty"`  // from 1
	ContractRef string `json:"contract_ref,omitempty"`
}

// PhaseCompleted closes a phase with what it hands over (PL-1).
type PhaseCompleted struct {
	Actor       Actor  `json:"actor"`
	Phase       string `json:"phase"`
	Workflow    string `json:"workflow,omitempty"`
	Cycle       int    `json:"cycle,omitempty"`
	Attempt     int    `json:"attempt,omitempty"`
	ContractRef string `json:"contract_ref,omitempty"` // wr.coding_handoff or wr.contracts.coding_handoff
	// Artifacts are checked against the contract; an invalid one is ignored.
	Artifacts     []Artifact `json:"artifacts,omitempty"`
	Notes         string     `json:"notes,omitempty"`
	ClaimedResult string     `json:"claimed_result,omitempty"` // full, partial or fallback according to the publisher
	Slices        TextList   `json:"slices,omitempty"`         // of the plan, finished in this iteration (PL-42)
	// OpenQuestions are the questions that the phase left open (PL-38a).
	OpenQuestions []OpenQuestion `json:"open_questions,omitempty"`
	// Observations are those of a retrospective (PL-38a).
	Observations []Observation `json:"observations,omitempty"`
}

// MergeCompleted reports that work was merged; the tests that follow decide whether RW-30
// reverts it.
type MergeCompleted struct {
	Actor Actor  `json:"actor"`
	SHA   string `json:"sha"`
}

// TestCompleted is the result of a test run.
type TestCompleted struct {
	Actor      Actor  `json:"actor"`
	Scope      string `json:"scope,omitempty" jsonschema:"example=scoped,example=unscoped"`
	Passed     bool   `json:"passed"`
	Suite      string `json:"suite,omitempty"`
	AfterMerge *bool  `json:"after_merge,omitempty"` // absent: the first run after merge.completed
	SHA        string `json:"sha,omitempty"`
}

// SpendReported is what a run has spent so far (RW-21).
type SpendReported struct {
	Actor Actor   `json:"actor"`
	Spent float64 `json:"spent"`
	Limit float64 `json:"limit,omitempty"` // 0: the limit of run.started applies
	Unit  string  `json:"unit,omitempty"`
}

// Lesson is one remembered piece of advice.
type Lesson struct {
	ID      string `json:"id"`
	Text    string `json:"text,omitempty"`
	Finding string `json:"finding,omitempty"` // id of the finding it is about (RW-14)
}

// MemoryInjected reports which lessons were put into an agent's prompt (RW-14, RW-22).
type MemoryInjected struct {
	Actor   Actor    `json:"actor"`
	Lessons []Lesson `json:"lessons"`
	AgentID string   `json:"agent_id,omitempty"`
}

// ShadowReported is a shadow that the orchestrator itself detected (IN-12): it corrects it itself, and it
// counts for a break (RW-30).
type ShadowReported struct {
	Actor     Actor  `json:"actor"`
	AgentID   string `json:"agent_id,omitempty"`
	Archetype string `json:"archetype"`
	// Shadow is the orchestrator's name: rabbit_hole.
	Shadow string `json:"shadow"`
	// Cycle is counted from 1; the current one if it is absent.
	Cycle int `json:"cycle,omitempty"`
	// Trigger is the condition that held, in the orchestrator's words.
	Trigger string `json:"trigger,omitempty"`
}

// OpenQuestion is a question that a phase leaves open. One that would change the implementation
// must be resolved, or be in the risk register, before the implementation begins (PL-38a).
type OpenQuestion struct {
	Question              string `json:"question"`
	ChangesImplementation bool   `json:"changes_implementation,omitempty"`
	Resolution            string `json:"resolution,omitempty"` // the answer; empty: none yet
	Risk                  string `json:"risk,omitempty"`       // its entry in the risk register
}

// Observation is an observation of a retrospective, and how it was handled (PL-38a).
type Observation struct {
	Text        string `json:"text"`
	Disposition string `json:"disposition,omitempty"` // filed, accepted or fixed
}

// Contradiction is a contradiction between the sources of a context. The source of higher
// authority must be followed: adr, acceptance_criteria, epic, design_doc, chat (PL-38a).
type Contradiction struct {
	What       string   `json:"what"`
	Between    []string `json:"between"`               // kinds of the sources
	ResolvedTo string   `json:"resolved_to,omitempty"` // the kind that was followed; empty: not resolved
}
