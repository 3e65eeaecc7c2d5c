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
func (a *act) committed(d *runevents.GitCommit) {
	if !a.s.Tests {
		a.seeTests(d.Files)
	}
	if d.Blocked {
		a.blockedCommit(d)
		return
	}
	by := a.author(d)
	w, agent := a.s.place(branchName(d.Branch))
	switch {
	case agent != nil:
		a.onBranch(w, agent, d)
	case by == roleAgent:
		a.elsewhereCommitted(d)
	}
	a.beforeReview(d)
	if a.onMainline(d) {
		a.onMain(d, by)
	}
	a.roles(d, by, agent)
}

// onMainline says that a commit is on the branch that agents keep off: by its name,
// or, where it has another, because the infrastructure says so.
func (a *act) onMainline(d *runevents.GitCommit) bool {
	return a.c.isMain(d.Branch) || d.Main && a.fact
}

// elsewhereCommitted is an agent's commit that is not on its branch: an edit all
// the same, if its own check said that it is in the wrong place (WP-18).
func (a *act) elsewhereCommitted(d *runevents.GitCommit) {
	if w, agent := a.committer(d); agent != nil && agent.Field0 == field0Failed && (a.fact || !a.s.Infra) {
		a.worked(w, agent, true)
	}
}

// onBranch counts an agent's commit.
func (a *act) onBranch(w *Wave, agent *Agent, d *runevents.GitCommit) {
	if !a.fact && a.s.Infra {
		return
	}
	if d.SHA == "" || len(d.SHA) > longText || !slices.Contains(agent.Shas, d.SHA) {
		agent.Commits++
		if d.SHA != "" && len(d.SHA) <= longText && len(agent.Shas) < a.c.Kept.Commits {
			agent.Shas = append(agent.Shas, d.SHA)
		}
	}
	a.changed(agent, d.Files, orNone(d.Blobs))
	a.worked(w, agent, true)
}

// beforeReview is WP-8 for commits: a scaffold file that is committed before an
// operator approved. Files whose scaffold is not known yet are kept for the scout's
// report.
func (a *act) beforeReview(d *runevents.GitCommit) {
	if a.s.Plan.Approved || a.s.Phase != ScoutPending && a.s.Phase != Reviewed && a.s.Phase != "" {
		return
	}
	var files []string
	for _, file := range a.c.all(d.Files) {
		if slices.ContainsFunc(a.s.Plan.Scaffolds, func(s ScaffoldState) bool { return s.File == file }) {
			files = append(files, file)
		} else if a.s.Plan.Approvals == 0 && a.s.paths() < a.c.Kept.Paths && len(a.s.Plan.Early) < maxEarly {
			a.s.Plan.Early = append(a.s.Plan.Early, FileAt{file, a.event.ID})
		}
	}
	a.cosmetic(files, a.at(files))
}

// maxEarly bounds the files kept from before the scout's report.
const maxEarly = 2000

