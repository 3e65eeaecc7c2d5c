package run

// BreakKind is how fast a run stops.
type BreakKind string

// Break kinds: hard halts at once, soft finishes the current task first.
const (
	BreakHard BreakKind = "hard"
	BreakSoft BreakKind = "soft"
)

// BreakTrigger is the code of the cause of a break (RW-30, RW-31).
type BreakTrigger string

// Triggers of hard breaks.
const (
	TriggerAgentFailures      BreakTrigger = "agent_failures"
	TriggerTaskFailures       BreakTrigger = "task_failures"
	TriggerRepeatedShadow     BreakTrigger = "repeated_shadow"
	TriggerBrokenSuite        BreakTrigger = "broken_suite"
	TriggerOscillating        BreakTrigger = "oscillating_findings"
	TriggerBudgetExhausted    BreakTrigger = "budget_exhausted"
	TriggerIsolationFailure   BreakTrigger = "isolation_failure"
	TriggerAutonomousRecovery BreakTrigger = "autonomous_recovery"
	TriggerMergedWithoutGate  BreakTrigger = "merged_without_gate"
	TriggerOperator           BreakTrigger = "operator" // a person halted it
)

// Triggers of soft breaks.
const (
	TriggerIdenticalFindings BreakTrigger = "identical_findings"
	TriggerLowConvergence    BreakTrigger = "low_convergence"
	TriggerGrowingFindings   BreakTrigger = "growing_findings"
	TriggerBudget95          BreakTrigger = "budget_95"
	TriggerCheckpoint        BreakTrigger = "checkpoint"
	TriggerStuckLoop         BreakTrigger = "stuck_loop"
	TriggerIgnoredInterrupts BreakTrigger = "ignored_interrupts"
)

// WIPAction is what to do with work in progress when a run stops (RW-32).
type WIPAction string

// Actions on work in progress.
const (
	WIPCommit         WIPAction = "commit"
	WIPRevert         WIPAction = "revert"
	WIPNone           WIPAction = "none"
	WIPFinishThenHalt WIPAction = "finish_then_halt"
)

// Option is one answer that a person can choose. Evidence and Effect belong to a
// clarification (PL-36), Tradeoff to a recovery (WP-1).
type Option struct {
	ID       string `json:"id"`
	Text     string `json:"text"`
	Evidence string `json:"evidence,omitempty"`
	Effect   string `json:"effect,omitempty"`
	Tradeoff string `json:"tradeoff,omitempty"`
}

// Spending is the state of a budget at one moment.
type Spending struct {
	Spent float64 `json:"spent"`
	Limit float64 `json:"limit,omitempty"`
	Unit  string  `json:"unit,omitempty"`
}

// RunState is the state of a run at its break (RW-32).
type RunState struct {
	Phase      string    `json:"phase,omitempty"`
	Cycle      int       `json:"cycle,omitempty"`
	Task       string    `json:"task,omitempty"`
	Agents     []string  `json:"agents,omitempty"` // ids of the agents that are working
	Budget     *Spending `json:"budget,omitempty"`
	LastEvents []string  `json:"last_events,omitempty"` // ids, oldest first
}

// WiggumBreak stops a run or a session (RW-30 … RW-35).
type WiggumBreak struct {
	Kind    BreakKind    `json:"kind" jsonschema:"enum=hard,enum=soft"`
	Trigger BreakTrigger `json:"trigger" jsonschema:"enum=agent_failures,enum=task_failures,enum=repeated_shadow,enum=broken_suite,enum=oscillating_findings,enum=budget_exhausted,enum=isolation_failure,enum=autonomous_recovery,enum=merged_without_gate,enum=identical_findings,enum=low_convergence,enum=growing_findings,enum=budget_95,enum=checkpoint,enum=stuck_loop,enum=ignored_interrupts"`
	Reason  string       `json:"reason"`
	Scope   Scope        `json:"scope" jsonschema:"enum=run,enum=session"` // what halts; the event's subject is its id
	Run     string       `json:"run,omitempty"`
	Session string       `json:"session,omitempty"`
	Turn    int          `json:"turn,omitempty"` // in a session without a run (RW-35)
	// Evidence holds the ids of the events that led to the break.
	Evidence           []string  `json:"evidence"`
	RunState           RunState  `json:"run_state"`
	UnresolvedFindings []Finding `json:"unresolved_findings,omitempty"`
	WIPAction          WIPAction `json:"wip_action" jsonschema:"enum=commit,enum=revert,enum=none,enum=finish_then_halt"`
	RevertSHA          string    `json:"revert_sha,omitempty"` // the merge to revert (RW-30)
	Present            string    `json:"present,omitempty"`    // what to show: best result so far, or that this needs another approach
	Options            []Option  `json:"options,omitempty"`
	Upgrades           string    `json:"upgrades,omitempty"` // id of the soft break it replaces
}

// HaltIgnored reports that a harness continued after a hard break (RW-33).
type HaltIgnored struct {
	Break   string `json:"break"` // id of the wiggum.break
	Run     string `json:"run,omitempty"`
	Session string `json:"session,omitempty"`
	Turn    int    `json:"turn,omitempty"`  // the turn that came after the break
	Count   int    `json:"count,omitempty"` // turns since the break, this one included
	Reason  string `json:"reason,omitempty"`
}
