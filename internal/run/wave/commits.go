package wave

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// committed judges a commit: on an agent's branch it is its work, on main it is
// WP-4. A claimed commit is judged where it breaks a rule and never counted for
// its agent while infrastructure reports.
func (c *Context) committed(d *runevents.GitCommit) {
	if !c.state.Tests {
		c.seeTests(d.Files)
	}
	if d.Blocked {
		c.blockedCommit(d)
		return
	}
	by := c.author(d)
	w, agent := c.state.place(branchName(d.Branch))
	switch {
	case agent != nil:
		c.onBranch(w, agent, d)
	case by == roleAgent:
		c.elsewhereCommitted(d)
	}
	c.beforeReview(d)
	if c.onMainline(d) {
		c.onMain(d, by)
	}
	c.roles(d, by, agent)
}

// onMainline says that a commit is on the branch that agents keep off: by its name,
// or, where it has another, because the infrastructure says so.
func (c *Context) onMainline(d *runevents.GitCommit) bool {
	return c.config.isMain(d.Branch) || d.Main && c.Proven
}

// elsewhereCommitted is an agent's commit that is not on its branch: an edit all
// the same, if its own check said that it is in the wrong place (WP-18).
func (c *Context) elsewhereCommitted(d *runevents.GitCommit) {
	if w, agent := c.committer(d); agent != nil && agent.Field0 == field0Failed && (c.Proven || !c.state.Infra) {
		c.worked(w, agent, true)
	}
}

// onBranch counts an agent's commit.
func (c *Context) onBranch(w *Wave, agent *Agent, d *runevents.GitCommit) {
	if !c.Proven && c.state.Infra {
		return
	}
	if d.SHA == "" || len(d.SHA) > longText || !slices.Contains(agent.Shas, d.SHA) {
		agent.Commits++
		if d.SHA != "" && len(d.SHA) <= longText && len(agent.Shas) < c.config.Kept.Commits {
			agent.Shas = append(agent.Shas, d.SHA)
		}
	}
	c.changed(agent, d.Files, orNone(d.Blobs))
	c.worked(w, agent, true)
}

// beforeReview is WP-8 for commits: a scaffold file that is committed before an
// operator approved. Files whose scaffold is not known yet are kept for the scout's
// report.
func (c *Context) beforeReview(d *runevents.GitCommit) {
	if c.state.Plan.Approved || c.state.Phase != ScoutPending && c.state.Phase != Reviewed && c.state.Phase != "" {
		return
	}
	var files []string
	for _, file := range c.config.all(d.Files) {
		if slices.ContainsFunc(c.state.Plan.Scaffolds, func(s ScaffoldState) bool { return s.File == file }) {
			files = append(files, file)
		} else if c.state.Plan.Approvals == 0 && c.state.paths() < c.config.Kept.Paths && len(c.state.Plan.Early) < maxEarly {
			c.state.Plan.Early = append(c.state.Plan.Early, FileAt{file, c.Event.ID})
		}
	}
	c.cosmetic(files, c.at(files))
}

// maxEarly bounds the files kept from before the scout's report.
const maxEarly = 2000

// onMain is WP-4 and, after the trip wire, WP-2.
func (c *Context) onMain(d *runevents.GitCommit, by role) {
	w := c.state.wave(c.state.Current)
	if w != nil && len(w.Onto) < c.config.Kept.References {
		w.Onto = append(w.Onto, runevents.Reference{Event: c.Event.ID, What: short("commit to "+branchName(d.Branch)+by.by(d), longText)})
	}
	if w != nil && by != roleOrchestrator && (c.Proven || !c.state.Infra) {
		w.OnMain = w.OnMain || w.launched()
	}
	c.autonomous(c.state.Current, "a commit to "+branchName(d.Branch)+" was made")
	merge := c.isMergeCommit(d)
	if merge && !c.mergeOpen() {
		c.judge(judgement{code: codeMergeWithoutAllow, wave: c.state.Current, letter: d.Letter, what: fmt.Sprintf("A merge commit was made on %s%s; the gate has not allowed a merge.", branchName(d.Branch), by.by(d))})
	}
	c.noteTaint(w, d)
	if len(c.state.worktrees()) == 0 || by == roleOrchestrator && (d.AllowMain || merge) || merge && by == roleUnknown {
		return
	}
	c.commitToMain(d, by)
}

// by says who it was, for people.
func (r role) by(d *runevents.GitCommit) string {
	switch {
	case r == roleAgent && d.Letter != "":
		return " by agent " + d.Letter
	case d.Author != "":
		return " by " + short(d.Author, quoted)
	case r == roleUnknown:
		return " by an unknown author"
	}
	return " by the " + string(r)
}

