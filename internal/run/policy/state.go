package policy

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State holds the facts about a group's run, apart from the decisions about it. In the
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
	Unknown    []string   `json:"unknown,omitempty"` // unknown words that were warned about
	Ladder     []Issue    `json:"ladder,omitempty"`

	// judged is the cycle that the event completed. It is never set between two events.
	judged *runevents.CycleJudged
}
