package wave

import (
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// roles is WP-12 (I6): the orchestrator coordinates, the scout plans; neither
// implements.
func (a *act) roles(d *runevents.GitCommit, by role, branchOf *Agent) {
	switch {
	case branchOf != nil && a.namesOrchestrator(d.Author) && !(a.s.Trip != nil && a.s.Trip.Option == 2):
		a.orchestratorOnBranch(d, branchOf)
	case branchOf == nil && by == roleAgent && d.Letter != "" && a.namesOrchestrator(d.Author) && a.s.agentByID(d.Author) == nil:
		a.judge(judgement{code: codeOrchestratorAgent, wave: a.s.Current, letter: d.Letter, what: fmt.Sprintf("The orchestrator committed as agent %s.", d.Letter), evidence: a.at(a.c.all(d.Files))})
	case by == roleScout:
		if files := a.c.source(d.Files); len(files) > 0 {
			a.judge(judgement{code: codeScoutSource, what: "The scout committed " + phrase(files) + "; it plans and writes no source.", evidence: a.at(files)})
		}
	case by == roleOrchestrator && branchOf == nil:
		a.orchestratorCommits(d)
	}
}

func (a *act) orchestratorOnBranch(d *runevents.GitCommit, agent *Agent) {
	a.judge(judgement{code: codeOrchestratorAgent, wave: a.s.Current, letter: agent.Letter, what: fmt.Sprintf("The orchestrator committed to %s, the branch of agent %s.", branchName(d.Branch), agent.Letter), evidence: a.at(a.c.all(d.Files))})
}

// orchestratorCommits judges what an orchestrator commits itself. After a merge
// began, a commit that gives no purpose is taken as one that follows the merge.
func (a *act) orchestratorCommits(d *runevents.GitCommit) {
	if isPurpose(a.c.ExemptPurposes, d.Purpose) || a.isMergeCommit(d) {
		return
	}
	if d.Purpose == "" && (a.s.Phase == WaveMerging || a.s.Phase == WaveVerified || a.s.Phase == Complete) {
		return
	}
	files := a.c.all(d.Files)
	if plans := selected(files, func(f string) bool { return matches(a.c.PlanDocuments, f) }); len(plans) > 0 {
		a.judge(judgement{code: codeOrchestratorPlan, wave: a.s.Current, what: "The orchestrator committed " + phrase(plans) + "; the plan document is the scout's and the agents'.", evidence: a.at(plans)})
	}
	source := a.c.source(d.Files)
	scaffolds := selected(source, func(f string) bool {
		return slices.ContainsFunc(a.s.Plan.Scaffolds, func(s ScaffoldState) bool { return s.File == f })
	})
	switch {
	case len(scaffolds) > 0:
		a.judge(judgement{code: codeOrchestratorScaff, wave: a.s.Current, what: "The orchestrator committed the scaffold " + phrase(scaffolds) + "; that is the scaffold agent's part.", evidence: a.at(scaffolds)})
	case len(source) > 0:
		a.judge(judgement{code: codeOrchestratorSource, wave: a.s.Current, what: "The orchestrator committed " + phrase(source) + "; implementing is the agents' part, in a solo wave too.", evidence: a.at(source)})
	}
}

// isPurpose reports whether a commit's purpose is in a list, however it is spelled:
// post-merge, "Post merge" and post_merge are one.
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

// orchestratorAsAgent is WP-12 where the orchestrator runs as an agent of a wave.
func (a *act) orchestratorAsAgent(id string, wave int, letter string) {
	if !a.namesOrchestrator(id) {
		return
	}
	if w := a.s.wave(wave); w == nil || !w.once(codeOrchestratorAgent+"/"+letter) {
		return
	}
	a.judge(judgement{code: codeOrchestratorAgent, wave: wave, letter: letter, agent: id, what: fmt.Sprintf("The orchestrator %s does the work of agent %s in wave %d itself.", id, letter, wave)})
}
