package wave

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// mergeAsked is WP-1: it asks the gate merge before any merge.
var mergeAsked = Rule{ID: "WP-1", On: run.Types(runevents.TypeWaveMergeRequested), Run: run.With(func(c *Context, d *runevents.WaveMergeRequested) {
	w := c.state.needWave(c.config, d.Wave)
	if w == nil {
		c.outside(runevents.GateMerge, d.Wave)
		return
	}
	q := &question{Context: c, gate: runevents.GateMerge, wave: d.Wave, w: w, base: d.Base, counts: d.Agents, main: d.UncommittedOnMain}
	if w.solo() && len(d.Agents) < 2 && c.state.Phase != Blocked {
		q.soloMerge()
		return
	}
	q.differences()
	r := q.ask()
	q.answer(r)
	if r.allows() {
		c.openMerge(w)
		return
	}
	if w.MergeAllowed && r.decided.Rule == "WP-16" {
		return // asked again: an allowed merge stays allowed, and is not allowed twice
	}
	w.MergeAllowed, w.MergeDenied = false, r.decided.Rule
	q.trip(r)
})}

// soloMerge is WP-13: for work that is already on main there is nothing to merge.
func (q *question) soloMerge() {
	why := fmt.Sprintf("Wave %d has one agent that works on main; there is nothing to merge.", q.wave)
	q.Gate(runevents.GateDecided{Gate: q.gate, Wave: q.wave, Asked: q.Event.ID, WhoDecides: runevents.DecidedByScaffoldwatch, Decision: runevents.DecisionAllowWithWarning, Rule: "WP-13", Why: why, Evidence: q.evidence(nil)})
	if q.w.once(codeSoloMerge) {
		q.judge(judgement{code: codeSoloMerge, wave: q.wave, what: why})
	}
}

func (m machine) openMerge(w *Wave) {
	m.state.Phase, _ = m.state.may(onMergeAllowed)
	m.state.Current = w.Number
	if m.state.Trip != nil && m.state.Trip.Wave == w.Number {
		m.state.Trip = nil // option 2 applies until a new request is allowed
	}
	w.MergeAllowed, w.MergeDenied, w.MergeWithdrawn = true, "", false
}

// trip fires the trip wire: the run halts, and only an operator decides how it continues.
func (q *question) trip(r answer) {
	i := slices.IndexFunc(r.objections, func(o objection) bool { return len(o.empty) > 0 })
	if i < 0 || q.state.awaiting() {
		return
	}
	o := r.objections[i]
	q.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerWave, Issue: "wave/isolation_failure", To: runevents.RecipientUser, Text: o.why + " How shall it go on? An operator chooses: scaffoldwatch recover " + q.Event.Subject + " 1, 2 or 3.", Options: q.config.options(),
	})
	q.halt(runevents.TriggerIsolationFailure, o.why, r.decided.Evidence)
	q.stop(q.wave, "WP-1", o.empty)
	for _, letter := range o.empty {
		member{q.Context, q.w, q.w.agent(letter)}.incident("has no commit on its branch at the merge", "4", q.w.shown()...)
	}
}

// shown returns the evidence about why a branch is empty: if nothing reached main,
// committed or not, there is none that isolation failed.
func (w *Wave) shown() []trace {
	switch {
	case len(w.Onto) > 0:
		return []trace{committed, displaced}
	case len(w.Dirty) > 0:
		return []trace{displaced}
	}
	return nil
}

// stop halts the run until an operator decides (WP-1, WP-3).
func (m machine) stop(wave int, rule string, letters []string) {
	if m.state.awaiting() {
		return
	}
	m.state.Trip = &Trip{Wave: wave, Rule: rule, Event: m.Event.ID, Letters: letters}
	m.state.Current = wave
	if w := m.state.Waves.numbered(wave); w != nil {
		w.MergeAllowed, w.Verified = false, false
	}
	m.state.Phase, _ = m.state.may(onTripped)
}

// commitsCounted folds infrastructure's count of base..branch (WP-1), which includes
// commits that no hook saw and replaces those published one by one. A file that was
// removed again no longer belongs to the branch.
var commitsCounted = Rule{ID: "WP-1", Folds: true, On: run.Types(runevents.TypeGitCounted), Run: run.With(func(c *Context, d *runevents.GitCounted) {
	if !c.Proven && c.state.Infra {
		return
	}
	for _, b := range d.Branches {
		w, agent := c.state.Waves.place(branchName(b.Branch))
		if agent == nil {
			w = c.state.Waves.numbered(b.Wave)
			agent = w.agent(b.Letter)
		}
		if agent == nil || w.Merged {
			continue
		}
		agent.Commits = max(b.Commits, 0)
		if len(b.Files) > 0 {
			ownership{c, agent}.only(b.Files, false)
		}
		ownership{c, agent}.changed(b.Files, nil)
	}
	if w := c.state.current(); w != nil {
		w.Dirty = c.at(d.UncommittedOnMain)
	}
})}

// branchCount is the number of commits of a branch according to each source.
type branchCount struct {
	letter   string
	agent    *Agent
	observed int // -1: no report from infrastructure
	claimed  int // -1: no claim
}

