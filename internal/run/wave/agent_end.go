package wave

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// agentReported folds an agent's report and what it says about the agent's work.
var agentReported = Rule{ID: "WP-15", Folds: true, On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
	c.wave, c.agent = c.completedAgent(d)
	agent := c.agent
	if agent == nil {
		return
	}
	if c.state.Tests = c.state.Tests || d.TestsRun != nil && *d.TestsRun; !c.state.Tests {
		c.seeTests(d.FilesChanged)
		c.seeTests(d.FilesCreated)
	}
	agent.Ended, agent.Status = c.Event.ID, statusOf(d)
	agent.ID, agent.Session = cmp.Or(d.AgentID, agent.ID), cmp.Or(d.Session, agent.Session)
	switch {
	case d.Commits != nil:
		agent.Stated = max(*d.Commits, 0)
	case c.config.sha(d.Commit) != "" && !c.state.Infra:
		agent.Stated = 1 // it names a commit, but no number of commits
	}
	ownership{c, agent}.reported(slices.Concat(d.FilesChanged, d.FilesCreated)...)
})}

// completedAgent returns the agent that a report is about: by wave and letter, otherwise
// by its id.
func (c *Context) completedAgent(d *runevents.AgentCompleted) (*Wave, *Agent) {
	if d.Wave > 0 && d.Letter != "" {
		w := c.state.needWave(c.config, d.Wave)
		return w, c.state.needAgent(c.config, w, d.Letter)
	}
	for _, w := range c.state.Waves {
		for _, agent := range w.Agents {
			if agent.ID != "" && agent.ID == d.AgentID && agent.Started != "" && agent.Ended == "" {
				return w, agent
			}
		}
	}
	return nil, nil
}

func statusOf(d *runevents.AgentCompleted) string {
	switch {
	case d.Status == statusPartial || d.Status == statusBlocked:
		return d.Status
	case d.Outcome == runevents.RunOutcomeTimeout:
		return statusTimeout
	case d.Outcome != runevents.RunOutcomeSuccess:
		return statusFailed
	}
	return statusComplete
}

// sha returns a commit as a report gives it, "" for a word that means none.
func (c *Config) sha(commit string) string {
	commit = strings.TrimSpace(commit)
	word := strings.ToLower(strings.Trim(commit, "()[]<>. "))
	if saysUncommitted(commit) || slices.Contains(c.NoCommit, word) || strings.Trim(word, "0") == "" {
		return ""
	}
	return commit
}

func saysUncommitted(commit string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(commit)), "uncommitted")
}

// reportWithoutCommit is WP-15 (I5). A blocked or crashed agent may have nothing to
// commit.
var reportWithoutCommit = Rule{ID: "WP-15", On: run.Types(runevents.TypeAgentCompleted), Run: aboutAgent(func(c *Context, d *runevents.AgentCompleted) {
	w, agent := c.wave, c.agent
	says := saysUncommitted(d.Commit)
	if c.config.sha(d.Commit) != "" || !says && slices.Contains([]string{statusBlocked, statusFailed, statusTimeout}, agent.Status) {
		return
	}
	problem := "without a commit"
	if says {
		problem = "with its work uncommitted"
	}
	c.judge(judgement{code: codeReportWithoutCommit, wave: w.Number, letter: agent.Letter, agent: d.AgentID, what: fmt.Sprintf("Agent %s of wave %d reported %s; agents commit before they report.", agent.Letter, w.Number, problem)})
})}

// reportInChat is WP-15 (I4): an agent's report belongs in the plan document. It is only
// missing there if the agent's output contains a report and its list of files lacks the
// document. A line that says where the report is does not count as one.
var reportInChat = Rule{ID: "WP-15", On: run.Types(runevents.TypeAgentCompleted), Run: aboutAgent(func(c *Context, d *runevents.AgentCompleted) {
	w, agent := c.wave, c.agent
	holds := func(line string) bool {
		return containsAny(line, c.config.ChatReports) && !containsAny(line, c.config.ReportPlaces)
	}
	if !slices.ContainsFunc(strings.Split(d.Output, "\n"), holds) {
		return
	}
	if slices.ContainsFunc(agent.Files, func(f Changed) bool { return matches(c.config.PlanDocuments, f.Path) }) {
		return
	}
	c.judge(judgement{code: codeReportInChat, wave: w.Number, letter: agent.Letter, agent: d.AgentID, what: fmt.Sprintf("Agent %s of wave %d gave its completion report in the chat and changed no plan document; the plan document is the single source of truth.", agent.Letter, w.Number)})
})}

