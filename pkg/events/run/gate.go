package run

// Gate is a point at which an orchestrator asks before it acts (WP-9, PL-2, PL-20).
type Gate string

// Gates.
const (
	GateLaunch    Gate = "launch"     // of a wave
	GateWorktrees Gate = "worktrees"  // of a wave's agents
	GateMerge     Gate = "merge"      // of a wave's branches
	GateNextPhase Gate = "next_phase" // of a pipeline
	GateSpawn     Gate = "spawn"      // of a subagent
)

// Gates returns all gates.
func Gates() []Gate {
	return []Gate{GateLaunch, GateWorktrees, GateMerge, GateNextPhase, GateSpawn}
}

// GateDecision is the answer of a gate.
type GateDecision string

// Decisions of a gate.
const (
	DecisionAllow            GateDecision = "allow"
	DecisionAllowWithWarning GateDecision = "allow_with_warning"
	DecisionDeny             GateDecision = "deny"
	DecisionHold             GateDecision = "hold" // denied until a person or a fact settles it
)

// DecidedBy is who may open a closed gate.
type DecidedBy string

// Who may open a gate.
const (
	DecidedByScaffoldwatch DecidedBy = "scaffoldwatch" // it opens by itself once the reason no longer applies
	DecidedByOperator      DecidedBy = "operator"
)
