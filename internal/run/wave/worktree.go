package wave

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// names match the names of worktrees (E5), by which tools find the sessions of a run.
var (
	worktreePath = pattern.Must(`(?:^|/)\.claude/worktrees/((?:saw/[A-Za-z0-9][\w.-]*/)?wave([1-9][0-9]{0,8})-agent-([A-Z][2-9]?))$`)
	worktreeName = pattern.Must(`^(?:refs/heads/)?(?:saw/[A-Za-z0-9][\w.-]*/)?wave([1-9][0-9]{0,8})-agent-([A-Z][2-9]?)$`)
)

// parseName reads wave and letter from the name of a branch or folder.
func parseName(name string) (wave int, letter string, ok bool) {
	m := worktreeName.FindStringSubmatch(name)
	if m == nil {
		return 0, "", false
	}
	wave, err := strconv.Atoi(m[1])
	return wave, m[2], err == nil
}

// branchOf returns the branch of a worktree from its path: the part after the folder of
// the worktrees, otherwise the last part.
func branchOf(file string) string {
	if m := worktreePath.FindStringSubmatch(file); m != nil {
		return m[1]
	}
	return lastPart(file)
}

func lastPart(file string) string {
	return path.Base(strings.TrimRight(strings.ReplaceAll(file, `\`, "/"), "/"))
}

// ofNoAgent reports whether nothing connects a worktree with an agent of a wave: it has
// no number, no letter, and is not in the folder of the protocol.
func ofNoAgent(d *runevents.WorktreeCreated) bool {
	return d.Wave == 0 && d.Letter == "" && !strings.Contains(strings.ReplaceAll(d.Path, `\`, "/"), ".claude/worktrees")
}

// foreignWorktree reports whether a run of another kind created a worktree for itself
// (PL-6); runs that use the protocol name all their worktrees by it (WP-5).
func (s *State) foreignWorktree(d *runevents.WorktreeCreated) bool {
	return ofNoAgent(d) && s.Kind != kindSAW && (s.Kind != "" || len(s.Waves) == 0)
}

// newTree is a worktree that is being created.
type newTree struct {
	path   string
	number int // of the wave, 0 if unknown
	letter string
}

// newWorktree reads the worktree from an event; its name gives the wave and the agent if
// the event does not.
func newWorktree(d *runevents.WorktreeCreated) newTree {
	one := newTree{strings.TrimRight(strings.ReplaceAll(d.Path, `\`, "/"), "/"), d.Wave, d.Letter}
	if n, l, ok := parseName(lastPart(one.path)); ok && (one.number == 0 || one.letter == "") {
		one.number, one.letter = n, l
	}
	return one
}

// creating adapts a rule about a worktree of the protocol.
func creating(handle func(*Context, *runevents.WorktreeCreated)) func(*Context) {
	return run.With(func(c *Context, d *runevents.WorktreeCreated) {
		if !c.state.foreignWorktree(d) {
			handle(c, d)
		}
	})
}

// worktreeMisnamed is WP-5.
var worktreeMisnamed = Rule{ID: "WP-5", On: run.Types(runevents.TypeWorktreeCreated), Run: creating(func(c *Context, d *runevents.WorktreeCreated) {
	c.misnamed(d, newWorktree(d).path)
})}

// worktreeUnknown folds whose worktree it is; a worktree of an agent beyond the bound is
// denied.
var worktreeUnknown = Rule{ID: "WP-16", On: run.Types(runevents.TypeWorktreeCreated), Run: creating(func(c *Context, d *runevents.WorktreeCreated) {
	one := newWorktree(d)
	w := c.state.needWave(c.config, one.number)
	agent := c.state.needAgent(c.config, w, one.letter)
	if w == nil || agent == nil {
		c.outside(runevents.GateWorktrees, one.number)
		return
	}
	c.wave, c.agent = w, agent
})}

// worktreeMadeAutonomously is WP-2 for a worktree of a later wave.
var worktreeMadeAutonomously = Rule{ID: "WP-2", On: run.Types(runevents.TypeWorktreeCreated), Run: aboutAgent(func(c *Context, _ *runevents.WorktreeCreated) {
	if number := c.wave.Number; c.state.awaiting() && number > c.state.Trip.Wave {
		c.autonomous(number, fmt.Sprintf("a worktree of wave %d was made", number))
	}
})}

// worktreeGate asks the gate worktrees (WP-9).
var worktreeGate = Rule{ID: "WP-9", On: run.Types(runevents.TypeWorktreeCreated), Run: aboutAgent(func(c *Context, d *runevents.WorktreeCreated) {
	c.creationGate(c.wave, newWorktree(d).letter)
})}

// worktreeCreated folds a worktree (WP-7).
var worktreeCreated = Rule{ID: "WP-7", Folds: true, On: run.Types(runevents.TypeWorktreeCreated), Run: aboutAgent(func(c *Context, d *runevents.WorktreeCreated) {
	file := newWorktree(d).path
	c.keepWorktree(c.agent, file, branchName(cmp.Or(d.Branch, branchOf(file))))
})}

// misnamed checks the name of a worktree.
func (c *Context) misnamed(d *runevents.WorktreeCreated, file string) {
	m := worktreePath.FindStringSubmatch(file)
	problem := ""
	switch {
	case m == nil:
		problem = fmt.Sprintf("The worktree %s is not named .claude/worktrees/wave{N}-agent-{letter} or .claude/worktrees/saw/{slug}/wave{N}-agent-{letter}.", cmp.Or(short(d.Path, longText), "without a path"))
	case d.Branch != "" && branchName(d.Branch) != m[1]: // the branch is optional
		problem = fmt.Sprintf("The worktree %s is on the branch %s, not on %s.", short(d.Path, longText),
			short(d.Branch, longText), m[1])
	case d.Wave != 0 && strconv.Itoa(d.Wave) != m[2] || d.Letter != "" && capital(d.Letter) != m[3]:
		problem = fmt.Sprintf("The worktree %s is that of agent %s of wave %d; its name says otherwise.", short(d.Path, longText), d.Letter, d.Wave)
	default:
		return
	}
	c.judge(judgement{code: codeWorktreeName, wave: max(d.Wave, 0), letter: d.Letter, what: problem, evidence: []runevents.Reference{{Event: c.Event.ID, Path: d.Path}}})
}

// creationGate asks the gate; the first worktree it denies is the question, a further one
// violates the answer.
func (c *Context) creationGate(w *Wave, letter string) {
	q := &question{Context: c, gate: runevents.GateWorktrees, wave: w.Number, w: w, letter: letter}
	denied := w.CreationDenied
	r := q.ask()
	q.answer(r)
	if r.allows() {
		w.CreationDenied = ""
		if c.state.Phase == WaveVerified && w.Number == c.state.Current+1 {
			c.state.Phase, c.state.Current = WavePending, w.Number
		}
		if c.state.Phase == WavePending && c.state.Current == 0 {
			c.state.Current = w.Number
		}
		return
	}
	w.CreationDenied = r.decided.Rule
	for i := range r.objections {
		if r.objections[i].breaks != nil {
			return // the rule itself reports the violation
		}
	}
	if denied != "" {
		c.judge(judgement{
			code: codeActedWithoutAllow, rule: r.decided.Rule, invariants: []string{"I2"}, wave: w.Number, letter: letter,
			what: fmt.Sprintf("The worktree of agent %s of wave %d was made although the gate denied worktrees (%s).", letter, w.Number, r.decided.Rule),
		})
	}
}

// keepWorktree records a worktree. One that is created again starts without commits.
func (c *Context) keepWorktree(agent *Agent, file, branch string) {
	if len(file) > c.config.Kept.PathBytes || len(branch) > c.config.Kept.PathBytes {
		file, branch = file[:min(len(file), c.config.Kept.PathBytes)], ""
	}
	old := agent.Worktree
	if old != nil && (!old.Live || old.Stale) {
		agent.Commits, agent.Shas, agent.Files = 0, nil, nil
	}
	if old != nil && old.Live && !old.Claimed && !c.Proven {
		return // a claim does not replace a fact
	}
	agent.Worktree = &WorktreeKept{Path: file, Branch: branch, Event: c.Event.ID, Live: true, Claimed: !c.Proven}
	c.state.Frozen = c.state.Frozen || c.Proven || !c.state.Infra
}

// worktreeRemoved folds the removal of a worktree; a claim does not count if
// infrastructure reports (WP-7).
var worktreeRemoved = Rule{ID: "WP-7", Folds: true, On: run.Types(runevents.TypeWorktreeRemoved), Run: run.With(func(c *Context, d *runevents.WorktreeRemoved) {
	if !c.Proven && c.state.Infra {
		return
	}
	file := strings.TrimRight(strings.ReplaceAll(d.Path, `\`, "/"), "/")
	if agent := c.state.Waves.worktree(file, branchName(d.Branch)); agent != nil {
		agent.Worktree.Live = false
	}
})}
