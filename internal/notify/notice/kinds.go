package notice

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Kinds of notices; rules/notify.yaml has their words.
const (
	KindBreak         = "break"
	KindEscalation    = "escalation"
	KindHaltIgnored   = "halt_ignored"
	KindGate          = "gate"
	KindClarification = "clarification"
	KindRunEnded      = "run_ended"
	KindReview        = "review"
	KindChannelGone   = "channel_gone"
	KindInterrupt     = "interrupt"
	KindPrevented     = "prevented"
)

// Kind configures one kind of notice.
type Kind struct {
	ID    string                      `yaml:"id"`
	Layer runevents.NotificationLayer `yaml:"layer" allow:"operator|team"`
	// wait for working hours (PL-51)
	Hold bool `yaml:"hold"`
	// repeat until a person answers or it is over
	Repeat bool `yaml:"repeat"`
	// Prefer sends to one channel only: the first of these kinds (PL-36).
	Prefer []string `yaml:"prefer"`
	// Title and Text have names in braces; a line of Text is left out if a name in it has no value.
	Title string   `yaml:"title"`
	Text  []string `yaml:"text"`
}

// Words is the section "notify" of the rule data.
type Words struct {
	Kinds []Kind `yaml:"kinds"`
	// Outcomes of run.completed that mean success, and those that are not reported.
	Success []string `yaml:"success"`
	Quiet   []string `yaml:"quiet"`
	// Interrupts lists the detectors whose interrupts are notices too (CO-4).
	Interrupts []string `yaml:"interrupts"`
	// Prevented lists the outcomes of the guard that are notices (GD-21).
	Prevented []string `yaml:"prevented" allow:"denied|kept|warned|allowed"`
	// Words for a message with several notices, a repeated one and a digest.
	Several string `yaml:"several"`
	Again   string `yaml:"again"`
	Digest  string `yaml:"digest"`
	Late    string `yaml:"late"`
	Settled string `yaml:"settled"`
	More    string `yaml:"more"`
	Limits  Limits `yaml:"limits"`
}

// Limits limits the size of the state.
type Limits struct {
	Runs     int `yaml:"runs" range:"1..100000"`    // runs whose preferences are remembered
	Waiting  int `yaml:"waiting" range:"1..100000"` // pending messages and groups
	Notices  int `yaml:"notices" range:"1..1000"`   // notices in one message; the rest is counted
	Burst    int `yaml:"burst" range:"1..1000"`     // messages of a channel at once; more are combined
	Past     int `yaml:"past" range:"1..100000"`    // lines about past messages
	TextSize int `yaml:"text_size" range:"80..100000"`
}

// LoadWords reads the section; an error names file, line and cure.
func LoadWords(set *rules.Set) (*Words, error) {
	w := &Words{}
	if err := set.Decode("notify", w); err != nil {
		return nil, fmt.Errorf("read notify configuration: %w", err)
	}
	return w, nil
}

// Validate requires that each kind occurs once.
func (w *Words) Validate() error {
	for _, id := range KindNames() {
		if w.kind(id) == nil {
			return &rules.Invalid{Path: []string{"kinds"}, Why: fmt.Sprintf("the kind %q is missing", id)}
		}
	}
	for i := range w.Kinds {
		if w.kind(w.Kinds[i].ID) != &w.Kinds[i] {
			return &rules.Invalid{Path: []string{"kinds", w.Kinds[i].ID}, Why: "it occurs twice, keep one"}
		}
	}
	return nil
}

// KindNames returns all kinds.
func KindNames() []string {
	return []string{KindBreak, KindEscalation, KindHaltIgnored, KindGate, KindClarification, KindRunEnded, KindReview, KindChannelGone, KindInterrupt, KindPrevented}
}

func (w *Words) kind(id string) *Kind {
	for i := range w.Kinds {
		if w.Kinds[i].ID == id {
			return &w.Kinds[i]
		}
	}
	return nil
}
