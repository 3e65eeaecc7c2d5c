package wave

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// agentCompleted is WP-15: an agent that did not complete blocks its wave, and a
// report stands on a commit.
func (a *act) agentCompleted(d *runevents.AgentCompleted) {
	w, agent := a.completedAgent(d)
	if agent == nil {
		return
	}
	if a.s.Tests = a.s.Tests || d.TestsRun != nil && *d.TestsRun; !a.s.Tests {
		a.seeTests(d.FilesChanged)
		a.seeTests(d.FilesCreated)
	}
	agent.Ended, agent.Status = a.event.ID, statusOf(d)
	agent.ID, agent.Session = cmp.Or(d.AgentID, agent.ID), cmp.Or(d.Session, agent.Session)
	switch {
	case d.Commits != nil:
		agent.Stated = max(*d.Commits, 0)
	case a.c.sha(d.Commit) != "" && !a.s.Infra:
		agent.Stated = 1 // it names a commit, not how many
	}
	a.reported(agent, slices.Concat(d.FilesChanged, d.FilesCreated)...)
	a.orchestratorAsAgent(d.AgentID, w.Number, agent.Letter)
	a.uncommitted(w, agent, d)
	a.reportInChat(w, agent, d)
	a.worked(w, agent, len(d.FilesChanged)+len(d.FilesCreated) > 0)
	a.settleBlock(w, agent)
}

// completedAgent is the agent that a report is about: by wave and letter, else by
// its id.
func (a *act) completedAgent(d *runevents.AgentCompleted) (*Wave, *Agent) {
	if d.Wave > 0 && d.Letter != "" {
		w := a.s.needWave(a.c, d.Wave)
		return w, a.s.needAgent(a.c, w, d.Letter)
	}
	for _, w := range a.s.Waves {
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

// sha is a commit as a report gives it, "" for a word that stands for none.
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

// uncommitted is I5. An agent that is blocked or crashed may have nothing to commit.
func (a *act) uncommitted(w *Wave, agent *Agent, d *runevents.AgentCompleted) {
	says := saysUncommitted(d.Commit)
	if a.c.sha(d.Commit) != "" || !says && slices.Contains([]string{statusBlocked, statusFailed, statusTimeout}, agent.Status) {
		return
	}
	problem := "without a commit"
	if says {
		problem = "with its work uncommitted"
	}
	a.judge(judgement{code: codeReportWithoutCommit, wave: w.Number, letter: agent.Letter, agent: d.AgentID, what: fmt.Sprintf("Agent %s of wave %d reported %s; agents commit before they report.", agent.Letter, w.Number, problem)})
}

// reportInChat is I4: what an agent reports belongs into the plan document. Only a
// report that is recognised in its output and a list of files without that
// document show that it stands nowhere else. A line that says where the report
// stands is none.
func (a *act) reportInChat(w *Wave, agent *Agent, d *runevents.AgentCompleted) {
	holds := func(line string) bool {
		return containsAny(line, a.c.ChatReports) && !containsAny(line, a.c.ReportPlaces)
	}
	if !slices.ContainsFunc(strings.Split(d.Output, "\n"), holds) {
		return
	}
	if slices.ContainsFunc(agent.Files, func(f Changed) bool { return matches(a.c.PlanDocuments, f.Path) }) {
		return
	}
	a.judge(judgement{code: codeReportInChat, wave: w.Number, letter: agent.Letter, agent: d.AgentID, what: fmt.Sprintf("Agent %s of wave %d gave its completion report in the chat and changed no plan document; the plan document is the single source of truth.", agent.Letter, w.Number)})
}

// settleBlock moves the run into BLOCKED, or out of it when the last agent that
// blocked it is done.
func (a *act) settleBlock(w *Wave, agent *Agent) {
	if w.Number != a.s.Current {
		return
	}
	if agent.Status != statusComplete && !agent.Descoped {
		invariants := []string{"E7"}
		if agent.Status == statusBlocked {
			invariants = []string{"E7", "E8"}
		}
		a.judge(judgement{code: codeAgentBlocked, invariants: invariants, wave: w.Number, letter: agent.Letter, agent: agent.ID, what: fmt.Sprintf("Agent %s of wave %d %s; nothing of the wave may be merged until that is put right.", agent.Letter, w.Number, endings[agent.Status])})
		if to, ok := a.s.may(onBlocked); ok {
			a.s.Phase = to
		}
		return
	}
	a.unblock(w)
}

// unblock leaves BLOCKED where nothing blocks any more; what an operator has to
// decide or tests must show stays.
func (a *act) unblock(w *Wave) {
	if a.s.Phase != Blocked || a.s.Trip != nil || w.Unverified || len(w.blocking()) > 0 || w.Merged {
		return
	}
	a.s.Phase, _ = a.s.may(onUnblocked)
}

// agentDescoped takes an agent out of its wave; only an operator can.
func (a *act) agentDescoped(d *runevents.AgentDescoped) {
	if !a.fact {
		return
	}
	w := a.s.needWave(a.c, d.Wave)
	agent := a.s.needAgent(a.c, w, d.Letter)
	if agent == nil {
		return
	}
	agent.Descoped = true
	if w.Number == a.s.Current {
		a.unblock(w)
	}
}

// incomplete is E7 at the merge: nothing is merged in parts.
func incomplete(_ *act, q *question) []objection {
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

// seeTests notes that the project has tests (E13).
func (a *act) seeTests(files []string) {
	a.s.Tests = a.s.Tests || slices.ContainsFunc(files, func(f string) bool { return matches(a.c.TestFiles, a.c.cleaned(f)) })
}
