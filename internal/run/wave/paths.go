package wave

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// cleaned returns a path in canonical form, "" for an invalid one.
func (c *Config) cleaned(file string) string {
	file = strings.ReplaceAll(strings.TrimSpace(file), `\`, "/")
	if file == "" || len(file) > c.Kept.PathBytes {
		return ""
	}
	folder := strings.HasSuffix(file, "/")
	file = path.Clean(file)
	if folder && file != "/" {
		return file + "/"
	}
	return file
}

// matches reports whether a file matches one of the patterns: path.Match of the whole
// path or its last part, or dir/**.
func matches(patterns []string, file string) bool {
	for _, pattern := range patterns {
		if folder, whole := strings.CutSuffix(pattern, "/**"); whole {
			if strings.HasPrefix(file, folder+"/") || strings.Contains(file, "/"+folder+"/") {
				return true
			}
			continue
		}
		if fits(pattern, file) || fits(pattern, path.Base(file)) {
			return true
		}
	}
	return false
}

func fits(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return err == nil && ok
}

// owns reports whether an entry of an ownership table covers a file: the file
// itself, a folder, dir/** or a pattern.
func owns(entry, file string) bool {
	if entry == file || everything(entry) {
		return true
	}
	if folder, whole := strings.CutSuffix(entry, "/**"); whole {
		return strings.HasPrefix(file, folder+"/")
	}
	return strings.HasPrefix(file, strings.TrimSuffix(entry, "/")+"/") || fits(entry, file)
}

// shared reports whether several agents may append to a file (E12, E14).
func (c *Config) shared(file string) bool {
	return matches(c.SharedFiles, file) || matches(c.PlanDocuments, file)
}

// source returns the files that count as source code for the separation of roles
// (WP-12).
func (c *Config) source(files []string) []string {
	var out []string
	for _, file := range files {
		if file = c.cleaned(file); file != "" && !matches(c.NotSource, file) && !matches(c.PlanDocuments, file) {
			out = append(out, file)
		}
	}
	return out
}

// at returns references to files in the current event.
func (r record) at(files []string) []runevents.Reference {
	var out []runevents.Reference
	for _, file := range files[:min(len(files), r.config.Kept.References)] {
		out = append(out, runevents.Reference{Event: r.Event.ID, Path: file})
	}
	return out
}

// phrase joins the first few words in a phrase such as "a, b and c".
func phrase(words []string) string {
	const shown = 6
	if len(words) > shown {
		return strings.Join(mentioned(words[:shown]), ", ") + " and more"
	}
	return enumerated(words)
}

// enumerated joins all words in a phrase such as "a, b and c".
func enumerated(words []string) string {
	words = mentioned(words)
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// mentioned returns the names of files, agents and the like, quoted for a text.
func mentioned(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = quote.Path(name)
	}
	return out
}

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
