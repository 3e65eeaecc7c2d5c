package wave

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// madeCommit adapts a rule about a commit that was made, not refused by the hook.
func madeCommit(handle func(*Context, *runevents.GitCommit)) func(*Context) {
	return run.With(func(c *Context, d *runevents.GitCommit) {
		if !d.Blocked {
			handle(c, d)
		}
	})
}

// commitOnMain adapts a rule about a commit to the protected branch.
func commitOnMain(handle func(*Context, *runevents.GitCommit)) func(*Context) {
	return madeCommit(func(c *Context, d *runevents.GitCommit) {
		if (gitCommit{c, d}).onMainline() {
			handle(c, d)
		}
	})
}

// commitSeen folds who made a commit, and on whose branch.
var commitSeen = Rule{ID: "WP-4", Folds: true, On: run.Types(runevents.TypeGitCommit), Run: run.With(func(c *Context, d *runevents.GitCommit) {
	if !c.state.Tests {
		c.seeTests(d.Files)
	}
	c.by = gitCommit{c, d}.author()
	c.wave, c.agent = c.state.Waves.place(branchName(d.Branch))
})}

// gitCommit is a commit that Git reports.
type gitCommit struct {
	*Context
	d *runevents.GitCommit
}

// onMainline reports whether a commit is on the protected branch, either by its name or
// because infrastructure says so.
func (c gitCommit) onMainline() bool {
	return c.config.isMain(c.d.Branch) || c.d.Main && c.Proven
}

// commitElsewhere is WP-18 for an agent's commit outside its branch: it counts as an edit
// if the agent's own check had found it in the wrong place.
var commitElsewhere = Rule{ID: "WP-18", On: run.Types(runevents.TypeGitCommit), Run: madeCommit(func(c *Context, d *runevents.GitCommit) {
	if c.agent != nil || c.by != roleAgent {
		return
	}
	if w, agent := (gitCommit{c, d}).committer(); agent != nil && agent.Field0 == field0Failed && (c.Proven || !c.state.Infra) {
		member{c, w, agent}.worked(true)
	}
})}

// commitOnBranch counts an agent's commit (WP-1). A claimed commit counts only if
// infrastructure does not report on the run.
var commitOnBranch = Rule{ID: "WP-1", Folds: true, On: run.Types(runevents.TypeGitCommit), Run: madeCommit(func(c *Context, d *runevents.GitCommit) {
	w, agent := c.wave, c.agent
	if agent == nil || !c.Proven && c.state.Infra {
		return
	}
	if d.SHA == "" || len(d.SHA) > longText || !slices.Contains(agent.Shas, d.SHA) {
		agent.Commits++
		if d.SHA != "" && len(d.SHA) <= longText && len(agent.Shas) < c.config.Kept.Commits {
			agent.Shas = append(agent.Shas, d.SHA)
		}
	}
	ownership{c, agent}.changed(d.Files, orNone(d.Blobs))
	member{c, w, agent}.worked(true)
})}

// commitBeforeReview is WP-8 for commits: a scaffold file was committed before an
// operator's approval. Files that are not yet known as scaffolds are kept for the scout's
// report.
var commitBeforeReview = Rule{ID: "WP-8", On: run.Types(runevents.TypeGitCommit), Run: madeCommit(func(c *Context, d *runevents.GitCommit) {
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
})}

// maxEarly bounds the files kept until the scout's report.
const maxEarly = 2000

// commitOntoMain folds commits to main while a wave ran: evidence for the trip wire
// (WP-1), and a solo agent's work (WP-13).
var commitOntoMain = Rule{ID: "WP-1", Folds: true, On: run.Types(runevents.TypeGitCommit), Run: commitOnMain(func(c *Context, d *runevents.GitCommit) {
	w := c.state.current()
	if w == nil {
		return
	}
	if len(w.Onto) < c.config.Kept.References {
		w.Onto = append(w.Onto, runevents.Reference{Event: c.Event.ID, What: short("commit to "+branchName(d.Branch)+c.by.by(d), longText)})
	}
	if c.by != roleOrchestrator && (c.Proven || !c.state.Infra) {
		w.OnMain = w.OnMain || w.launched()
	}
})}

// committedAutonomously is WP-2 for a commit to main.
var committedAutonomously = Rule{ID: "WP-2", On: run.Types(runevents.TypeGitCommit), Run: commitOnMain(func(c *Context, d *runevents.GitCommit) {
	c.autonomous(c.state.Current, "a commit to "+branchName(d.Branch)+" was made")
})}

// mergeCommit is WP-4 for a merge that the gate has not allowed.
var mergeCommit = Rule{ID: "WP-4", On: run.Types(runevents.TypeGitCommit), Run: commitOnMain(func(c *Context, d *runevents.GitCommit) {
	if c.config.isMergeCommit(d) && !c.mergeOpen() {
		c.judge(judgement{code: codeMergeWithoutAllow, wave: c.state.Current, letter: d.Letter, what: fmt.Sprintf("A merge commit was made on %s%s; the gate has not allowed a merge.", branchName(d.Branch), c.by.by(d))})
	}
})}

