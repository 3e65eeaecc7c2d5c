package wave

import (
	"fmt"
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// mergeRequested asks for the gate merge, before any merge: the trip wire.
func (a *act) mergeRequested(d *runevents.WaveMergeRequested) {
	w := a.s.needWave(a.c, d.Wave)
	if w == nil {
		a.outside(runevents.GateMerge, d.Wave)
		return
	}
	q := question{gate: runevents.GateMerge, wave: d.Wave, w: w, base: d.Base, counts: d.Agents, main: d.UncommittedOnMain}
	if w.solo() && len(d.Agents) < 2 && a.s.Phase != Blocked {
		a.soloMerge(q)
		return
	}
	a.differences(&q)
	r := a.ask(q)
	a.tell(q, r)
	if r.allows() {
		a.openMerge(w)
		return
	}
	if w.MergeAllowed && r.decided.Rule == "WP-16" {
		return // asked again: what was allowed once stays so, and is not allowed twice
	}
	w.MergeAllowed, w.MergeDenied = false, r.decided.Rule
	a.trip(q, r)
}

// soloMerge is WP-13: what is on main already has nothing to merge.
func (a *act) soloMerge(q question) {
	why := fmt.Sprintf("Wave %d has one agent that works on main; there is nothing to merge.", q.wave)
	a.v.Gate(runevents.GateDecided{Gate: q.gate, Wave: q.wave, Asked: a.event.ID, WhoDecides: runevents.DecidedByScaffoldwatch, Decision: runevents.DecisionAllowWithWarning, Rule: "WP-13", Why: why, Evidence: a.evidence(nil)})
	if q.w.once(codeSoloMerge) {
		a.judge(judgement{code: codeSoloMerge, wave: q.wave, what: why})
	}
}

func (a *act) openMerge(w *Wave) {
	a.s.Phase, _ = a.s.may(onMergeAllowed)
	a.s.Current = w.Number
	if a.s.Trip != nil && a.s.Trip.Wave == w.Number {
		a.s.Trip = nil // option 2 stays until a new request is allowed
	}
	w.MergeAllowed, w.MergeDenied, w.MergeWithdrawn = true, "", false
}

// trip fires the wire: the run halts, and only an operator says how it goes on.
func (a *act) trip(q question, r answer) {
	i := slices.IndexFunc(r.objections, func(o objection) bool { return len(o.empty) > 0 })
	if i < 0 || a.s.awaiting() {
		return
	}
	o := r.objections[i]
	a.v.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerWave, Issue: "wave/isolation_failure", To: "user", Text: o.why + " How shall it go on? An operator chooses: scaffoldwatch recover " + a.event.Subject + " 1, 2 or 3.", Options: a.c.options(),
	})
	a.halt(runevents.TriggerIsolationFailure, o.why, r.decided.Evidence)
	a.stop(q.wave, "WP-1", o.empty)
	for _, letter := range o.empty {
		a.incident(q.w, q.w.agent(letter), "has no commit on its branch at the merge", "4")
	}
}

// stop waits for an operator (WP-1, WP-3).
func (a *act) stop(wave int, rule string, letters []string) {
	if a.s.awaiting() {
		return
	}
	a.s.Trip = &Trip{Wave: wave, Rule: rule, Event: a.event.ID, Letters: letters}
	a.s.Current = wave
	if w := a.s.wave(wave); w != nil {
		w.MergeAllowed, w.Verified = false, false
	}
	a.s.Phase, _ = a.s.may(onTripped)
}

// counted takes what infrastructure counts in base..branch; it sees commits that no
// hook saw, and takes the place of those that were told one by one: a file that was
// taken out again is none of the branch's any more.
func (a *act) counted(d *runevents.GitCounted) {
	if !a.fact && a.s.Infra {
		return
	}
	for _, b := range d.Branches {
		w, agent := a.s.place(branchName(b.Branch))
		if agent == nil {
			w = a.s.wave(b.Wave)
			agent = w.agent(b.Letter)
		}
		if agent == nil || w.Merged {
			continue
		}
		agent.Commits = max(b.Commits, 0)
		if len(b.Files) > 0 {
			a.only(agent, b.Files, false)
		}
		a.changed(agent, b.Files, nil)
	}
	if w := a.s.wave(a.s.Current); w != nil {
		w.Dirty = a.at(d.UncommittedOnMain)
	}
}

