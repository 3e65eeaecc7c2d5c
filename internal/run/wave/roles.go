package wave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// commitByRole is WP-12 (I6): the orchestrator coordinates and the scout plans; neither
// implements.
var commitByRole = Rule{ID: "WP-12", On: run.Types(runevents.TypeGitCommit), Run: madeCommit(func(c *Context, d *runevents.GitCommit) {
	by, branchOf := c.by, c.agent
	switch {
	case branchOf != nil && c.namesOrchestrator(d.Author) && !(c.state.Trip != nil && c.state.Trip.Option == 2):
		gitCommit{c, d}.orchestratorOnBranch(branchOf)
	case branchOf == nil && by == roleAgent && d.Letter != "" && c.namesOrchestrator(d.Author) && c.state.Waves.agentByID(d.Author) == nil:
		c.judge(judgement{code: codeOrchestratorAgent, wave: c.state.Current, letter: d.Letter, what: fmt.Sprintf("The orchestrator committed as agent %s.", d.Letter), evidence: c.at(c.config.all(d.Files))})
	case by == roleScout:
		if files := c.config.source(d.Files); len(files) > 0 {
			c.judge(judgement{code: codeScoutSource, what: "The scout committed " + phrase(files) + "; it plans and writes no source.", evidence: c.at(files)})
		}
	case by == roleOrchestrator && branchOf == nil:
		gitCommit{c, d}.orchestratorCommits()
	}
})}

func (c gitCommit) orchestratorOnBranch(agent *Agent) {
	c.judge(judgement{code: codeOrchestratorAgent, wave: c.state.Current, letter: agent.Letter, what: fmt.Sprintf("The orchestrator committed to %s, the branch of agent %s.", branchName(c.d.Branch), agent.Letter), evidence: c.at(c.config.all(c.d.Files))})
}

// orchestratorCommits checks what an orchestrator commits itself. After a merge has
// started, a commit without a purpose counts as one that belongs to the merge.
func (c gitCommit) orchestratorCommits() {
	if isPurpose(c.config.ExemptPurposes, c.d.Purpose) || c.config.isMergeCommit(c.d) {
		return
	}
	if c.d.Purpose == "" && (c.state.Phase == WaveMerging || c.state.Phase == WaveVerified || c.state.Phase == Complete) {
		return
	}
	files := c.config.all(c.d.Files)
	if plans := selected(files, func(f string) bool { return matches(c.config.PlanDocuments, f) }); len(plans) > 0 {
		c.judge(judgement{code: codeOrchestratorPlan, wave: c.state.Current, what: "The orchestrator committed " + phrase(plans) + "; the plan document is the scout's and the agents'.", evidence: c.at(plans)})
	}
	source := c.config.source(c.d.Files)
	scaffolds := selected(source, func(f string) bool {
		return slices.ContainsFunc(c.state.Plan.Scaffolds, func(s ScaffoldState) bool { return s.File == f })
	})
	switch {
	case len(scaffolds) > 0:
		c.judge(judgement{code: codeOrchestratorScaff, wave: c.state.Current, what: "The orchestrator committed the scaffold " + phrase(scaffolds) + "; that is the scaffold agent's part.", evidence: c.at(scaffolds)})
	case len(source) > 0:
		c.judge(judgement{code: codeOrchestratorSource, wave: c.state.Current, what: "The orchestrator committed " + phrase(source) + "; implementing is the agents' part, in a solo wave too.", evidence: c.at(source)})
	}
}

// isPurpose reports whether a commit's purpose is in a list, in any spelling: post-merge,
// "Post merge" and post_merge are the same.
func isPurpose(list []string, purpose string) bool {
	words := strings.FieldsFunc(strings.ToLower(purpose), func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	return slices.Contains(list, strings.Join(words, "_"))
}

func selected(files []string, keep func(string) bool) []string {
	var out []string
	for _, file := range files {
		if keep(file) {
			out = append(out, file)
		}
	}
	return out
}

// orchestratorStartsAsAgent is WP-12 at the start of an agent.
var orchestratorStartsAsAgent = Rule{ID: "WP-12", On: run.Types(runevents.TypeAgentStarted), Run: aboutAgent(func(c *Context, d *runevents.AgentStarted) {
	c.orchestratorAsAgent(d.AgentID, d.Wave, d.Letter)
})}

// orchestratorReportsAsAgent is WP-12 at the report of an agent.
var orchestratorReportsAsAgent = Rule{ID: "WP-12", On: run.Types(runevents.TypeAgentCompleted), Run: aboutAgent(func(c *Context, d *runevents.AgentCompleted) {
	c.orchestratorAsAgent(d.AgentID, c.wave.Number, c.agent.Letter)
})}

// orchestratorAsAgent is WP-12 for an orchestrator that runs as an agent of a wave.
func (c *Context) orchestratorAsAgent(id string, wave int, letter string) {
	if !c.namesOrchestrator(id) {
		return
	}
	if w := c.state.Waves.numbered(wave); w == nil || !w.once(codeOrchestratorAgent+"/"+letter) {
		return
	}
	c.judge(judgement{code: codeOrchestratorAgent, wave: wave, letter: letter, agent: id, what: fmt.Sprintf("The orchestrator %s does the work of agent %s in wave %d itself.", id, letter, wave)})
}
