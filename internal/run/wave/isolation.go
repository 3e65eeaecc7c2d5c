package wave

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// layerNames are the five layers of E4 (WP-17).
var layerNames = []string{"Pre-commit hook", "Manual worktree pre-creation", `isolation: "worktree" parameter`, "Field 0 self-verification", "Merge-time trip wire"}

// Incident is one failure of isolation with the state of each layer (WP-17).
type Incident = runevents.IsolationIncident

// defence returns the changes to the isolation defence since the mark, nil for none.
func (s *State) defence(m Mark) *runevents.IsolationJudged {
	var out runevents.IsolationJudged
	for i := range s.Incidents {
		if i >= len(m.caught) || len(s.Incidents[i].CaughtBy) != m.caught[i] {
			one := s.Incidents[i]
			one.Number = i + 1
			one.Layers, one.CaughtBy = slices.Clone(one.Layers), slices.Clone(one.CaughtBy)
			out.Incidents = append(out.Incidents, one)
		}
	}
	if tainted := s.Waves.tainted(); len(tainted) != m.tainted {
		out.Tainted = tainted
	}
	if m.active && len(out.Incidents)+len(out.Tainted) == 0 {
		return nil
	}
	for number, name := range layerNames {
		out.Layers = append(out.Layers, s.layer(number, name))
	}
	return &out
}

// layer counts the states of a layer over the run.
func (s *State) layer(number int, name string) runevents.IsolationLayer {
	out := runevents.IsolationLayer{Layer: number, Name: name}
	for i := range s.Incidents {
		if number >= len(s.Incidents[i].Layers) {
			continue
		}
		switch s.Incidents[i].Layers[number] {
		case runevents.LayerAbsent:
			out.Absent++
		case runevents.LayerFailed:
			out.Failed++
		case runevents.LayerCaught:
			out.Caught++
		}
	}
	return out
}

// member is an agent of a wave, as the layers of isolation see it (WP-7, WP-17, WP-18). Either is nil where it is
// not known.
type member struct {
	*Context
	w     *Wave
	agent *Agent
}

// incident records a failure of isolation. If the trip wire finds a known failure, it is
// recorded as caught by the trip wire, not as a second failure.
func (m member) incident(what string, by runevents.CaughtBy, shown ...trace) {
	w, agent := m.w, m.agent
	number, letter := 0, ""
	if w != nil {
		number = w.Number
	}
	if agent != nil {
		letter = agent.Letter
	}
	if by == "4" {
		seen := false
		for i := range m.state.Incidents {
			if one := &m.state.Incidents[i]; one.Wave == number && one.Letter == letter && letter != "" && !slices.Contains(one.CaughtBy, "0") {
				caught(one, 4)
				seen = true
			}
		}
		if seen {
			return
		}
	}
	if len(m.state.Incidents) >= m.config.Kept.Incidents {
		return
	}
	one := Incident{
		Wave: number, Letter: letter, What: what, Event: m.Event.ID, Layers: m.standings(shown),
		Observer: by == runevents.CaughtByObserver,
	}
	if by != runevents.CaughtByObserver {
		caught(&one, int(by[0]-'0'))
	}
	m.state.Incidents = append(m.state.Incidents, one)
}

func caught(i *Incident, layer int) {
	name := runevents.CaughtBy(rune('0' + layer))
	if !slices.Contains(i.CaughtBy, name) {
		i.CaughtBy = append(i.CaughtBy, name)
	}
	i.Layers[layer] = runevents.LayerCaught
}

// trace is evidence about a failure of isolation (WP-17).
type trace int

const (
	displaced trace = iota // the agent worked outside its worktree
	committed              // a commit was made to main
)

// standings returns the states of the layers at an incident; the trip wire applies later,
// at the merge. A layer failed only with evidence: the hook if a commit reached main, the
// layers that keep an agent in its worktree if it was elsewhere.
func (m member) standings(shown []trace) []runevents.LayerState {
	out := m.inPlace()
	for layer := range out {
		needs := displaced
		if layer == 0 {
			needs = committed
		}
		if out[layer] == runevents.LayerFailed && !slices.Contains(shown, needs) {
			out[layer] = runevents.LayerPassed
		}
	}
	return out
}

