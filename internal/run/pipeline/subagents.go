package pipeline

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// blindRead is PL-20: an agent that is blind and reads what an earlier phase handed
// over with its own tools is blind no more.
var blindRead = Rule{ID: "PL-20", On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context,
	d *sessionevents.TurnEvaluated,
) {
	if d.Observed == nil || len(d.Observed.Consulted) == 0 {
		return
	}
	agent := c.run.agentAt(d.Session)
	if agent == nil || agent.Mode != modeBlind {
		return
	}
	var fresh []string
	for _, file := range d.Observed.Consulted {
		if !slices.Contains(agent.Read, short(file)) {
			agent.Read = text.Newest(append(agent.Read, short(file)), c.config.Kept.Items)
			fresh = append(fresh, file)
		}
	}
	if len(fresh) == 0 {
		return
	}
	j := c.judgement("CONTAMINATION", "PL-20",
		"Agent %s is blind and read %s with its own tools: what it finds is not independent.", quote.Name(agent.ID), several(fresh))
	j.AgentID, j.Evidence = agent.ID, []runevents.Reference{{
		Event: c.Event.ID, Path: fresh[0],
		What: fmt.Sprintf("turn %d of session %s", d.Turn, short(d.Session)),
	}}
	c.violation(j)
})}

// agentAt returns the declared agent that works in a session, nil if it is unknown.
func (r *Run) agentAt(session string) *Agent {
	i := slices.IndexFunc(r.Sessions, func(s Session) bool { return s.ID == short(session) })
	if i < 0 || r.Sessions[i].Agent == "" {
		return nil
	}
	id := r.Sessions[i].Agent
	if at := slices.IndexFunc(r.Agents, func(a Agent) bool { return a.ID == id }); at >= 0 {
		return &r.Agents[at]
	}
	return nil
}

// delegated is PL-20: who delegates says first what it expects, so that the answer is
// evidence and not the conclusion. Said once in a phase.
var delegated = Rule{ID: "PL-20", On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context,
	d *sessionevents.TurnEvaluated,
) {
	if d.Observed == nil || d.Observed.Unguided == 0 {
		return
	}
	i := slices.IndexFunc(c.run.Open, func(p Phase) bool { return !p.Denied && c.config.pipelineWorkflow(p.Workflow) })
	if i < 0 || c.run.Open[i].Asked {
		return
	}
	phase := &c.run.Open[i]
	phase.Asked = true
	j := c.judgement("DELEGATED-WITHOUT-HYPOTHESIS", "PL-20",
		"Phase %s asks a subagent in turn %d of session %s and states no hypothesis before: its answer will be taken as the conclusion.", phase.Name, d.Turn, short(d.Session))
	j.Phase = phase.Name
	c.warning(j)
})}
