package patterncontradiction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// choices finds edits, commands and sentences against what was decided before, and notes what is
// decided now.
type choices struct {
	*turn
	book         *book
	practice     *practice
	bans         *bans
	standingRead *[]*rule // the agent's decisions, see [choices.own]
}

// decided judges one new decision: against the rules, then against what was
// decided before about the same.
func (k *choices) decided(now *registry.Decision) {
	segment := k.segment(now.Segment)
	if segment == nil {
		return
	}
	evidence := quoteOf(segment, now.Sentence)
	members := k.libraries.Named(now.Choice)
	for _, m := range members {
		if k.bans.saidAgainstRule(m, segment, evidence) {
			return
		}
	}
	earlier := k.Before.Decisions()
	for i, before := range slices.Backward(earlier) {
		if len(k.decisions.topics.Named(before.Choice)) > 0 {
			continue // see [choices.redecided]
		}
		if weak, ok := k.contradicts(&before, now, members); ok {
			if k.returns(earlier[:i], members) {
				return
			}
			k.againstEarlier(&before, spoken(members, now.Choice), evidence, segment, weak || aboutTools(members) ||
				k.reasonIn(now.Sentence))
			return
		} else if k.agrees(&before, members) {
			return // the newest decision on it counts
		}
	}
}

// aboutTools: a test runner or package manager is not part of the product's design.
func aboutTools(members []*families.Member) bool {
	return slices.ContainsFunc(members, func(m *families.Member) bool { return m.Family().InTests || len(m.Commands) > 0 })
}

// reasonIn reports whether a decision's own sentence says why.
func (k *choices) reasonIn(sentence string) bool { return k.Reasons.MatchString(sentence) }

// agrees reports whether an earlier decision chose one of the members.
func (k *choices) agrees(before *registry.Decision, members []*families.Member) bool {
	return slices.ContainsFunc(k.libraries.Named(before.Choice),
		func(m *families.Member) bool { return slices.Contains(members, m) })
}

// spoken is a choice's library by name, so that words and code about it are one
// thing; the choice itself where it names none.
func spoken(members []*families.Member, choice string) string {
	if len(members) > 0 {
		return members[0].Spoken()
	}
	return choice
}

// returns reports whether an even earlier decision chose the same: returning to what was
// established contradicts nothing (a flip is C3's).
func (k *choices) returns(before []registry.Decision, members []*families.Member) bool {
	return slices.ContainsFunc(before, func(d registry.Decision) bool { return k.agrees(&d, members) })
}

// contradicts reports whether a decision contradicts an earlier one: another library for the job,
// the rejected one, or (weak) another choice for the same topic in the same words.
func (k *choices) contradicts(before, now *registry.Decision, members []*families.Member) (weak, ok bool) {
	if rivals(k.libraries.Named(before.Choice), members) {
		return before.Topic != "" && now.Topic != "" && !k.sharesTopic(before.Topic, now.Topic), true
	}
	if before.Choice != "" && slices.ContainsFunc(k.libraries.Named(before.Rejected),
		func(m *families.Member) bool { return slices.Contains(members, m) }) {
		return before.Topic != "" && now.Topic != "" && !k.sharesTopic(before.Topic, now.Topic), true
	}
	if len(members) > 0 || before.Topic == "" || now.Topic == "" || before.Choice == "" || now.Choice == "" ||
		now.Rejected != "" {
		return false, false
	}
	topic, other := prose.Terms(before.Topic), prose.Terms(now.Topic)
	same := len(topic) > 0 && slices.Equal(sorted(topic), sorted(other))
	return true, same && !share(prose.Terms(before.Choice), prose.Terms(now.Choice))
}

// sharesTopic: a decision about another part of the work contradicts nothing for sure.
func (k *choices) sharesTopic(a, b string) bool {
	one, two := k.libraries.About(a), k.libraries.About(b)
	return one != nil && one == two || share(prose.Terms(a), prose.Terms(b))
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
}

// againstEarlier reports a choice against a recorded decision.
func (k *choices) againstEarlier(before *registry.Decision, choice string, evidence sessionevents.Evidence, said *sessionevents.Segment, weak bool) {
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: before.Turn, What: before.Choice}
	c := k.departure(before.Turn, before.Choice, before.Sentence, choice, evidence, said)
	if c.logOnly = weak; weak {
		c.confidence = k.Confidence.WeakDecision
		c.message = fmt.Sprintf("Turn %d decided on %s. This turn takes %s. If that replaces it, say so.",
			before.Turn, k.bare(before.Choice), k.bare(choice))
	}
	k.report(c)
}

// departure words what goes another way than a decision, which was said in a turn in some words.
func (k *choices) departure(turn int, from, words, to string, evidence sessionevents.Evidence, said *sessionevents.Segment) contradiction {
	return contradiction{
		subclass: "decision", thing: k.short(to), established: from, cost: contraryCost, confidence: k.Confidence.Decision,
		known: true, evidence: evidence, lexical: said,
		message: fmt.Sprintf("Turn %d decided on %s. This turn takes %s without a reason. Keep to %s, or say why it changes.",
			turn, k.bare(from), k.bare(to), k.bare(from)),
		reason: fmt.Sprintf("%s stands against the decision of turn %d: %s.", k.named(to), turn, k.quoted(words)),
	}
}

