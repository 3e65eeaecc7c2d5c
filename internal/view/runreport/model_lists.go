package runreport

import (
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Break is a Wiggum Break, its outcome, and whether it was warranted (RW-32).
type Break struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	runevents.WiggumBreak
	UpgradedBy string              `json:"upgraded_by,omitempty"` // id of the hard break that took its place
	Noted      []Noted             `json:"noted,omitempty"`       // triggers while it was open
	Resumed    *runevents.Resume   `json:"resumed,omitempty"`
	Recovery   *runevents.Recovery `json:"recovery,omitempty"` // WP-2
	Reverted   string              `json:"reverted,omitempty"` // event that took the broken merge back (RW-30)
	Ignored    []string            `json:"halt_ignored,omitempty"`
	Warrant    runevents.Warrant   `json:"warranted"`
}

// Noted is a trigger that was recorded on an open break.
type Noted struct {
	Event   string                 `json:"event"`
	Kind    runevents.BreakKind    `json:"kind"`
	Trigger runevents.BreakTrigger `json:"trigger"`
	Reason  string                 `json:"reason"`
}

// Escalation is one that was raised, and whether it still waits (RW-41).
type Escalation struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	runevents.EscalationRaised
	Open      bool     `json:"open"`
	Reminders []string `json:"reminders,omitempty"` // ids
}

// Shadow is what the evaluator saw of a run.
type Shadow struct {
	Event      string                    `json:"event"`
	Time       time.Time                 `json:"time"`
	Rule       string                    `json:"rule"`
	Layer      sessionevents.Layer       `json:"layer"`
	Issue      string                    `json:"issue"`
	AgentID    string                    `json:"agent_id,omitempty"`
	Session    string                    `json:"session,omitempty"`
	Cycle      int                       `json:"cycle,omitempty"`
	Confidence float64                   `json:"confidence"`
	Message    string                    `json:"message"`
	Reason     string                    `json:"reason,omitempty"`
	Suppressed string                    `json:"suppressed,omitempty"` // immunity (RW-8)
	Conditions []sessionevents.Condition `json:"conditions,omitempty"`
	Events     []string                  `json:"events,omitempty"`
}

// Judged is a violation or a warning.
type Judged struct {
	Event string    `json:"event"`
	Time  time.Time `json:"time"`
	runevents.Judgement
}

// Gate is what a gate answered.
type Gate struct {
	Event string    `json:"event"`
	Time  time.Time `json:"time"`
	runevents.GateDecided
}

// Steer is what was said to an agent outside the interrupt budget (RW-40).
type Steer struct {
	ID       string                        `json:"id"`
	Time     time.Time                     `json:"time"`
	Rule     string                        `json:"rule"`
	Layer    sessionevents.Layer           `json:"layer"`
	Session  string                        `json:"session,omitempty"`
	Turn     int                           `json:"turn,omitempty"`
	Message  string                        `json:"message"`
	Delivery []sessionevents.DeliveryState `json:"delivery,omitempty"`
}

// Policies are the boundaries that were reached (RW-20, RW-21).
type Policies struct {
	Checkpoints []Checkpoint `json:"checkpoints"`
	Budget      []Threshold  `json:"budget"`
}

// Checkpoint is one of RW-20.
type Checkpoint struct {
	Event    string                       `json:"event"`
	Time     time.Time                    `json:"time"`
	Decision runevents.CheckpointDecision `json:"decision"`
	Why      string                       `json:"why,omitempty"`
}

// Threshold is one of RW-21 that was passed.
type Threshold struct {
	Event string    `json:"event"`
	Time  time.Time `json:"time"`
	runevents.PolicyBudget
}

// Cycle is one plan-do-check cycle, compared with the one before (RW-31).
type Cycle struct {
	Event      string   `json:"event"`
	Cycle      int      `json:"cycle,omitempty"`
	Open       int      `json:"open"`
	Critical   int      `json:"critical"`
	Compared   bool     `json:"compared"` // with a cycle before it
	Resolved   int      `json:"resolved"`
	New        int      `json:"new"`
	Persistent int      `json:"persistent"`
	Regressed  int      `json:"regressed"`
	Given      *float64 `json:"score_given,omitempty"` // by the publisher; it counts where it is there
	Score      *float64 `json:"score,omitempty"`       // computed; absent where nothing changed
	Decision   string   `json:"decision,omitempty"`
	Limit      bool     `json:"limit_reached,omitempty"`
}

// Session is one session of the run; its own report has the details.
type Session struct {
	ID          string                 `json:"id"`
	AgentID     string                 `json:"agent_id,omitempty"`
	Agent       *sessionevents.Agent   `json:"agent,omitempty"`
	Turns       int                    `json:"turns"`
	TurnsFailed int                    `json:"turns_failed"`
	Signals     int                    `json:"signals"`
	Interrupts  int                    `json:"interrupts"`
	Closed      bool                   `json:"closed"`
	CostUSD     float64                `json:"cost_usd"`
	State       runevents.ControlState `json:"state,omitempty"`
}

// Cost is what the run said it spent, and what its sessions reported.
type Cost struct {
	Spent        float64 `json:"spent"`
	Limit        float64 `json:"limit,omitempty"`
	Unit         string  `json:"unit,omitempty"`
	Reports      int     `json:"reports"` // spend.reported; 0: nothing is known
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	CacheRead    int64   `json:"cache_read_tokens"`
	CacheWrite   int64   `json:"cache_write_tokens"`
	CostUSD      float64 `json:"cost_usd"` // of the sessions; 0 where not known
	Turns        int     `json:"turns"`    // that reported usage
}