func (c *Context) isMergeCommit(d *runevents.GitCommit) bool {
	return isPurpose(c.config.MergePurposes, d.Purpose) || d.Purpose == "" && strings.HasPrefix(d.Message, "Merge ")
}

// mergeOpen reports that the gate has allowed a merge that may go on.
func (c *Context) mergeOpen() bool {
	return slices.ContainsFunc(c.state.Waves, func(w *Wave) bool { return w.MergeAllowed })
}

// commitToMain tells the violation and sends the agent where it belongs.
func (c *Context) commitToMain(d *runevents.GitCommit, by role) {
	w, agent := c.committer(d)
	number := c.state.Current
	if w != nil {
		number = w.Number
	}
	what := fmt.Sprintf("A commit was made to %s%s while worktrees of the run exist.", branchName(d.Branch), by.by(d))
	switch {
	case by == roleOrchestrator:
		what = strings.TrimSuffix(what, ".") + ", without SAW_ALLOW_MAIN_COMMIT=1."
	case d.AllowMain:
		what = strings.TrimSuffix(what, ".") + ", with SAW_ALLOW_MAIN_COMMIT=1, which agents never have."
	}
	j := judgement{code: codeCommitMain, wave: number, letter: d.Letter, what: what, observed: true, evidence: c.evidence(c.at(d.Files))}
	if agent != nil {
		j.letter, j.agent = agent.Letter, agent.ID
		if agent.Worktree != nil {
			j.what += " Its worktree is " + agent.Worktree.Path + "."
		}
	}
	c.judge(j)
	if by == roleOrchestrator {
		return
	}
	c.incident(w, agent, "committed to "+branchName(d.Branch), caughtByObserver)
	c.sendBack(d, agent)
}

// committer is the agent behind a commit to main, nil if it is not known.
func (c *Context) committer(d *runevents.GitCommit) (*Wave, *Agent) {
	w := c.state.waveWith(0, d.Letter)
	if agent := w.agent(d.Letter); agent != nil {
		return w, agent
	}
	for _, w := range c.state.Waves {
		for _, agent := range w.Agents {
			if d.Author != "" && (agent.ID == d.Author || agent.Session == d.Author) {
				return w, agent
			}
		}
	}
	if number, letter, ok := parseName(d.Author); ok {
		w = c.state.wave(number)
		return w, w.agent(letter)
	}
	name := []rune(strings.TrimSpace(d.Author))
	if len(name) > 1 && anyFits(c.config.Authors.Agent, strings.ToLower(string(name))) {
		letter := strings.ToUpper(string(name[len(name)-1]))
		w = c.state.waveWith(0, letter)
		return w, w.agent(letter)
	}
	return w, nil
}

// orNone are the blobs of a commit that may give none: what its files held before
// counts no more.
func orNone(blobs map[string]string) map[string]string {
	if blobs == nil {
		return map[string]string{}
	}
	return blobs
}

// sendBack tells the agent where its worktree is: its session where one is known,
// else whoever runs the agent.
func (c *Context) sendBack(d *runevents.GitCommit, agent *Agent) {
	if agent == nil || agent.Worktree == nil {
		return
	}
	message := fmt.Sprintf("Your commit went to %s while worktrees exist. Change to %s and commit on %s; leave %s as it is, the orchestrator decides about it.", branchName(d.Branch), agent.Worktree.Path, cmp.Or(agent.Worktree.Branch, "its branch"), branchName(d.Branch))
	session := c.state.sessionOf(agent)
	if session == "" {
		c.Conclude(runevents.TypeCorrectionIssued, &runevents.CorrectionIssued{
			Layer: sessionevents.LayerWave, Issue: "wave/commit_main", Step: 1, Action: "correct", Text: message,
			Target: runevents.Recipient{Kind: "agent", ID: cmp.Or(agent.ID, lastPart(agent.Worktree.Path))},
		})
		return
	}
	c.Interrupt(sessionevents.InterruptFired{
		Layer: sessionevents.LayerWave, Detector: "WP-4", Session: session,
		Headline: "You committed to " + branchName(d.Branch) + "; your worktree is " + agent.Worktree.Path + ".",
		Message:  message,
		Reason:   "A commit of agent " + agent.Letter + " to " + branchName(d.Branch) + " while worktrees of the run exist.",
	})
}

// blockedCommit is layer 0 at work: the hook refused a commit to main, so there is
// no violation.
func (c *Context) blockedCommit(d *runevents.GitCommit) {
	if !c.onMainline(d) || !c.Proven && c.state.Infra {
		return
	}
	w, agent := c.committer(d)
	c.incident(w, agent, "tried to commit to "+branchName(d.Branch), "0")
}
