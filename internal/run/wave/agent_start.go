package wave

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// agentStarting folds which agent starts; an agent beyond the bound is denied.
var agentStarting = Rule{ID: "WP-16", On: run.Types(runevents.TypeAgentStarted), Run: run.With(func(c *Context, d *runevents.AgentStarted) {
	if d.AgentID != "" && d.Session != "" {
		c.learnSession(d.AgentID, d.Session)
	}
	if d.Wave == 0 || d.Letter == "" {
		return // not an agent of a wave
	}
	w := c.state.needWave(c.config, d.Wave)
	agent := c.state.needAgent(c.config, w, d.Letter)
	if w == nil || agent == nil {
		c.outside(runevents.GateLaunch, d.Wave)
		return
	}
	c.wave, c.agent = w, agent
})}

// agentStartedAutonomously is WP-2.
var agentStartedAutonomously = Rule{ID: "WP-2", On: run.Types(runevents.TypeAgentStarted), Run: aboutAgent(func(c *Context, d *runevents.AgentStarted) {
	c.autonomous(d.Wave, "agent "+d.Letter+" was started")
})}

// agentLaunched asks the gate launch at the first agent of a wave (WP-16).
var agentLaunched = Rule{ID: "WP-16", On: run.Types(runevents.TypeAgentStarted), Run: aboutAgent(func(c *Context, d *runevents.AgentStarted) {
	c.startGate(c.wave, d.Letter)
})}

// agentStarted folds where an agent starts.
var agentStarted = Rule{ID: "WP-16", Folds: true, On: run.Types(runevents.TypeAgentStarted), Run: aboutAgent(func(c *Context, d *runevents.AgentStarted) {
	c.agent.start(c.Event.ID, d)
})}

// agentIsolated is WP-7: each agent of a wave of two or more works in its own
// worktree.
var agentIsolated = Rule{ID: "WP-7", On: run.Types(runevents.TypeAgentStarted), Run: aboutAgent(func(c *Context, d *runevents.AgentStarted) {
	c.isolated(c.wave, c.agent, d)
})}

// startGate asks the gate launch at the first agent of a wave. An agent that runs
// although the gate denied it is a separate violation.
func (c *Context) startGate(w *Wave, letter string) {
	if w.LaunchAllowed {
		return
	}
	denied := w.LaunchDenied
	if !w.launched() && (denied == "" || c.launching(w, letter).ask().allows()) {
		c.launch(w, letter) // this is the question, or the reason for the denial is gone
		return
	}
	if c.state.awaiting() {
		return // reported as an autonomous recovery
	}
	c.judge(judgement{
		code: codeActedWithoutAllow, rule: denied, invariants: []string{"E3"}, wave: w.Number, letter: letter,
		what: fmt.Sprintf("Agent %s of wave %d runs although the gate denied the launch (%s).", letter, w.Number, denied),
	})
}

// start records where an agent starts; an agent that starts again will report again.
func (agent *Agent) start(event string, d *runevents.AgentStarted) {
	agent.Started, agent.Ended, agent.Status = event, "", ""
	agent.Isolation = short(d.Isolation, quoted)
	agent.ID, agent.Session = cmp.Or(d.AgentID, agent.ID), cmp.Or(d.Session, agent.Session)
}

// agentsInSequence is WP-15 (E1): the agents of a wave run in parallel, not one after the
// other.
var agentsInSequence = Rule{ID: "WP-15", On: run.Types(runevents.TypeAgentStarted), Run: aboutAgent(func(c *Context, _ *runevents.AgentStarted) {
	w, agent := c.wave, c.agent
	if agent.Started != "" {
		return // it runs again
	}
	running, ended := 0, []string{}
	for _, other := range w.Agents {
		switch {
		case other == agent || other.Started == "":
		case other.Ended == "":
			running++
		default:
			ended = append(ended, other.Letter)
		}
	}
	if running > 0 {
		w.Parallel = true
	}
	if w.Parallel || len(ended) == 0 || !w.once(codeLaunchedBlocking) {
		return
	}
	c.judge(judgement{code: codeLaunchedBlocking, wave: w.Number, letter: agent.Letter, what: fmt.Sprintf("Agent %s of wave %d started when %s had ended: the agents run one after the other.", agent.Letter, w.Number, phrase(ended))})
})}

// isolated is WP-7 for a wave of two or more: each agent works in its own worktree. Once
// the second agent starts, the first is checked as well.
func (c *Context) isolated(w *Wave, started *Agent, d *runevents.AgentStarted) {
	if !w.parallel() && started.Worktree == nil {
		return
	}
	for _, agent := range w.scoped() {
		if agent.Started == "" {
			continue
		}
		if one := (member{c, w, agent}); !one.hasPlace(agent == started, d) {
			one.withoutWorktree()
		}
	}
	if started.Worktree != nil && c.config.elsewhereThan(started, d) {
		member{c, w, started}.outsideWorktree(d.CWD, d.Branch)
	}
}

