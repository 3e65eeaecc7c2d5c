package wave

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// A run whose plan document is read (IN-10) is evaluated by what the document shows
// before any agent starts and after all have reported. What a document cannot show, such
// as who approved it or when an agent started or verified itself, is not reported as
// missing in such a run.

// documented folds that a run's facts come from its plan document.
var documented = Rule{
	ID: "WP-6", Folds: true, On: run.Types(runevents.TypeRunStarted),
	Run: run.With(func(c *Context, d *runevents.RunStarted) {
		c.state.Document = c.state.Document || d.Actor.ID == runevents.PlanDocument
	}),
}

// untold reports whether the plan document is the only source about an agent.
func (s *State) untold(agent *Agent) bool { return s.Document && agent.Started == "" }

// reportedByDocument is WP-6 and WP-15 for a report that only the document contains:
// files that another agent or no agent owns, an agent that did not complete, a wave that
// was run although the scout found the task unsuitable.
var reportedByDocument = Rule{
	ID: "WP-6", On: run.Types(runevents.TypeAgentCompleted),
	Run: aboutAgent(func(c *Context, d *runevents.AgentCompleted) {
		w, agent := c.wave, c.agent
		if !c.state.untold(agent) {
			return
		}
		q := &question{Context: c, wave: w.Number, w: w}
		if c.state.Plan.Verdict == "NOT SUITABLE" {
			what := fmt.Sprintf("Wave %d was run though the scout found the task not suitable.", w.Number)
			q.breaks(&judgement{code: codeUnsuitable, wave: w.Number, what: what})
		}
		if agent.Status != statusComplete {
			c.judge(judgement{
				code: codeAgentBlocked, invariants: []string{"E7"}, wave: w.Number, letter: agent.Letter,
				agent: agent.ID, what: fmt.Sprintf("Agent %s of wave %d %s; nothing of the wave may be merged until that is put right.", agent.Letter, w.Number, endings[agent.Status]),
			})
		}
		if !w.Planned {
			return
		}
		for _, owner := range w.Agents {
			if files := c.config.foreign(owner, agent, d); len(files) > 0 {
				q.breaks(&judgement{
					code: codeForeignFile, wave: w.Number, letter: agent.Letter, agent: agent.ID, evidence: c.at(files),
					what: fmt.Sprintf("Agent %s of wave %d reports to have changed %s, which agent %s owns.",
						agent.Letter, w.Number, phrase(files), owner.Letter),
				})
			}
		}
		if files := c.undeclared(d); len(files) > 0 {
			q.breaks(&judgement{
				code: codeUndeclared, wave: w.Number, letter: agent.Letter, agent: agent.ID, evidence: c.at(files),
				what: fmt.Sprintf("Agent %s of wave %d reports to have changed %s, which no agent of the plan owns.",
					agent.Letter, w.Number, phrase(files)),
			})
		}
	}),
}

// foreign returns the reported files that another agent of the wave owns.
func (c *Config) foreign(owner, agent *Agent, d *runevents.AgentCompleted) []string {
	if owner == agent {
		return nil
	}
	return slices.DeleteFunc(c.reportedFiles(d), func(file string) bool {
		return ownedBy(agent,
			file) || !ownedBy(owner, file)
	})
}

// undeclared returns the reported files that no agent of any wave owns.
func (c *Context) undeclared(d *runevents.AgentCompleted) []string {
	return slices.DeleteFunc(c.config.reportedFiles(d), func(file string) bool {
		return slices.ContainsFunc(c.state.Waves, func(w *Wave) bool {
			return slices.ContainsFunc(w.Agents, func(a *Agent) bool { return ownedBy(a, file) })
		})
	})
}

// reportedFiles returns the files of a report that need an owner, without the plan
// document, shared files and lock files.
func (c *Config) reportedFiles(d *runevents.AgentCompleted) []string {
	var out []string
	for _, file := range c.all(slices.Concat(d.FilesChanged, d.FilesCreated)) {
		if !c.shared(file) && !matches(c.PlanDocuments, file) && !matches(c.LockFiles,
			file) && !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	return out
}