// reportWithoutField0 is WP-18 at the report, which is a sign of work.
var reportWithoutField0 = Rule{ID: "WP-18", On: run.Types(runevents.TypeAgentCompleted), Run: aboutAgent(func(c *Context, d *runevents.AgentCompleted) {
	member{c, c.wave, c.agent}.worked(len(d.FilesChanged)+len(d.FilesCreated) > 0)
})}

// agentEnded is WP-15 (E7): an agent that did not complete blocks its wave until no agent
// blocks it any longer.
var agentEnded = Rule{ID: "WP-15", On: run.Types(runevents.TypeAgentCompleted), Run: aboutAgent(func(c *Context, _ *runevents.AgentCompleted) {
	w, agent := c.wave, c.agent
	if w.Number != c.state.Current {
		return
	}
	if agent.Status != statusComplete && !agent.Descoped {
		invariants := []string{"E7"}
		if agent.Status == statusBlocked {
			invariants = []string{"E7", "E8"}
		}
		c.judge(judgement{code: codeAgentBlocked, invariants: invariants, wave: w.Number, letter: agent.Letter, agent: agent.ID, what: fmt.Sprintf("Agent %s of wave %d %s; nothing of the wave may be merged until that is put right.", agent.Letter, w.Number, endings[agent.Status])})
		if to, ok := c.state.may(onBlocked); ok {
			c.state.Phase = to
		}
		return
	}
	c.unblock(w)
})}

// unblock leaves BLOCKED once nothing blocks the wave; decisions that an operator owes
// and tests that must pass remain.
func (m machine) unblock(w *Wave) {
	if m.state.Phase != Blocked || m.state.Trip != nil || w.Unverified || len(w.blocking()) > 0 || w.Merged {
		return
	}
	m.state.Phase, _ = m.state.may(onUnblocked)
}

// agentDescoped removes an agent from its wave; only an operator can do this.
var agentDescoped = Rule{ID: "WP-15", On: run.Types(runevents.TypeAgentDescoped), Run: run.With(func(c *Context, d *runevents.AgentDescoped) {
	if !c.Proven {
		return
	}
	w := c.state.needWave(c.config, d.Wave)
	agent := c.state.needAgent(c.config, w, d.Letter)
	if agent == nil {
		return
	}
	agent.Descoped = true
	if w.Number == c.state.Current {
		c.unblock(w)
	}
})}

// incomplete is E7 at the merge: a wave is not merged in parts.
func incomplete(q *question) []objection {
	if q.w == nil || q.w.solo() {
		return nil
	}
	var out []objection
	for _, agent := range q.w.blocking() {
		out = append(out, objection{rule: "WP-15", why: fmt.Sprintf("Agent %s %s; a wave is not merged in parts: let it complete, or an operator takes it out of the wave.", agent.Letter, endings[agent.Status]), evidence: []runevents.Reference{{Event: agent.Ended}}})
	}
	var open, done []string
	for _, agent := range q.w.scoped() {
		switch {
		case agent.Ended != "":
			done = append(done, agent.Letter)
		case agent.Started != "":
			open = append(open, agent.Letter)
		}
	}
	if len(open) > 0 && len(done) > 0 {
		out = append(out, objection{rule: "WP-15", why: fmt.Sprintf("Nothing was heard of the end of %s; a wave is not merged in parts: wait for the report, or an operator takes the agent out of the wave.", phrase(open))})
	}
	return out
}

// seeTests records that the project has tests (E13).
func (c *Context) seeTests(changed []string) {
	c.state.Tests = c.state.Tests || slices.ContainsFunc(changed, func(f string) bool { return c.config.files.Is(c.config.cleaned(f), files.Test) })
}
