package wave

import (
	"slices"
)

// caughtByObserver is our own live detection; it is credited to no layer (WP-17).
const caughtByObserver = "observer"

// Layers are the five layers of E4, as the source's table names them.
var layerNames = []string{"Pre-commit hook", "Manual worktree pre-creation", `isolation: "worktree" parameter`, "Field 0 self-verification", "Merge-time trip wire"}

// Standing says how a layer stood at an incident.
type Standing string

// Standings of a layer.
const (
	Absent Standing = "absent" // it was not in place
	Failed Standing = "failed" // it was in place and did not stop it
	Caught Standing = "caught" // it stopped or found it
	Passed Standing = "passed" // it was in place and had no part in it
	Ahead  Standing = "ahead"  // its turn comes later
)

// Incident is one failure of isolation and how each layer stood (WP-17).
type Incident struct {
	Wave   int    `json:"wave,omitempty"`
	Letter string `json:"letter,omitempty"`
	What   string `json:"what"`
	Event  string `json:"event"`
	// Layers holds the standing of layers 0 to 4.
	Layers []Standing `json:"layers"`
	// CaughtBy are the layers that caught it, "0" to "4", in the order they did.
	CaughtBy []string `json:"caught_by,omitempty"`
	// Observer says that our own live detection saw it.
	Observer bool `json:"observer,omitempty"`
}

// LayerReport is one of the five layers over a run.
type LayerReport struct {
	Layer  int    `json:"layer"`
	Name   string `json:"name"`
	Absent int    `json:"absent"` // incidents at which it was absent …
	Failed int    `json:"failed"`
	Caught int    `json:"caught"`
}

// IsolationReport is the section "Isolation defence" of a run's report (WP-17).
type IsolationReport struct {
	Layers    []LayerReport `json:"layers"`
	Incidents []Incident    `json:"incidents"`
	// Observer counts what our own live detection saw; it is no layer.
	Observer int   `json:"observer"`
	Tainted  []int `json:"tainted,omitempty"` // waves accepted as they are, for good
}

// Isolation tells how the five layers stood over a run.
func Isolation(s *State) IsolationReport {
	out := IsolationReport{Incidents: slices.Clone(s.Incidents)}
	for number, name := range layerNames {
		report := LayerReport{Layer: number, Name: name}
		for _, incident := range s.Incidents {
			switch standing(incident, number) {
			case Absent:
				report.Absent++
			case Failed:
				report.Failed++
			case Caught:
				report.Caught++
			}
		}
		out.Layers = append(out.Layers, report)
	}
	for _, incident := range s.Incidents {
		if incident.Observer {
			out.Observer++
		}
	}
	for _, w := range s.Waves {
		if w.Tainted {
			out.Tainted = append(out.Tainted, w.Number)
		}
	}
	return out
}

func standing(i Incident, layer int) Standing {
	if layer >= len(i.Layers) {
		return Passed
	}
	return i.Layers[layer]
}

// incident records a failure of isolation. The trip wire does not make a second one
// of what was seen before: it catches it.
func (c *Context) incident(w *Wave, agent *Agent, what, caughtBy string) {
	number, letter := 0, ""
	if w != nil {
		number = w.Number
	}
	if agent != nil {
		letter = agent.Letter
	}
	if caughtBy == "4" {
		seen := false
		for i := range c.state.Incidents {
			if one := &c.state.Incidents[i]; one.Wave == number && one.Letter == letter && letter != "" && !slices.Contains(one.CaughtBy, "0") {
				one.caught(4)
				seen = true
			}
		}
		if seen {
			return
		}
	}
	if len(c.state.Incidents) >= c.config.Kept.Incidents {
		return
	}
	one := Incident{Wave: number, Letter: letter, What: what, Event: c.Event.ID, Layers: c.standings(agent), Observer: caughtBy == caughtByObserver}
	if caughtBy != caughtByObserver {
		one.caught(int(caughtBy[0] - '0'))
	}
	c.state.Incidents = append(c.state.Incidents, one)
}

func (i *Incident) caught(layer int) {
	name := string(rune('0' + layer))
	if !slices.Contains(i.CaughtBy, name) {
		i.CaughtBy = append(i.CaughtBy, name)
	}
	i.Layers[layer] = Caught
}

// standings are how the layers stand when an agent is found elsewhere than in its
// worktree; the trip wire's turn comes at the merge.
func (c *Context) standings(agent *Agent) []Standing {
	out := []Standing{Absent, Absent, Absent, Absent, Ahead}
	if c.state.Hook.Installed {
		out[0] = Failed
	}
	if agent == nil {
		return out
	}
	if agent.Worktree != nil && agent.Worktree.Live {
		out[1] = Failed
	}
	if agent.Isolation == isolationWorktree {
		out[2] = Failed
	}
	switch agent.Field0 {
	case field0OK:
		out[3] = Failed
	case field0Failed:
		out[3] = Caught
	}
	return out
}