// againstDecision reports an import of what a standing decision ruled out.
func (k *choices) againstDecision(e *edit, m *families.Member, module string) bool {
	if e.exempt && !m.Family().InTests || strings.Contains(k.removed(), module) || k.memory.usedIn(m.Key(), e.file) {
		return false
	}
	earlier := k.Before.Decisions()
	for i, before := range slices.Backward(earlier) {
		if len(k.decisions.topics.Named(before.Choice)) > 0 {
			continue // "Redis" is any library for it, see [choices.againstStanding]
		}
		chosen := k.libraries.Named(before.Choice)
		if slices.Contains(chosen, m) {
			return false
		}
		rejected := before.Choice != "" && slices.Contains(k.libraries.Named(before.Rejected), m)
		if !rejected && !rivals(chosen, []*families.Member{m}) {
			continue
		}
		if k.returns(earlier[:i], []*families.Member{m}) {
			return false
		}
		evidence := detect.At(e.segment, max(strings.Index(e.text, module), 0), len(module))
		k.againstEarlier(&before, m.Spoken(), evidence, nil, false)
		return true
	}
	return false
}

// notes keeps the sentences of this turn that decide something, for the turns after it.
func (k *choices) notes() {
	for i := range k.Additions.Sentences {
		s := &k.Additions.Sentences[i]
		if segment := k.segment(s.Segment); segment == nil || segment.Thinking {
			continue
		}
		if len(k.decisions.rulesOf(s.Text, &rule{})) > 0 {
			k.memory.Decided = detect.Once(k.memory.Decided, stated{Text: detect.Quote(s.Text), Turn: k.Turn.Turn}, k.Limits.Decided)
		}
	}
}

// standing are the agent's own decisions in force before this turn, the newest for each job first. A
// person's later word on the job ends one.
func (k *choices) standing() []*rule {
	book := k.book.rulebook()
	var out []*rule
	for _, s := range slices.Backward(k.memory.Decided) {
		key := fromDecision + s.Text
		list, known := k.memory.parsed[key]
		if !known {
			list = k.decisions.rulesIn(s.Text, &rule{origin: fromDecision})
			k.memory.parsed[key] = list
		}
		for _, r := range list {
			decided := *r
			decided.turn = s.Turn
			over := func(o *rule) bool { return o.job == r.job }
			if !slices.ContainsFunc(out, over) && !slices.ContainsFunc(book, over) {
				out = append(out, &decided)
			}
		}
	}
	return out
}

// own are [choices.standing], read once a turn.
func (k *choices) own() []*rule {
	if k.standingRead == nil {
		list := k.standing()
		k.standingRead = &list
	}
	return *k.standingRead
}

// againstStanding reports what an edit takes against a decision that the agent made before.
func (k *choices) againstStanding(e *edit, declared map[string]bool) {
	for _, r := range k.own() {
		for _, of := range r.targets {
			if declared[of.name()] || e.exempt && (of.member == nil || !of.member.Family().InTests) || k.isScratch(e.file) {
				continue
			}
			offset, length := e.uses(of)
			if length == 0 || e.usedBefore(of) || k.seenInUse(of, e.file) || k.takesToo(e, r) {
				continue
			}
			declared[of.name()] = true
			k.againstDecided(r, of, detect.At(e.segment, offset, length), nil)
			break
		}
	}
}

// seenInUse reports whether files that were read use a thing already.
func (k *choices) seenInUse(of target, file string) bool {
	if of.member != nil {
		return k.practice.present(of.member, file)
	}
	u := k.memory.Uses[of.choice.Key()]
	return u != nil && len(u.Files) > 0
}

// takesToo reports whether an edit uses what was decided on as well.
func (k *choices) takesToo(e *edit, r *rule) bool {
	for _, choice := range k.decisions.topics.Named(r.established) {
		if choice.Topic().ID == r.job {
			if _, length := e.uses(target{choice: choice}); length > 0 {
				return true
			}
		}
	}
	return false
}

// againstDecided reports a departure from the agent's own decision.
func (k *choices) againstDecided(r *rule, of target, evidence sessionevents.Evidence, said *sessionevents.Segment) {
	evidence.ConflictsWith = r.earlier()
	c := k.departure(r.turn, r.established, r.text, of.name(), evidence, said)
	c.logOnly = said != nil
	k.report(c)
}

// redecided judges the sentences of a turn that settle a job otherwise than a rule or an earlier
// decision does. Words alone rest on no fact but themselves: against the agent's own decision they are
// for the log (JD-2).
func (k *choices) redecided() {
	for i := range k.Additions.Sentences {
		s := &k.Additions.Sentences[i]
		segment := k.segment(s.Segment)
		if segment == nil || !k.decisions.topics.Settles(s.Text) {
			continue
		}
		for _, now := range k.decisions.namedIn(s.Text) {
			if !now.rejected && now.choice != nil && !now.choice.Topic().IsAside(s.Text) {
				k.saidAgainst(&now, segment, quoteOf(segment, s.Text))
			}
		}
	}
}

func (k *choices) saidAgainst(now *named, segment *sessionevents.Segment, evidence sessionevents.Evidence) {
	is := func(of target) bool { return of.choice == now.choice }
	if r, of := k.book.ruledOut(is); r != nil {
		k.bans.plannedAgainst(r, of, segment, evidence)
		return
	}
	for _, r := range k.standing() {
		if r.turn < k.Turn.Turn && slices.ContainsFunc(r.targets, is) {
			k.againstDecided(r, target{choice: now.choice}, evidence, segment)
			return
		}
	}
}

// commandAgainst reports a package manager's command against what was decided.
func (k *choices) commandAgainst(m *families.Member, evidence sessionevents.Evidence) bool {
	for _, r := range k.standing() {
		if slices.ContainsFunc(r.targets, only(m)) {
			k.againstDecided(r, target{member: m}, evidence, nil)
			return true
		}
	}
	return false
}