// branchCount is how many commits a branch has, by everyone who says.
type branchCount struct {
	letter   string
	agent    *Agent
	observed int // -1: nobody reports from the infrastructure
	claimed  int // -1: nobody claims
}

// counts is the number that counts: the worst of what is known (WP-1).
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

// branches counts the commits of every agent that nobody descoped. What counts
// without infrastructure are the commits that were claimed one by one, too.
func (a *act) branches(q *question) []branchCount {
	var out []branchCount
	if q.w == nil {
		return nil
	}
	for _, agent := range q.w.scoped() {
		b := branchCount{letter: agent.Letter, agent: agent, observed: -1, claimed: agent.Stated}
		if a.s.Infra {
			b.observed = agent.Commits
		} else if b.claimed < 0 && agent.Commits > 0 {
			b.claimed = agent.Commits
		}
		b.claim(q.counts)
		out = append(out, b)
	}
	for _, c := range q.counts {
		if c.Letter == "" || q.w.agent(c.Letter) != nil || slices.ContainsFunc(out, func(b branchCount) bool { return b.letter == capital(c.Letter) }) || len(out) >= a.c.Kept.Agents {
			continue
		}
		b := branchCount{letter: capital(c.Letter), observed: -1, claimed: -1}
		if a.s.Infra {
			b.observed = 0 // infrastructure saw no commit of an agent nobody else knows
		}
		b.claim(q.counts)
		out = append(out, b)
	}
	return out
}

// claim takes the lowest number that is claimed for an agent.
func (b *branchCount) claim(counts []runevents.WaveBranch) {
	for _, c := range counts {
		if capital(c.Letter) == b.letter && (b.claimed < 0 || c.CommitCount < b.claimed) {
			b.claimed = max(c.CommitCount, 0)
		}
	}
}

// tripWire is WP-1: every branch has commits of its own, or nothing is merged.
func tripWire(a *act, q *question) []objection {
	if q.w != nil && q.w.solo() && len(q.counts) < 2 {
		return nil
	}
	list := a.branches(q)
	if len(list) == 0 {
		return []objection{{rule: "WP-1", why: a.nobody(q)}}
	}
	var empty []string
	var evidence []runevents.Reference
	for _, b := range list {
		if b.counts() == 0 {
			empty = append(empty, b.letter)
			evidence = append(evidence, b.reference(a, q))
		}
	}
	if len(empty) == 0 {
		return nil
	}
	why := fmt.Sprintf("The branch of agent %s of wave %d has no commit of its own", enumerated(empty), q.wave)
	if len(empty) > 1 {
		why = fmt.Sprintf("The branches of agents %s of wave %d have no commit of their own", enumerated(empty), q.wave)
	}
	if !a.s.Infra {
		why += " (claimed; no infrastructure reports on this run)"
	}
	dirty := a.at(q.main)
	if len(dirty) == 0 && q.w != nil {
		dirty = q.w.Dirty
	}
	if len(dirty) > 0 {
		why += "; uncommitted on main: " + phrase(pathsOf(dirty))
		evidence = append(evidence, dirty...)
	}
	return []objection{{rule: "WP-1", why: why + ". Nothing of the wave is merged.", evidence: append(evidence, q.w.onto()...), operator: true, options: a.c.options(), empty: empty}}
}

// nobody says why there is no branch to verify.
func (a *act) nobody(q *question) string {
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

// reference is the evidence of an empty branch.
func (b branchCount) reference(a *act, q *question) runevents.Reference {
	ref := runevents.Reference{Event: a.event.ID, What: fmt.Sprintf("wave%d-agent-%s: %d commits", q.wave, b.letter, b.counts())}
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

// differences tells where claims and facts part (Sources of truth).
func (a *act) differences(q *question) {
	for _, b := range a.branches(q) {
		if !b.differs() || !q.w.once(fmt.Sprint(codeClaimDiffers, "/", b.letter, "/", b.claimed, "/", b.observed)) {
			continue
		}
		a.judge(judgement{code: codeClaimDiffers, wave: q.wave, letter: b.letter, what: fmt.Sprintf("Agent %s of wave %d is claimed to have %s; infrastructure reports %d. The lower number counts.", b.letter, q.wave, commits(b.claimed), b.observed)})
	}
}

func commits(n int) string {
	if n == 1 {
		return "1 commit"
	}
	return fmt.Sprint(n, " commits")
}
