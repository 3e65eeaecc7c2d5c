package fleetreport

// Runs counts what happened in runs. A run counts on the day it began; a break, an
// escalation, a question, a correction and a gate's answer count on the day they
// came, with their latest outcome.
type Runs struct {
	RunFigures
	Projects    []Project         `json:"projects"` // by name
	States      []RunState        `json:"states"`   // as runs stand now
	Outcomes    []RunOutcome      `json:"outcomes"` // most first
	Triggers    []BreakTally      `json:"triggers"` // by trigger
	Corrections []CorrectionTally `json:"corrective_actions"`
	Gates       []GateTally       `json:"gates"`
	Rules       []RuleTally       `json:"rules"` // violations and warnings
}

// RunFigures are the sums of a project, or of all.
type RunFigures struct {
	Runs        int          `json:"runs"`
	Completed   int          `json:"completed"` // said how they ended
	Halted      int          `json:"halted"`    // stand halted now
	Evaluated   int          `json:"events_evaluated"`
	Failed      int          `json:"events_not_evaluated"`
	Breaks      BreakFigures `json:"breaks"`
	Escalations WaitFigures  `json:"escalations"`
	Questions   WaitFigures  `json:"questions"`
	Corrected   Corrected    `json:"corrections"`
	GateAnswers GateFigures  `json:"gate_answers"`
	Violations  int          `json:"violations"`
	Warnings    int          `json:"warnings"`
}

// BreakFigures count breaks; each has one verdict (RW-32).
type BreakFigures struct {
	Hard         int `json:"hard"`
	Soft         int `json:"soft"`
	Resumed      int `json:"resumed"`
	Warranted    int `json:"warranted"`
	NotWarranted int `json:"not_warranted"`
	Unclear      int `json:"unclear"`
	TooEarly     int `json:"too_early"`
}

// All returns how many there were.
func (f BreakFigures) All() int { return f.Hard + f.Soft }

// WaitFigures count what waits for a person (RW-41, PL-36).
type WaitFigures struct {
	Raised     int `json:"raised"`
	Open       int `json:"open"`
	Answered   int `json:"answered"`   // a resume answers what reported the break
	TimedOut   int `json:"timed_out"`  // nobody answered, a default was taken
	Superseded int `json:"superseded"` // a harder break took its place
	// MedianSeconds is the median time to an answer, of those answered whose rows
	// are still kept; absent where there are none.
	MedianSeconds *float64 `json:"median_seconds_to_answer,omitempty"`
}

// Corrected counts corrective actions by whether they helped (RW-42).
type Corrected struct {
	Issued   int `json:"issued"`
	Held     int `json:"held"`
	Recurred int `json:"recurred"`
	Untested int `json:"untested"`
	Open     int `json:"open"`
	// HelpedRate is held of those judged; absent where none was.
	HelpedRate *float64 `json:"helped_rate,omitempty"`
}

// GateFigures count what gates answered.
type GateFigures struct {
	Allowed    int `json:"allowed"`
	Warned     int `json:"allowed_with_warning"`
	Denied     int `json:"denied"`
	Held       int `json:"held"`
	Ahead      int `json:"asked_ahead"` // of all these, before the act
	Unanswered int `json:"unanswered"`  // the question could not be evaluated; a harness takes a deny
}

// All returns how many answers there were.
func (f GateFigures) All() int { return f.Allowed + f.Warned + f.Denied + f.Held }

// Project is a project, else a workspace, "" for runs that named neither.
type Project struct {
	Project string `json:"project"`
	RunFigures
}

// RunState is how many runs are in this state now.
type RunState struct {
	State string `json:"state"`
	Runs  int    `json:"runs"`
}

// RunOutcome is how many runs ended like this.
type RunOutcome struct {
	Outcome string `json:"outcome"`
	Runs    int    `json:"runs"`
}

// BreakTally are the breaks of one trigger.
type BreakTally struct {
	Trigger string `json:"trigger"`
	BreakFigures
}

// CorrectionTally are the corrective actions of one kind, in the order of the
// ladder (RW-40).
type CorrectionTally struct {
	Action string `json:"action"`
	Corrected
}

// GateTally are the answers of one gate.
type GateTally struct {
	Gate string `json:"gate"`
	GateFigures
}

// RuleTally is how often something was held against a rule.
type RuleTally struct {
	Rule       string `json:"rule"`
	Code       string `json:"code"`
	Violations int    `json:"violations"`
	Warnings   int    `json:"warnings"`
}

// RunCount names one figure about runs, as the read model keeps them.
type RunCount struct{ Day, Project, Topic, Name, What string }

// Answer is one thing that waited for a person and was answered.
type Answer struct {
	Project string
	Kind    string  // escalation or question
	Seconds float64 // from raised to answered
}