// counts returns the number that applies: the lowest known one (WP-1).
func (b branchCount) counts() int {
	switch {
	case b.observed < 0:
		return max(b.claimed, 0)
	case b.claimed < 0:
		return b.observed
	}
	return min(b.observed, b.claimed)
}

func (b branchCount) differs() bool {
	return b.observed >= 0 && b.claimed >= 0 && b.observed != b.claimed
}

// branches counts the commits of every agent that was not descoped. Without
// infrastructure, commits claimed one by one count as well.
func (q *question) branches() []branchCount {
	var out []branchCount
	if q.w == nil {
		return nil
	}
	for _, agent := range q.w.scoped() {
		b := branchCount{letter: agent.Letter, agent: agent, observed: -1, claimed: agent.Stated}
		if q.state.Infra {
			b.observed = agent.Commits
		} else if b.claimed < 0 && agent.Commits > 0 {
			b.claimed = agent.Commits
		}
		b.claim(q.counts)
		out = append(out, b)
	}
	for _, counted := range q.counts {
		if counted.Letter == "" || q.w.agent(counted.Letter) != nil || slices.ContainsFunc(out, func(b branchCount) bool { return b.letter == capital(counted.Letter) }) || len(out) >= q.config.Kept.Agents {
			continue
		}
		b := branchCount{letter: capital(counted.Letter), observed: -1, claimed: -1}
		if q.state.Infra {
			b.observed = 0 // infrastructure saw no commit of an otherwise unknown agent
		}
		b.claim(q.counts)
		out = append(out, b)
	}
	return out
}

// claim keeps the lowest claimed number for an agent.
func (b *branchCount) claim(counts []runevents.WaveBranch) {
	for _, c := range counts {
		if capital(c.Letter) == b.letter && (b.claimed < 0 || c.CommitCount < b.claimed) {
			b.claimed = max(c.CommitCount, 0)
		}
	}
}

// tripWire is WP-1: a wave is merged only if every branch has commits of its own.
func tripWire(q *question) []objection {
	if q.w != nil && q.w.solo() && len(q.counts) < 2 {
		return nil
	}
	list := q.branches()
	if len(list) == 0 {
		return []objection{{rule: "WP-1", why: q.nobody()}}
	}
	var empty []string
	var evidence []runevents.Reference
	for _, b := range list {
		if b.counts() == 0 {
			empty = append(empty, b.letter)
			evidence = append(evidence, b.reference(q))
		}
	}
	if len(empty) == 0 {
		return nil
	}
	why := fmt.Sprintf("The branch of agent %s of wave %d has no commit of its own", enumerated(empty), q.wave)
	if len(empty) > 1 {
		why = fmt.Sprintf("The branches of agents %s of wave %d have no commit of their own", enumerated(empty), q.wave)
	}
	if !q.state.Infra {
		why += " (claimed; no infrastructure reports on this run)"
	}
	dirty := q.at(q.main)
	if len(dirty) == 0 && q.w != nil {
		dirty = q.w.Dirty
	}
	if len(dirty) > 0 {
		why += "; uncommitted on main: " + phrase(pathsOf(dirty))
		evidence = append(evidence, dirty...)
	}
	return []objection{{rule: "WP-1", why: why + ". Nothing of the wave is merged.", evidence: append(evidence, q.w.onto()...), operator: true, options: q.config.options(), empty: empty}}
}

// nobody explains why no branch can be verified.
func (q *question) nobody() string {
	if q.w != nil && len(q.w.Agents) > 0 {
		return fmt.Sprintf("An operator descoped every agent of wave %d, so that there is nothing to merge.", q.wave)
	}
	return fmt.Sprintf("No agent of wave %d is known, so that no branch can be verified.", q.wave)
}

func (w *Wave) onto() []runevents.Reference {
	if w == nil {
		return nil
	}
	return w.Onto
}

// reference returns the evidence of an empty branch.
func (b branchCount) reference(q *question) runevents.Reference {
	ref := runevents.Reference{Event: q.Event.ID, What: fmt.Sprintf("wave%d-agent-%s: %d commits", q.wave, b.letter, b.counts())}
	if b.agent == nil {
		return ref
	}
	if t := b.agent.Worktree; t != nil {
		ref.Event, ref.Path = t.Event, t.Path
	}
	if b.agent.Ended != "" {
		ref.Event = b.agent.Ended
	}
	return ref
}

// differences reports where claims differ from facts (EV-10).
func (q *question) differences() {
	for _, b := range q.branches() {
		if !b.differs() || !q.w.once(fmt.Sprint(codeClaimDiffers, "/", b.letter, "/", b.claimed, "/", b.observed)) {
			continue
		}
		q.judge(judgement{code: codeClaimDiffers, wave: q.wave, letter: b.letter, what: fmt.Sprintf("Agent %s of wave %d is claimed to have %s; infrastructure reports %d. The lower number counts.", b.letter, q.wave, commits(b.claimed), b.observed)})
	}
}

func commits(n int) string {
	if n == 1 {
		return "1 commit"
	}
	return fmt.Sprint(n, " commits")
}