// inPlace returns the layers present, as if each had failed.
func (m member) inPlace() []runevents.LayerState {
	agent := m.agent
	out := []runevents.LayerState{runevents.LayerAbsent, runevents.LayerAbsent, runevents.LayerAbsent, runevents.LayerAbsent, runevents.LayerAhead}
	if m.state.Hook.Installed {
		out[0] = runevents.LayerFailed
	}
	if agent == nil {
		return out
	}
	if agent.Worktree != nil && agent.Worktree.Live {
		out[1] = runevents.LayerFailed
	}
	if agent.Isolation == isolationWorktree {
		out[2] = runevents.LayerFailed
	}
	switch agent.Field0 {
	case field0OK:
		out[3] = runevents.LayerFailed
	case field0Failed:
		out[3] = runevents.LayerCaught
	}
	return out
}

// Results of an agent's self-verification.
const (
	field0OK     = "ok"
	field0Failed = "failed"
)

// field0Checked is layer 3 (WP-18): an agent's own check of its location.
var field0Checked = Rule{ID: "WP-18", On: run.Types(runevents.TypeField0Checked), Run: run.With(func(c *Context, d *runevents.Field0Checked) {
	w := c.state.waveWith(d.Wave, d.Letter)
	agent := c.state.needAgent(c.config, w, d.Letter)
	if agent == nil {
		return
	}
	agent.Field0 = field0OK
	if d.OK {
		return
	}
	agent.Field0 = field0Failed
	member{c, w, agent}.incident("is not in its worktree by its own check", "3", displaced)
})}

// worked is WP-18 at the first sign of an agent's work: a warning without its check, a
// violation against a failed check.
func (m member) worked(edited bool) {
	w, agent := m.w, m.agent
	switch {
	case agent.Descoped, agent.Field0 == "" && m.state.untold(agent):
	case agent.Field0 == "" && !w.solo() && w.once(codeField0Missing+"/"+agent.Letter):
		m.judge(judgement{code: codeField0Missing, wave: w.Number, letter: agent.Letter, agent: agent.ID, what: fmt.Sprintf("Agent %s of wave %d worked and told no self-verification (Field 0, layer 3).", agent.Letter, w.Number)})
	case agent.Field0 == field0Failed && edited && w.once(codeField0Edits+"/"+agent.Letter):
		m.judge(judgement{code: codeField0Edits, wave: w.Number, letter: agent.Letter, agent: agent.ID, observed: true, what: fmt.Sprintf("Agent %s of wave %d failed its self-verification and edited all the same.", agent.Letter, w.Number)})
		m.incident("edited although its self-verification had failed", runevents.CaughtByObserver, displaced)
	}
}

// sessionTurn checks the edits of an agent's session (WP-18).
var sessionTurn = Rule{ID: "WP-18", On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context, d *sessionevents.TurnEvaluated) {
	if d.Observed == nil || len(d.Observed.FilesEdited) == 0 {
		return
	}
	w := c.state.current()
	if w == nil {
		return
	}
	for _, agent := range w.Agents {
		if agent.Started == "" || agent.Ended != "" || c.state.sessionOf(agent) != d.Session || d.Session == "" {
			continue
		}
		if !c.state.Tests {
			c.seeTests(d.Observed.FilesEdited)
		}
		ownership{c, agent}.planEdited(d.Observed.FilesEdited)
		if agent.Field0 == field0Failed {
			member{c, w, agent}.worked(true)
		}
		return
	}
})}

// planEdited records that an agent wrote into the plan document (I4).
func (o ownership) planEdited(files []string) {
	for _, file := range files {
		if matches(o.config.PlanDocuments, o.config.cleaned(file)) {
			o.changed([]string{file}, nil)
		}
	}
}
