package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State is what is known of a group's run, beside what is decided of it. In the
// group of a session without a run it holds that session alone.
type State struct {
	settle.State

	Place      Place      `json:"place,omitzero"`
	Agents     Failures   `json:"agent_failures,omitzero"`
	Tasks      Failures   `json:"task_failures,omitzero"`
	Shadows    []Repeats  `json:"shadows,omitempty"`
	Suite      Suite      `json:"suite,omitzero"`
	Spending   Spending   `json:"spending,omitzero"`
	Checkpoint Checkpoint `json:"checkpoint,omitzero"`
	Cycles     Cycles     `json:"cycles,omitzero"`
	Unknown    []string   `json:"unknown,omitempty"` // words without a meaning that were warned about
	Ladder     []Issue    `json:"ladder,omitempty"`

	// judged is the cycle that the event completed. Never set between two events.
	judged *runevents.CycleJudged
}