// by describes the author for people.
func (r role) by(d *runevents.GitCommit) string {
	switch {
	case r == roleAgent && d.Letter != "":
		return " by agent " + d.Letter
	case d.Author != "":
		return " by " + quote.Name(d.Author)
	case r == roleUnknown:
		return " by an unknown author"
	}
	return " by the " + string(r)
}

func (c *Config) isMergeCommit(d *runevents.GitCommit) bool {
	return isPurpose(c.MergePurposes, d.Purpose) || d.Purpose == "" && strings.HasPrefix(d.Message, "Merge ")
}

// mergeOpen reports whether the gate has allowed a merge that may still continue.
func (m machine) mergeOpen() bool {
	return slices.ContainsFunc(m.state.Waves, func(w *Wave) bool { return w.MergeAllowed })
}

// commitToMain is WP-4: while worktrees exist, only the orchestrator commits to main. An
// agent is sent back to its worktree.
var commitToMain = Rule{ID: "WP-4", On: run.Types(runevents.TypeGitCommit), Run: commitOnMain(func(c *Context, d *runevents.GitCommit) {
	by, merge := c.by, c.config.isMergeCommit(d)
	if len(c.state.Waves.worktrees()) == 0 || by == roleOrchestrator && (d.AllowMain || merge) || merge && by == roleUnknown {
		return
	}
	w, agent := gitCommit{c, d}.committer()
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
	member{c, w, agent}.incident("committed to "+branchName(d.Branch), runevents.CaughtByObserver, committed, displaced)
	gitCommit{c, d}.sendBack(agent)
})}

// committer returns the agent that made a commit to main, nil if unknown.
func (c gitCommit) committer() (*Wave, *Agent) {
	w := c.state.waveWith(0, c.d.Letter)
	if agent := w.agent(c.d.Letter); agent != nil {
		return w, agent
	}
	for _, w := range c.state.Waves {
		for _, agent := range w.Agents {
			if c.d.Author != "" && (agent.ID == c.d.Author || agent.Session == c.d.Author) {
				return w, agent
			}
		}
	}
	if number, letter, ok := parseName(c.d.Author); ok {
		w = c.state.Waves.numbered(number)
		return w, w.agent(letter)
	}
	name := strings.TrimSpace(c.d.Author)
	if m := endingLetter.FindStringSubmatch(name); m != nil && anyFits(c.config.Authors.Agent, strings.ToLower(name)) {
		letter := capital(m[1])
		w = c.state.waveWith(0, letter)
		return w, w.agent(letter)
	}
	return w, nil
}

// endingLetter is the agent's letter at the end of an author's name: agent-B, agent B2.
var endingLetter = pattern.Must(`(?:^|[^\pL\pN])(\pL[2-9]?)$`)

// orNone returns the blobs of a commit, never nil: earlier contents of its files no
// longer count.
func orNone(blobs map[string]string) map[string]string {
	if blobs == nil {
		return map[string]string{}
	}
	return blobs
}

// sendBack reminds an agent of its worktree, in its session if that is known, otherwise
// through whoever runs the agent.
func (c gitCommit) sendBack(agent *Agent) {
	if agent == nil || agent.Worktree == nil {
		return
	}
	message := fmt.Sprintf("Your commit went to %s while worktrees exist. Change to %s and commit on %s; leave %s as it is, the orchestrator decides about it.", branchName(c.d.Branch), agent.Worktree.Path, cmp.Or(agent.Worktree.Branch, "its branch"), branchName(c.d.Branch))
	session := c.state.sessionOf(agent)
	if session == "" {
		c.Conclude(runevents.TypeCorrectionIssued, &runevents.CorrectionIssued{
			Layer: sessionevents.LayerWave, Issue: "wave/commit_main", Step: 1, Action: runevents.CorrectionCorrect, Text: message,
			Target: runevents.Recipient{Kind: runevents.RecipientAgent, ID: cmp.Or(agent.ID, lastPart(agent.Worktree.Path))},
		})
		return
	}
	c.Interrupt(sessionevents.InterruptFired{
		Layer: sessionevents.LayerWave, Detector: "WP-4", Session: session,
		Headline: "You committed to " + branchName(c.d.Branch) + "; your worktree is " + agent.Worktree.Path + ".",
		Message:  message,
		Reason:   "A commit of agent " + agent.Letter + " to " + branchName(c.d.Branch) + " while worktrees of the run exist.",
	})
}

// commitBlocked is layer 0 at work (WP-17): the hook refused a commit to main, which is
// not a violation.
var commitBlocked = Rule{ID: "WP-17", On: run.Types(runevents.TypeGitCommit), Run: run.With(func(c *Context, d *runevents.GitCommit) {
	if !d.Blocked || !(gitCommit{c, d}).onMainline() || !c.Proven && c.state.Infra {
		return
	}
	w, agent := gitCommit{c, d}.committer()
	member{c, w, agent}.incident("tried to commit to "+branchName(d.Branch), "0", committed, displaced)
})}
