package archeflow

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
)

// fields is the data of any event of the log; each type uses some of it.
type fields struct {
	// run.start, run.complete, run.merged
	Task      loose.String    `json:"task"`
	Workflow  loose.String    `json:"workflow"`
	Project   loose.String    `json:"project"`
	Workspace loose.String    `json:"workspace"`
	Budget    loose.Amount    `json:"budget_usd"`
	Config    json.RawMessage `json:"config"`
	Status    loose.String    `json:"status"`
	PR        loose.String    `json:"pr_url"`
	SHA       loose.String    `json:"sha"`
	Commit    loose.String    `json:"commit"`

	// agent.*
	Archetype  loose.String `json:"archetype"`
	Model      loose.String `json:"model"`
	Session    loose.String `json:"session_id"`
	DurationMS loose.Int    `json:"duration_ms"`
	Artifacts  texts        `json:"artifacts"`
	Summary    loose.String `json:"summary"`
	Output     loose.String `json:"output"`
	Reason     loose.String `json:"reason"`
	Files      texts        `json:"files_changed"`
	TestsRun   *loose.Bool  `json:"tests_run"`
	Cost       money        `json:"estimated_cost_usd"`
	Recorded   money        `json:"cost_usd"` // for cost.recorded

	// review.verdict
	Verdict  loose.String `json:"verdict"`
	Findings findings     `json:"findings"`

	// cycle.boundary, phase.transition, decision
	Cycle       loose.Int    `json:"cycle"`
	Exit        loose.String `json:"exit_condition"`
	Decision    loose.String `json:"decision"`
	Next        loose.String `json:"next_action"`
	Critical    *loose.Int   `json:"critical"`
	Warning     *loose.Int   `json:"warning"`
	Info        *loose.Int   `json:"info"`
	Convergence score        `json:"convergence"`
	Score       score        `json:"convergence_score"`
	From        loose.String `json:"from"`
	To          loose.String `json:"to"`
	What        loose.String `json:"what"`
	Chosen      loose.String `json:"chosen"`
	Input       loose.String `json:"input"` // decision.point

	// shadow.detected
	Shadow  loose.String `json:"shadow"`
	Trigger loose.String `json:"trigger"`
}

// counted returns how many findings remained according to a cycle.boundary; nil if it does not say.
func (f *fields) counted() *int64 {
	var sum *int64
	for _, n := range []*loose.Int{f.Critical, f.Warning, f.Info} {
		if n != nil {
			if sum == nil {
				sum = new(int64)
			}
			*sum += max(int64(*n), 0)
		}
	}
	return sum
}

// texts is a list of texts; a single text counts as a list, and what is not text is left out.
type texts []string

// UnmarshalJSON accepts any type.
func (t *texts) UnmarshalJSON(b []byte) error {
	*t = nil
	var list []loose.String
	if json.Unmarshal(b, &list) != nil {
		var one loose.String
		_ = json.Unmarshal(b, &one)
		list = []loose.String{one}
	}
	for _, v := range list {
		if v != "" {
			*t = append(*t, string(v))
		}
	}
	return nil
}

// score is a convergence score, alone or inside an object. It is nil for null, for text that is not a
// number, and for a number outside 0 to 1.
type score struct{ value *float64 }

// UnmarshalJSON accepts any type.
func (s *score) UnmarshalJSON(b []byte) error {
	s.value = nil
	var inside struct {
		Convergence json.RawMessage `json:"convergence_score"`
		Score       json.RawMessage `json:"score"`
	}
	if json.Unmarshal(b, &inside) == nil {
		b = inside.Convergence
		if b == nil {
			b = inside.Score
		}
	}
	if v, ok := number(b); ok && v >= 0 && v <= 1 {
		s.value = &v
	}
	return nil
}

// money is an amount in dollars, including the forms that people write: "$0.45", "0.45 USD".
type money struct {
	amount float64
	unread bool // there is a value, but it is not an amount
}

// UnmarshalJSON accepts any type.
func (m *money) UnmarshalJSON(b []byte) error {
	var text loose.String
	_ = json.Unmarshal(b, &text)
	figure := strings.ToLower(strings.TrimSpace(string(text)))
	figure = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(figure, "~"), "$"), "usd"))
	v, ok := number([]byte(figure))
	*m = money{unread: !ok && figure != "" || ok && (v < 0 || v >= 1e12)}
	if ok && !m.unread {
		m.amount = v
	}
	return nil
}

// number parses a number, which may be text.
func number(b []byte) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.Trim(strings.TrimSpace(string(b)), `"`)), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