// hasPlace reports whether an agent's worktree exists. The agent's own statement counts
// only if infrastructure does not report on the run.
func (m member) hasPlace(now bool, d *runevents.AgentStarted) bool {
	agent := m.agent
	if agent.Worktree != nil && agent.Worktree.Live && (!agent.Worktree.Claimed || !m.state.Infra) {
		return true
	}
	if m.state.Infra {
		return false
	}
	if !now {
		return agent.Isolation == isolationWorktree
	}
	_, letter, ok := parseName(lastPart(d.CWD))
	return ok && letter == agent.Letter
}

const isolationWorktree = "worktree"

func (m member) withoutWorktree() {
	w, agent := m.w, m.agent
	if !w.once(codeWithoutWorktree + "/" + agent.Letter) {
		return
	}
	what := fmt.Sprintf("Agent %s of wave %d started and has no worktree: layer 1, manual worktree pre-creation, is absent. Disjoint files do not make up for it.", agent.Letter, w.Number)
	m.judge(judgement{code: codeWithoutWorktree, wave: w.Number, letter: agent.Letter, agent: agent.ID, what: what, observed: true, evidence: []runevents.Reference{{Event: agent.Started}}})
	m.incident("started without a worktree", runevents.CaughtByObserver, displaced)
}

// elsewhereThan reports whether an agent runs outside its worktree: its directory is
// outside, whatever branch it claims, or its branch is a different one (WP-7).
func (c *Config) elsewhereThan(agent *Agent, d *runevents.AgentStarted) bool {
	if d.Branch != "" && agent.Worktree.Branch != "" && branchName(d.Branch) != agent.Worktree.Branch {
		return true
	}
	return d.CWD != "" && c.outOf(agent.Worktree, d.CWD)
}

// outOf reports whether a directory is outside a worktree.
func (c *Config) outOf(tree *WorktreeKept, directory string) bool {
	cwd, path := c.cleaned(directory), strings.TrimPrefix(tree.Path, "./")
	return !slices.Contains([]string{cwd, strings.TrimSuffix(cwd, "/")}, path) && !strings.HasSuffix(strings.TrimSuffix(cwd, "/"), "/"+strings.TrimPrefix(path, "/")) &&
		!strings.HasPrefix(cwd, path+"/") && !strings.Contains(cwd, "/"+strings.TrimPrefix(path, "/")+"/")
}

func (m member) outsideWorktree(directory, branch string) {
	w, agent := m.w, m.agent
	if !w.once(codeOutsideWorktree + "/" + agent.Letter) {
		return
	}
	where := cmp.Or(short(directory, longText), "an unknown folder")
	if branch != "" {
		where += " on " + short(branch, longText)
	}
	what := fmt.Sprintf("Agent %s of wave %d runs in %s, not in its worktree %s: the isolation parameter (layer 2) did not hold.", agent.Letter, w.Number, where, agent.Worktree.Path)
	m.judge(judgement{code: codeOutsideWorktree, wave: w.Number, letter: agent.Letter, agent: agent.ID, what: what, observed: true, evidence: []runevents.Reference{{Event: agent.Worktree.Event, Path: agent.Worktree.Path}}})
	m.incident("started outside its worktree", runevents.CaughtByObserver, displaced)
}

// recoverySelected is WP-2: an operator's choice moves the run; anyone else's is a
// violation.
var recoverySelected = Rule{ID: "WP-2", On: run.Types(runevents.TypeRecoverySelected), Run: run.With(func(c *Context, d *runevents.RecoverySelected) {
	if !c.Proven {
		c.choseWithoutRight(d)
		return
	}
	on := map[int]trigger{1: onRerun, 2: onInvestigate, 3: onAccept}[d.Option]
	if on == "" {
		return
	}
	if _, ok := c.state.may(on); !ok || c.state.Trip == nil {
		c.illegal(on)
		return
	}
	if d.Wave == 0 {
		d = &runevents.RecoverySelected{Wave: c.state.Trip.Wave, Option: d.Option}
	}
	if d.Wave != c.state.Trip.Wave {
		c.judge(judgement{code: codeRecoveryMismatch, wave: d.Wave, what: fmt.Sprintf("An operator chose a recovery for wave %d, but wave %d waits for one; nothing changes.", d.Wave, c.state.Trip.Wave)})
		return
	}
	c.state.Phase, _ = c.state.may(on)
	w := c.state.Waves.numbered(d.Wave)
	switch d.Option {
	case 1:
		c.state.Trip = nil
		if w != nil {
			w.restart()
		}
	case 2:
		c.state.Trip.Option = 2
	case 3:
		c.state.Trip = nil
		if w != nil {
			w.Tainted, w.Verified, w.Merged, w.MergeAllowed = true, true, true, false
			c.verifiedHook()
		}
	}
})}

