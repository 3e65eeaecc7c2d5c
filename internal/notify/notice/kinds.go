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

// Kind is how one sort of notice is told.
type Kind struct {
	ID    string                      `yaml:"id"`
	Layer runevents.NotificationLayer `yaml:"layer" allow:"operator|team"`
	// Hold: it waits for working hours (PL-51).
	Hold bool `yaml:"hold"`
	// Repeat: it is told again until a person answered, or it is over.
	Repeat bool `yaml:"repeat"`
	// Prefer: of its channels only one is told, the first of these kinds (PL-36).
	Prefer []string `yaml:"prefer"`
	// Title and Text have names in braces; a line of Text that names something
	// of which there is nothing is left out.
	Title string   `yaml:"title"`
	Text  []string `yaml:"text"`
}

// Words is the section "notify" of the rule data.
type Words struct {
	Kinds []Kind `yaml:"kinds"`
	// Outcomes of run.completed that mean success, and those that are not reported.
	Success []string `yaml:"success"`
	Quiet   []string `yaml:"quiet"`
	// Interrupts are the detectors whose interrupts are notices too (CO-4).
	Interrupts []string `yaml:"interrupts"`
	// Prevented are the outcomes of the guard that are notices (GD-21).
	Prevented []string `yaml:"prevented" allow:"denied|kept|warned|allowed"`
	// Others say a message of several, a repeated one and a digest.
	Several string `yaml:"several"`
	Again   string `yaml:"again"`
	Digest  string `yaml:"digest"`
	Late    string `yaml:"late"`
	Settled string `yaml:"settled"`
	More    string `yaml:"more"`
	Limits  Limits `yaml:"limits"`
}

// Limits bound the state.
type Limits struct {
	Runs     int `yaml:"runs" range:"1..100000"`    // whose preferences are remembered
	Waiting  int `yaml:"waiting" range:"1..100000"` // messages and groups that wait
	Notices  int `yaml:"notices" range:"1..1000"`   // of one message; the rest is counted
	Burst    int `yaml:"burst" range:"1..1000"`     // messages of a channel at once; more are one
	Past     int `yaml:"past" range:"1..100000"`    // what is remembered of what was told
	TextSize int `yaml:"text_size" range:"80..100000"`
}

// LoadWords reads the section; an error names file, line and the cure.
func LoadWords(set *rules.Set) (*Words, error) {
	w := &Words{}
	if err := set.Decode("notify", w); err != nil {
		return nil, fmt.Errorf("read notify configuration: %w", err)
	}
	return w, nil
}

// Validate wants each kind once.
func (w *Words) Validate() error {
	for _, id := range KindNames() {
		if w.kind(id) == nil {
			return &rules.Invalid{Path: []string{"kinds"}, Why: fmt.Sprintf("the kind %q is missing", id)}
		}
	}
	for i := range w.Kinds {
		if w.kind(w.Kinds[i].ID) != &w.Kinds[i] {
			return &rules.Invalid{Path: []string{"kinds", w.Kinds[i].ID}, Why: "it stands here twice, keep one"}
		}
	}
	return nil
}

// KindNames are the kinds there are.
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