// onMain is WP-4 and, after the trip wire, WP-2.
func (a *act) onMain(d *runevents.GitCommit, by role) {
	w := a.s.wave(a.s.Current)
	if w != nil && len(w.Onto) < a.c.Kept.References {
		w.Onto = append(w.Onto, runevents.Reference{Event: a.event.ID, What: short("commit to "+branchName(d.Branch)+by.by(d), longText)})
	}
	if w != nil && by != roleOrchestrator && (a.fact || !a.s.Infra) {
		w.OnMain = w.OnMain || w.launched()
	}
	a.autonomous(a.s.Current, "a commit to "+branchName(d.Branch)+" was made")
	merge := a.isMergeCommit(d)
	if merge && !a.mergeOpen() {
		a.judge(judgement{code: codeMergeWithoutAllow, wave: a.s.Current, letter: d.Letter, what: fmt.Sprintf("A merge commit was made on %s%s; the gate has not allowed a merge.", branchName(d.Branch), by.by(d))})
	}
	a.noteTaint(w, d)
	if len(a.s.worktrees()) == 0 || by == roleOrchestrator && (d.AllowMain || merge) || merge && by == roleUnknown {
		return
	}
	a.commitToMain(d, by)
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

func (a *act) isMergeCommit(d *runevents.GitCommit) bool {
	return isPurpose(a.c.MergePurposes, d.Purpose) || d.Purpose == "" && strings.HasPrefix(d.Message, "Merge ")
}

// mergeOpen reports that the gate has allowed a merge that may go on.
func (a *act) mergeOpen() bool {
	return slices.ContainsFunc(a.s.Waves, func(w *Wave) bool { return w.MergeAllowed })
}

// commitToMain tells the violation and sends the agent where it belongs.
func (a *act) commitToMain(d *runevents.GitCommit, by role) {
	w, agent := a.committer(d)
	number := a.s.Current
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
	j := judgement{code: codeCommitMain, wave: number, letter: d.Letter, what: what, observed: true, evidence: a.evidence(a.at(d.Files))}
	if agent != nil {
		j.letter, j.agent = agent.Letter, agent.ID
		if agent.Worktree != nil {
			j.what += " Its worktree is " + agent.Worktree.Path + "."
		}
	}
	a.judge(j)
	if by == roleOrchestrator {
		return
	}
	a.incident(w, agent, "committed to "+branchName(d.Branch), caughtByObserver)
	a.sendBack(d, agent)
}

// committer is the agent behind a commit to main, nil if it is not known.
func (a *act) committer(d *runevents.GitCommit) (*Wave, *Agent) {
	w := a.s.waveWith(0, d.Letter)
	if agent := w.agent(d.Letter); agent != nil {
		return w, agent
	}
	for _, w := range a.s.Waves {
		for _, agent := range w.Agents {
			if d.Author != "" && (agent.ID == d.Author || agent.Session == d.Author) {
				return w, agent
			}
		}
	}
	if number, letter, ok := parseName(d.Author); ok {
		w = a.s.wave(number)
		return w, w.agent(letter)
	}
	name := []rune(strings.TrimSpace(d.Author))
	if len(name) > 1 && anyFits(a.c.Authors.Agent, strings.ToLower(string(name))) {
		letter := strings.ToUpper(string(name[len(name)-1]))
		w = a.s.waveWith(0, letter)
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
func (a *act) sendBack(d *runevents.GitCommit, agent *Agent) {
	if agent == nil || agent.Worktree == nil {
		return
	}
	message := fmt.Sprintf("Your commit went to %s while worktrees exist. Change to %s and commit on %s; leave %s as it is, the orchestrator decides about it.", branchName(d.Branch), agent.Worktree.Path, cmp.Or(agent.Worktree.Branch, "its branch"), branchName(d.Branch))
	session := a.s.sessionOf(agent)
	if session == "" {
		a.v.Tell(runevents.TypeCorrectionIssued, &runevents.CorrectionIssued{
			Layer: sessionevents.LayerWave, Issue: "wave/commit_main", Step: 1, Action: "correct", Text: message,
			Target: runevents.Recipient{Kind: "agent", ID: cmp.Or(agent.ID, lastPart(agent.Worktree.Path))},
		})
		return
	}
	a.v.Interrupt(sessionevents.InterruptFired{
		Layer: sessionevents.LayerWave, Detector: "WP-4", Session: session,
		Headline: "You committed to " + branchName(d.Branch) + "; your worktree is " + agent.Worktree.Path + ".",
		Message:  message,
		Reason:   "A commit of agent " + agent.Letter + " to " + branchName(d.Branch) + " while worktrees of the run exist.",
	})
}

// blockedCommit is layer 0 at work: the hook refused a commit to main, so there is
// no violation.
func (a *act) blockedCommit(d *runevents.GitCommit) {
	if !a.onMainline(d) || !a.fact && a.s.Infra {
		return
	}
	w, agent := a.committer(d)
	a.incident(w, agent, "tried to commit to "+branchName(d.Branch), "0")
}