// choseWithoutRight is WP-2 for a choice that only an operator may make; if no choice is
// pending, nothing is halted.
func (c *Context) choseWithoutRight(d *runevents.RecoverySelected) {
	if c.state.Trip != nil {
		c.autonomously(d.Wave, fmt.Sprintf("option %d was chosen", d.Option))
		return
	}
	c.judge(judgement{code: codeAutonomousRecovery, wave: d.Wave, what: fmt.Sprintf("Recovery option %d was chosen for wave %d%s; only an operator chooses one, and none is asked for.", d.Option, d.Wave, c.who())})
}

// taintNoted is WP-16: the commit after an accepted isolation failure must mention it.
var taintNoted = Rule{ID: "WP-16", On: run.Types(runevents.TypeGitCommit), Run: commitOnMain(func(c *Context, d *runevents.GitCommit) {
	w := c.state.current()
	if w == nil || !w.Tainted || w.TaintNoted || d.Message == "" {
		return
	}
	w.TaintNoted = true
	if containsAny(d.Message, c.config.TaintWords) {
		return
	}
	c.judge(judgement{code: codeTaintNotNoted, wave: w.Number, what: fmt.Sprintf("The first commit to main after the isolation failure of wave %d was accepted does not note it: %s.", w.Number, quote.Text(d.Message))})
})}

// Maximum lengths, in bytes, of quoted or stored texts from outside.
const (
	quoted   = 80
	longText = 400
)

// short returns the first line of a text, cut if it is too long.
func short(text string, most int) string {
	for i, r := range text {
		if r == '\n' || i >= most {
			return text[:i]
		}
	}
	return text
}

// waveUnknown denies a wave whose number is invalid or beyond the bound (WP-16).
var waveUnknown = Rule{ID: "WP-16", On: run.Types(runevents.TypeWaveStarted), Run: run.With(func(c *Context, d *runevents.WaveStarted) {
	if c.wave = c.state.needWave(c.config, d.Wave); c.wave == nil {
		c.outside(runevents.GateLaunch, d.Wave)
	}
})}

// waveStartedAutonomously is WP-2.
var waveStartedAutonomously = Rule{ID: "WP-2", On: run.Types(runevents.TypeWaveStarted), Run: run.With(func(c *Context, d *runevents.WaveStarted) {
	if c.wave != nil {
		c.autonomous(d.Wave, fmt.Sprintf("wave %d was started", d.Wave))
	}
})}

// waveLaunched asks the gate launch (WP-16).
var waveLaunched = Rule{ID: "WP-16", On: run.Types(runevents.TypeWaveStarted), Run: func(c *Context) {
	if c.wave != nil {
		c.launch(c.wave, "")
		c.wave.Started = true
	}
}}

func (c *Context) launching(w *Wave, letter string) *question {
	return &question{Context: c, gate: runevents.GateLaunch, wave: w.Number, w: w, letter: letter}
}

// launch asks the gate and, if it allows, moves the run.
func (c *Context) launch(w *Wave, letter string) {
	q := c.launching(w, letter)
	r := q.ask()
	q.answer(r)
	if !r.allows() {
		if !w.LaunchAllowed {
			w.LaunchDenied = r.decided.Rule
		}
		return
	}
	w.LaunchDenied = ""
	if w.LaunchAllowed {
		return
	}
	c.soloScaffolds()
	w.LaunchAllowed = true
	if c.state.Phase == WaveVerified {
		c.state.Phase = WavePending
	}
	if to, ok := c.state.may(onLaunched); ok {
		c.state.Phase = to
	}
	c.state.Current = w.Number
	c.hookOverdue(w.Number)
}

// autonomous is WP-2: while an operator has to choose, nobody else may continue.
func (c *Context) autonomous(wave int, what string) {
	if !c.state.awaiting() || c.state.Trip.Rule != "WP-1" {
		return
	}
	c.autonomously(wave, what)
}

func (c *Context) autonomously(wave int, what string) {
	why := fmt.Sprintf("Wave %d waits for an operator to choose how to recover, but %s%s.", c.state.Trip.Wave, what, c.who())
	evidence := []runevents.Reference{{Event: c.Event.ID}, {Event: c.state.Trip.Event}}
	c.judge(judgement{code: codeAutonomousRecovery, wave: wave, what: why, evidence: evidence})
	c.halt(runevents.TriggerAutonomousRecovery, why, evidence)
}

// who names the actor of the current event for people, "" for infrastructure, which only
// reports.
func (c *Context) who() string {
	commit, is := c.Event.Data.(*runevents.GitCommit)
	switch {
	case is && commit.Author != "":
		return " by " + quote.Name(commit.Author)
	case c.actor.Kind == runevents.ActorInfra || c.actor.Kind == "":
		return ""
	case c.actor.Kind == runevents.ActorHuman && !c.Proven:
		return " by someone without an operator's credential"
	}
	return strings.TrimRight(" by "+string(c.actor.Kind)+" "+c.actor.ID, " ")
}
