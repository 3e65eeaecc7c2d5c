package workrail

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// storeEvent is one event of a session's log.
type storeEvent struct {
	ID      loose.String `json:"eventId"`
	Index   loose.Int    `json:"eventIndex"`
	Session loose.String `json:"sessionId"`
	Kind    loose.String `json:"kind"`
	At      loose.Time   `json:"timestampMs"`
	Scope   struct {
		Run loose.String `json:"runId"`
	} `json:"scope"`
	Data json.RawMessage `json:"data"`
}

func readEvent(text []byte) (*storeEvent, error) {
	e := &storeEvent{}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("not an event of a session: %w", err)
	}
	if e.Kind == "" || e.Session == "" {
		return nil, errors.New("an event without kind or sessionId")
	}
	e.Data = slices.Clone(e.Data)
	return e, nil
}

// fold turns a session's events into those of its run: one workflow, as one phase with its handoff.
type fold struct {
	a         *transcript.Assembler
	run       *teller
	begun     *storeEvent // run_started, until it is emitted
	workspace string
	goal      string
	workflow  string
	told      bool
	ended     bool
	recap     string
	artifacts []runevents.Artifact
	elsewhere int // artifacts whose content is in a store that is not read
	gaps      []runevents.OpenQuestion
}

func newFold(a *transcript.Assembler) *fold { return &fold{a: a} }

// storeKinds are the events of a session; true for those that precede its work.
var storeKinds = map[string]bool{
	"session_created": true, "observation_recorded": true, "run_started": true, "node_created": true,
	"edge_created":        true,
	"preferences_changed": true, "context_set": true, "capability_observed": true, "advance_recorded": false,
	"validation_performed": false, "node_output_appended": false, "assessment_recorded": false,
	"assessment_consequence_applied": false, "gap_recorded": false, "divergence_recorded": false,
	"decision_trace_appended": false, "run_completed": false, "delivery_recorded": false,
	"review_draft_submitted": false,
	"usage_recorded":         false, "gate_checkpoint_recorded": false, "gate_evaluated": false,
}

func (f *fold) take(e *storeEvent) {
	before, known := storeKinds[string(e.Kind)]
	if !known {
		f.a.Problem("an event of unknown kind: %s", plainName(e.Kind))
		return
	}
	if f.run == nil {
		f.run = &teller{a: f.a, format: StoreName, id: runID(f.a.Options(), string(e.Session))}
	}
	f.run.at(e.At.Time)
	if !before {
		f.begin()
	}
	switch e.Kind {
	case "observation_recorded":
		f.observed(e)
	case "run_started":
		f.started(e)
	case "context_set":
		f.context(e)
	case "node_output_appended":
		f.output(e)
	case "validation_performed":
		f.validated(e)
	case "gap_recorded":
		f.gap(e)
	case "divergence_recorded":
		f.a.Note("divergence from the workflow")
	case "usage_recorded":
		f.usage(e)
	case "run_completed":
		f.completed(e)
	}
}

// end emits a run of which only the start was recorded.
func (f *fold) end() {
	if f.run != nil && f.begun != nil {
		f.begin()
	}
}

func (f *fold) started(e *storeEvent) {
	var said struct {
		Workflow loose.String `json:"workflowId"`
	}
	_ = json.Unmarshal(e.Data, &said) // parsed leniently; what is missing stays unknown
	if f.begun == nil && !f.told {
		f.begun, f.workflow = e, clip(said.Workflow, maxWords)
	}
}

func (f *fold) observed(e *storeEvent) {
	var said struct {
		Key   loose.String `json:"key"`
		Value struct {
			Value loose.String `json:"value"`
		} `json:"value"`
	}
	if json.Unmarshal(e.Data, &said) == nil && said.Key == "repo_root" {
		f.workspace = clip(said.Value.Value, maxPath)
	}
}

// context takes the goal from the inputs of the workflow.
func (f *fold) context(e *storeEvent) {
	var said struct {
		Context struct {
			Goal loose.String `json:"goal"`
			Task loose.String `json:"taskDescription"`
		} `json:"context"`
	}
	if f.goal != "" || json.Unmarshal(e.Data, &said) != nil {
		return
	}
	if f.goal = clip(said.Context.Goal, maxWords); f.goal == "" {
		f.goal = clip(said.Context.Task, maxWords)
	}
}

