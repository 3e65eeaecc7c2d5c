package sessionreport

import (
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/head"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// SchemaVersion is the version of the JSON form. Fields are only added within a
// version; a changed meaning raises it.
const SchemaVersion = 1

// Model is a session's report as data; its JSON form is public.
type Model struct {
	SchemaVersion int                `json:"schema_version"`
	Session       Session            `json:"session"`
	Turns         int                `json:"turns_observed"`
	Budget        int                `json:"budget"` // interrupts the session started with
	BudgetLeft    int                `json:"budget_left"`
	Interrupts    []Fired            `json:"interrupts"`                // in the order fired
	Halts         []Halt             `json:"halts,omitempty"`           // of the session, in order
	Prevented     *prevented.Section `json:"prevented,omitempty"`       // before it ran (GD-21), in order
	Opinions      *Opinions          `json:"second_opinions,omitempty"` // of models (AD-5)
	ForRun        []Addressed        `json:"said_for_run,omitempty"`    // outside the budget, in order
	Subagents     []Subagent         `json:"subagents,omitempty"`       // that it started, as far as they were seen (CO-9)
	NotSent       []Finding          `json:"queued_not_sent"`           // waiting, or expired in the queue: highest urgency first
	Logged        []Finding          `json:"logged"`                    // below threshold, in order
	Suppressed    []Finding          `json:"suppressed"`                // with the reason
	Corrected     []Finding          `json:"self_corrected"`            // by the agent, before anything was said
	Expired       []Finding          `json:"expired"`                   // those of queued_not_sent that grew too old
	Pending       []Finding          `json:"pending"`                   // in the grace turn of a live session
	Said          []Finding          `json:"fired_findings"`            // what the interrupts are about
	Coalesced     []Finding          `json:"coalesced"`                 // folded into another one
	Counts        Counts             `json:"signals"`                   // their sum is the number of signals (DP-18)
	Observations  []string           `json:"observations"`              // patterns across the session
	Advice        []string           `json:"recommendations"`           // for the next session
	Health        Health             `json:"health"`                    // codebase health delta
	Timeline      []Moment           `json:"timeline"`                  // what happened, by turn
	TimelineCut   int                `json:"timeline_left_out"`         // entries beyond the limit
	TurnByTurn    []Turn             `json:"turn_by_turn"`              // by number
	TurnsCut      int                `json:"turns_left_out"`            // turns beyond the limit
	RedFlags      []RedFlag          `json:"red_flags"`                 // by id
	Detectors     []Tally            `json:"detectors"`                 // by id
	Usage         *Usage             `json:"usage,omitempty"`           // absent where the agent reports none
	Coverage      Coverage           `json:"coverage"`
	Heads         []head.Head        `json:"heads,omitempty"` // it was made from; absent offline
	Done          *Done              `json:"done,omitempty"`  // the ledger of done (PD-3)
}

// Session identifies the session that the report is about.
type Session struct {
	ID   string `json:"id"`
	Run  string `json:"run,omitempty"`
	Task string `json:"task,omitempty"`
	// Workspace is the folder in which the session works, as reported by its agent.
	Workspace string               `json:"workspace,omitempty"`
	Agent     *sessionevents.Agent `json:"agent,omitempty"`
	Closed    bool                 `json:"closed"`
	Reason    string               `json:"reason,omitempty"` // of the closing
	// DoneTurn is the turn in which the primary of an open session signalled that it is done (DP-30); 0 if it
	// did not, or went on since.
	DoneTurn int       `json:"done_turn,omitempty"`
	Opened   time.Time `json:"first_event,omitzero"`
	Last     time.Time `json:"last_event,omitzero"`
}

// Finding is one signal and its outcome.
type Finding struct {
	Signal     string                `json:"signal"`
	Turn       int                   `json:"turn"` // in which it was detected
	Detector   string                `json:"detector"`
	Class      sessionevents.Class   `json:"class,omitempty"`
	Subclass   string                `json:"subclass,omitempty"`
	CWE        int                   `json:"cwe,omitempty"` // 89 is CWE-89
	Subject    string                `json:"subject"`
	Message    string                `json:"message"`
	Why        string                `json:"why,omitempty"` // one sentence, for people
	Fix        string                `json:"fix,omitempty"` // what to do instead, without the place
	Path       string                `json:"path,omitempty"`
	Line       int                   `json:"line,omitempty"`
	Urgency    sessionevents.Urgency `json:"urgency"`
	ReworkCost int                   `json:"rework_cost"`
	Confidence float64               `json:"confidence"`
	// End is fired, logged, suppressed, self_corrected, expired, unsent or
	// coalesced; queued or pending while the session goes on.
	End     string `json:"end"`
	EndTurn int    `json:"end_turn,omitempty"`
	Reason  string `json:"reason,omitempty"` // of the end
	Code    string `json:"code,omitempty"`   // the same in a word that can be counted
	Into    string `json:"into,omitempty"`   // coalesced: the signal that stands for it
	Times   int    `json:"times"`            // signals it stands for, with those folded into it
	// Evidence is what it rests on; quotes are redacted.
	Evidence []sessionevents.Evidence `json:"evidence,omitempty"`
}

// Fired is one interrupt and its outcome.
type Fired struct {
	ID        string                `json:"id"`
	Turn      int                   `json:"turn"`
	Detector  string                `json:"detector"`
	Class     sessionevents.Class   `json:"class,omitempty"`
	Urgency   sessionevents.Urgency `json:"urgency"`
	Label     string                `json:"urgency_label"` // "4.0", "B1-ESCALATE"
	FromQueue bool                  `json:"from_queue"`
	Message   string                `json:"message"`
	Reason    string                `json:"reason,omitempty"`
	Signals   []string              `json:"signals"`
	// Budget is what was left before and after it (DP-15).
	Budget     sessionevents.BudgetChange `json:"budget"`
	Evidence   []sessionevents.Evidence   `json:"evidence,omitempty"`
	Deliveries []Delivery                 `json:"deliveries"`     // facts in order (DP-21)
	Heed       string                     `json:"heed,omitempty"` // heeded, ignored; empty: not judged
	HeedAfter  int                        `json:"heed_after_turns,omitempty"`
	Dismissed  bool                       `json:"dismissed,omitempty"`
}

// Addressed is a message of a layer above the session to the session's agent: a correction of a run, or an
// interrupt of a wave or a pipeline. It does not use the interrupt budget (RW-40).
type Addressed struct {
	ID         string              `json:"id"`
	Kind       string              `json:"kind" jsonschema:"enum=correction,enum=interrupt"`
	Turn       int                 `json:"turn"` // the last one before it
	Layer      sessionevents.Layer `json:"layer,omitempty"`
	Issue      string              `json:"issue"`          // a shadow, or the rule
	Step       int                 `json:"step,omitempty"` // of a correction
	Message    string              `json:"message"`
	Reason     string              `json:"reason,omitempty"`
	Deliveries []Delivery          `json:"deliveries"`
}

// Delivery is one fact about an interrupt on its way.
type Delivery struct {
	State   sessionevents.DeliveryState `json:"state"`
	Channel string                      `json:"channel,omitempty"`
	By      string                      `json:"by,omitempty"`
}

// Counts are the signals by outcome; Detected is their sum.
type Counts struct {
	Detected   int `json:"detected"`
	Fired      int `json:"fired"`
	Logged     int `json:"logged"`
	Suppressed int `json:"suppressed"`
	Corrected  int `json:"self_corrected"`
	Expired    int `json:"expired"`
	Coalesced  int `json:"coalesced"`
	Unsent     int `json:"unsent"`
	Queued     int `json:"queued"`  // still waiting
	Pending    int `json:"pending"` // in the grace turn
}

// Moment is one entry of the timeline.
type Moment struct {
	Turn int    `json:"turn"`
	What string `json:"what"`
	Text string `json:"text,omitempty"`
}

// RedFlag counts one phrase of SW-20.
type RedFlag struct {
	ID       string `json:"id"`
	Count    int    `json:"count"`
	Turns    []int  `json:"turns"`   // the first ten
	Sentence string `json:"example"` // the first one
}

// Tally counts a detector's signals by outcome and its interrupts by the agent's reaction.
type Tally struct {
	Detector string `json:"detector"`
	Title    string `json:"title,omitempty"`
	Counts
	Interrupts int `json:"interrupts"`
	Heeded     int `json:"heeded"`
	Ignored    int `json:"ignored"`
	Dismissed  int `json:"dismissed"`
	// Reasons counts why signals were not delivered, or not yet, by the decision's code: below_queue, muted,
	// cooldown, … (DP-18).
	Reasons map[string]int `json:"reasons,omitempty"`
	// NotSent is the same in words: "7 limited by a check, 1 below the threshold".
	NotSent string `json:"not_sent,omitempty"`
}

// HeedRate is the share of judged interrupts that were heeded; ok is false if none was judged (DP-21).
func (t Tally) HeedRate() (rate float64, ok bool) {
	judged := t.Heeded + t.Ignored
	if judged == 0 {
		return 0, false
	}
	return float64(t.Heeded) / float64(judged), true
}

// Usage is the sum of what the agent reported.
type Usage struct {
	Turns        int     `json:"turns"` // that reported usage
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	CacheRead    int64   `json:"cache_read_tokens"`
	CacheWrite   int64   `json:"cache_write_tokens"`
	CostUSD      float64 `json:"cost_usd"` // 0 where not known
}

// Subagent is what a session's report says about an agent that the session started (CO-9); that agent's own
// report has the details.
type Subagent struct {
	Session string `json:"session"`
	Name    string `json:"name,omitempty"` // its id, as its parent's harness gave it
	Turns   int    `json:"turns_observed"`
	// Told lists the interrupts that it was sent, in order, at most [maxSubagentWords].
	Told      []string `json:"told,omitempty"`
	Fired     int      `json:"interrupts"`
	Prevented int      `json:"prevented,omitempty"` // calls that the guard denied, kept first or warned of
	Debt      int      `json:"debt_added,omitempty"`
}

const (
	// maxSubagents and maxSubagentWords limit what a report holds about subagents.
	maxSubagents     = 50
	maxSubagentWords = 3
)

const subagentsTitle = "Its subagents"

// withSubagents adds to a report what its subagents did. Their open debt degrades the health of the session
// that started them, since their work is in its tree.
func withSubagents(m *Model, children []Model) {
	for i := range children {
		c := &children[i]
		m.Health.OfSubagents += c.Health.DebtAdded
		if len(m.Subagents) == maxSubagents {
			continue
		}
		one := Subagent{Session: c.Session.ID, Turns: c.Turns, Fired: len(c.Interrupts), Debt: c.Health.DebtAdded}
		if c.Session.Agent != nil {
			one.Name = c.Session.Agent.ID
		}
		if c.Prevented != nil {
			one.Prevented = c.Prevented.All()
		}
		for _, f := range c.Interrupts[:min(len(c.Interrupts), maxSubagentWords)] {
			one.Told = append(one.Told, f.Detector+" "+f.Message)
		}
		m.Subagents = append(m.Subagents, one)
	}
	if m.Health.OfSubagents > 0 {
		m.Health.Verdict = VerdictDegraded
		text := "Its subagents left " + page.Plural(m.Health.OfSubagents, "point") + " of debt open."
		m.Health.Explanation = append([]string{text}, m.Health.Explanation...)
	}
}

// subagentLines returns one line for each subagent with something to report.
func subagentLines(m Model) (lines []string) {
	quiet := 0
	for _, s := range m.Subagents {
		var parts []string
		if s.Prevented > 0 {
			parts = append(parts, page.Plural(s.Prevented, "call")+" prevented or secured")
		}
		if s.Fired > 0 {
			told := "told " + strings.Join(s.Told, "; ")
			if more := s.Fired - len(s.Told); more > 0 {
				told += fmt.Sprintf("; and %d more", more)
			}
			parts = append(parts, told)
		}
		if len(parts) == 0 {
			quiet++
			continue
		}
		name := s.Name
		if name == "" {
			name = s.Session
		}
		lines = append(lines, name+", "+page.Plural(s.Turns, "turn")+": "+strings.Join(parts, "; "))
	}
	if quiet > 0 && len(lines) > 0 {
		lines = append(lines, page.Plural(quiet, "more", "more")+" without findings")
	}
	return lines
}
