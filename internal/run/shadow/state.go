package shadow

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State holds what the evaluator's shadows need of a group: of a run or, in the group of
// a project, of the project's runs. Both are nil for a session without a run. The
// configuration's `kept` bounds its size.
type State struct {
	Run     *runState     `json:"run,omitempty"`
	Project *projectState `json:"project,omitempty"`
}

// runState holds the facts about one run.
type runState struct {
	Project   string `json:"project,omitempty"` // or the workspace, if no project is named
	Workflow  string `json:"workflow,omitempty"`
	Task      string `json:"task,omitempty"` // the task, shortened
	Cycle     int    `json:"cycle"`          // the current one, from 1
	Completed bool   `json:"completed,omitempty"`

	Agents   []agent      `json:"agents,omitempty"`
	Sessions []session    `json:"sessions,omitempty"`
	Reviews  []review     `json:"reviews,omitempty"`
	Findings []tracked    `json:"findings,omitempty"`
	Lessons  []lesson     `json:"lessons,omitempty"`
	Phases   []phaseTimes `json:"phases,omitempty"`
	Proposal *proposal    `json:"proposal,omitempty"`
	// Designer is the Creator that completed last.
	Designer *designer `json:"designer,omitempty"`
	// Changed are the files of the run's change, Lines its number of lines as far as
	// reported.
	Changed []string `json:"changed,omitempty"`
	Lines   int      `json:"lines,omitempty"`
	// Made are the files that Makers changed since the proposal, and the events that
	// report them.
	Made       []string `json:"made,omitempty"`
	MadeEvents []string `json:"made_events,omitempty"`
	// Explorers are the spawns of Explorers in this cycle.
	Explorers []string `json:"explorers,omitempty"`
	// TestsAt is the last test run of this cycle that infrastructure or the
	// orchestrator reported.
	TestsAt string `json:"tests_at,omitempty"`
	// Reported holds the reported facts, so that each is reported once.
	Reported []string `json:"told,omitempty"`
	// Crowded is set once too many findings were reported, until their number has fallen.
	Crowded bool `json:"crowded,omitempty"`
}

// agent holds the facts about one agent.
type agent struct {
	ID        string `json:"id"`
	Archetype string `json:"archetype,omitempty"`
	Session   string `json:"session,omitempty"`
}

// designer is a Creator that completed.
type designer struct {
	Agent    agent  `json:"agent"`
	Cycle    int    `json:"cycle,omitempty"`
	Event    string `json:"event"`
	Reported bool   `json:"told,omitempty"`
	Judged   string `json:"judged,omitempty"`  // event of the proposal it was evaluated with
	Waiting  bool   `json:"waiting,omitempty"` // spawned, not completed
}

// proposal is the plan that the Maker is measured against.
type proposal struct {
	Event        string   `json:"event"`
	Cycle        int      `json:"cycle,omitempty"`
	Files        []string `json:"files,omitempty"`
	Abstractions *int     `json:"abstractions,omitempty"`
	Packages     *int     `json:"packages,omitempty"`
	Words        *int     `json:"words,omitempty"`
	TaskWords    *int     `json:"task_words,omitempty"`
	Judged       bool     `json:"judged,omitempty"`
	FromText     bool     `json:"from_text,omitempty"` // read from the plan because no event listed it
	Open         bool     `json:"open,omitempty"`      // it names folders, so its files cannot be counted
}

// lesson is a lesson from memory that was put into a prompt.
type lesson struct {
	ID      string             `json:"id"`
	Finding string             `json:"finding"`
	Text    string             `json:"text,omitempty"`  // if it names no finding
	Known   *runevents.Finding `json:"known,omitempty"` // the known finding it is about
	Event   string             `json:"event"`
}

// phaseTimes is the duration of a kind of phase in a cycle.
type phaseTimes struct {
	Name    string `json:"name"` // plan or do
	Began   int64  `json:"began,omitempty"`
	Took    int64  `json:"took,omitempty"` // nanoseconds
	Running bool   `json:"running,omitempty"`
	Event   string `json:"event,omitempty"`
}

// firstReport reports whether a fact is new, and records it.
func (r *runState) firstReport(fact string, limit int) bool {
	if slices.Contains(r.Reported, fact) {
		return false
	}
	r.Reported = text.Newest(append(r.Reported, fact), limit)
	return true
}

// agent returns an agent, nil if it is unknown.
func (r *runState) agent(id string) *agent {
	for i := range r.Agents {
		if r.Agents[i].ID == id && id != "" {
			return &r.Agents[i]
		}
	}
	return nil
}

// note updates an agent; known values are kept unless the event has new ones.
func (r *runState) note(id, archetype, session string, limit int) agent {
	if id == "" {
		return agent{Archetype: archetype, Session: session}
	}
	known := r.agent(id)
	if known == nil {
		r.Agents = text.Newest(append(r.Agents, agent{ID: id}), limit)
		known = &r.Agents[len(r.Agents)-1]
	}
	if archetype != "" {
		known.Archetype = archetype
	}
	if session != "" {
		known.Session = session
	}
	return *known
}

// Size estimates the memory of a state in bytes.
func (s *State) Size() int {
	if s.Run == nil {
		return 0
	}
	r := s.Run
	n := 512 + len(r.Task) + 48*(len(r.Agents)+len(r.Reported)) + 128*len(r.Lessons) + 48*(len(r.Changed)+len(r.Made))
	for i := range r.Sessions {
		n += 256 + len(r.Sessions[i].Text) + 64*(len(r.Sessions[i].Read)+len(r.Sessions[i].Edited))
	}
	for i := range r.Reviews {
		n += 128 + 256*len(r.Reviews[i].Findings)
	}
	return n + 384*len(r.Findings)
}