// begin emits the start of the run and its phase, once their subject is known.
func (f *fold) begin() {
	if f.told {
		return
	}
	f.told, f.begun = true, nil
	kind := "build"
	if strings.HasPrefix(f.workflow, "wr.") || f.workflow == "mr-review" {
		kind = "pipeline"
	}
	f.run.tell(runevents.TypeRunStarted, "", &runevents.RunStarted{
		Actor: actor(), Kind: kind, Goal: f.goal, Workspace: f.workspace, Project: f.a.Options().Project,
	})
	f.run.tell(runevents.TypePhaseStarted, "", &runevents.PhaseStarted{
		Actor: actor(), Phase: f.phase(),
		Workflow: f.workflow,
	})
}

// phase returns the workflow as a phase of the run.
func (f *fold) phase() string {
	if name := strings.TrimPrefix(f.workflow, "wr."); name != "" {
		return name
	}
	return "workflow"
}

// output keeps what the session wrote last: its recap, and an artifact of each kind.
func (f *fold) output(e *storeEvent) {
	var said struct {
		Payload struct {
			Kind    loose.String    `json:"payloadKind"`
			Notes   loose.String    `json:"notesMarkdown"`
			Content json.RawMessage `json:"content"`
		} `json:"payload"`
	}
	if err := json.Unmarshal(e.Data, &said); err != nil {
		f.a.Problem("an output that cannot be read")
		return
	}
	switch said.Payload.Kind {
	case "notes":
		f.recap = clip(said.Payload.Notes, maxText)
	case "artifact_ref":
		f.artifact(e, said.Payload.Content)
	default:
		f.a.Problem("an output of unknown kind: %s", plainName(said.Payload.Kind))
	}
}

func (f *fold) artifact(e *storeEvent, content json.RawMessage) {
	if len(content) == 0 || string(content) == "null" {
		f.elsewhere++
		return
	}
	a, ok := artifact(content)
	if !ok {
		f.a.Note("artifact without a known kind")
		return
	}
	f.artifacts = slices.DeleteFunc(f.artifacts, func(b runevents.Artifact) bool { return kindOf(b) == kindOf(a) })
	if len(f.artifacts) < maxList {
		f.artifacts = append(f.artifacts, a)
	}
	if review := verdict(a, f.phase()); review != nil {
		f.run.tell(runevents.TypeReviewCompleted, string(e.ID), review)
	}
}

func (f *fold) validated(e *storeEvent) {
	var said struct {
		Result struct {
			Valid *loose.Bool `json:"valid"`
		} `json:"result"`
	}
	if json.Unmarshal(e.Data, &said) == nil && said.Result.Valid != nil && !bool(*said.Result.Valid) {
		f.a.Note("output that WorkRail refused")
	}
}

// gap records a question that only a person can answer; it stays open unless it is resolved.
func (f *fold) gap(e *storeEvent) {
	var said struct {
		Summary loose.String `json:"summary"`
		Reason  struct {
			Category loose.String `json:"category"`
		} `json:"reason"`
		Resolution struct {
			Kind loose.String `json:"kind"`
		} `json:"resolution"`
	}
	if json.Unmarshal(e.Data, &said) != nil || said.Resolution.Kind == "resolves" {
		return
	}
	f.a.Note("gap")
	question := clip(said.Summary, maxWords)
	if said.Reason.Category == "user_only_dependency" && question != "" && len(f.gaps) < maxList {
		f.gaps = append(f.gaps, runevents.OpenQuestion{Question: question})
	}
}

func (f *fold) usage(e *storeEvent) {
	var said struct {
		Input  loose.Int `json:"inputTokens"`
		Output loose.Int `json:"outputTokens"`
	}
	if json.Unmarshal(e.Data, &said) != nil || said.Input <= 0 && said.Output <= 0 {
		return
	}
	spent := float64(max(said.Input, 0) + max(said.Output, 0))
	f.run.tell(runevents.TypeSpendReported, string(e.ID), &runevents.SpendReported{
		Actor: actor(), Spent: spent,
		Unit: "tokens",
	})
}

// completed emits the workflow's handoff. If an artifact is in a store that is not read, nothing is emitted
// that would rely on its absence (IN-1).
func (f *fold) completed(e *storeEvent) {
	if f.ended {
		return
	}
	f.ended = true
	if f.elsewhere > 0 {
		f.a.Problem("%d artifacts are outside of the event log; the workflow's handoff is not judged",
			f.elsewhere)
	} else {
		f.run.tell(runevents.TypePhaseCompleted, string(e.ID), &runevents.PhaseCompleted{
			Actor: actor(), Phase: f.phase(), Workflow: f.workflow, Artifacts: f.artifacts, Notes: f.recap,
			OpenQuestions: f.gaps,
		})
	}
	f.run.tell(runevents.TypeRunCompleted, string(e.ID), &runevents.RunCompleted{
		Actor:   actor(),
		Outcome: runevents.RunOutcomeSuccess,
	})
}
