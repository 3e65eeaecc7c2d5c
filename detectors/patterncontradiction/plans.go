package patterncontradiction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// plans finds what the turn's plans name against what is ruled out or decided.
type plans struct {
	*turn
	book    *book
	choices *choices
}

// intends judges what the turn's plans name against rules and against the agent's own decisions:
// "I'll pull in axios" where the user said "nothing from axios". A plan is words about words, so it is
// for the log (JD-2); code that carries it out is a finding of its own.
func (k *plans) intends() {
	if len(k.Additions.Sentences) == 0 || len(k.book.rulebook()) == 0 && len(k.choices.own()) == 0 {
		return
	}
	for i := range k.Additions.Sentences {
		s := &k.Additions.Sentences[i]
		segment := k.segment(s.Segment)
		if segment == nil || k.PlansNot.MatchString(s.Text) {
			continue
		}
		for _, clause := range clauses.Split(s.Text, -1) {
			if k.isPlan(clause) {
				k.intended(clause, s.Text, segment)
			}
		}
	}
}

// clauses ends what a plan speaks of: "I'll rerun the release; npm should follow" takes nothing.
var clauses = pattern.Must(`[;:]\s+`)

// isPlan reports whether a clause says what will be used or done.
func (k *plans) isPlan(clause string) bool {
	return slices.ContainsFunc(k.Plans, func(p *pattern.Regexp) bool { return p.MatchString(clause) })
}

// intended judges what one clause of a sentence plans.
func (k *plans) intended(clause, sentence string, segment *sessionevents.Segment) {
	found, evidence := k.decisions.namedIn(clause), quoteOf(segment, sentence)
	for i := range found {
		n := &found[i]
		if !n.rejected && (n.choice == nil || !n.choice.Topic().IsAside(sentence)) && k.isUsed(n, clause) {
			k.intendedAgainst(n, found, sentence, segment, evidence)
		}
	}
	k.intendsLibrary(clause, segment, evidence)
}

// isUsed reports whether a clause takes a package manager as one: by its command, or as what something is
// done with. Anything else is used where it is named.
func (k *plans) isUsed(n *named, clause string) bool {
	if n.choice != nil || len(n.members[0].Commands) == 0 {
		return true
	}
	words := plainWords(clause)
	return k.PlansManager.MatchString(strings.Join(words[:n.at], " ")+" ") ||
		slices.ContainsFunc(n.members[0].Commands, func(command string) bool {
			return strings.HasPrefix(strings.Join(words[n.at:], " ")+" ", command+" ")
		})
}

// plainWords are the words of a text in lower case, without marks.
func plainWords(text string) []string {
	words := strings.Fields(strings.ToLower(text))
	for i := range words {
		words[i] = strings.Trim(words[i], "`'\",.;:()!?")
	}
	return words
}

// intendedAgainst reports a choice that a plan takes against a rule, else against a decision. A plan
// that names what is established as well goes against nothing.
func (k *plans) intendedAgainst(now *named, all []named, sentence string, segment *sessionevents.Segment,
	evidence sessionevents.Evidence,
) {
	is := func(of target) bool { return of.is(now) }
	for _, r := range slices.Concat(k.book.rulebook(), k.choices.own()) {
		at := slices.IndexFunc(r.targets, is)
		if at < 0 || r.kind != forbids || k.takenToo(r, all, sentence) ||
			r.turn == k.Turn.Turn && r.origin == fromDecision {
			continue
		}
		k.reportPlan(r, r.targets[at], segment, evidence)
		return
	}
}

// is reports whether a target is what a sentence names.
func (of target) is(now *named) bool {
	if now.choice != nil {
		return of.choice == now.choice
	}
	return of.member != nil && slices.ContainsFunc(now.members, func(m *families.Member) bool {
		return m == of.member || m.Spoken() == of.member.Spoken() && m.Family() == of.member.Family()
	})
}

// takenToo reports whether a plan names what a rule establishes.
func (k *plans) takenToo(r *rule, all []named, sentence string) bool {
	if r.established == "" {
		return false
	}
	return strings.Contains(strings.ToLower(sentence), strings.ToLower(lastPart(r.established))) ||
		slices.ContainsFunc(all, func(n named) bool {
			return !n.rejected && (n.name() == r.established || slices.ContainsFunc(n.members,
				func(m *families.Member) bool { return strings.EqualFold(m.Spoken(), r.established) }))
		})
}

// intendsLibrary reports a planning clause that names a library which no family knows.
func (k *plans) intendsLibrary(clause string, segment *sessionevents.Segment, evidence sessionevents.Evidence) {
	words := plainWords(clause)
	for _, r := range k.book.rulebook() {
		for _, of := range r.targets {
			at := slices.Index(words, strings.ToLower(of.module))
			if r.kind != forbids || of.module == "" || at < 0 ||
				k.decisions.topics.Rejected(strings.Join(words[:at], " ")+" ") || k.takenToo(r, nil, clause) {
				continue
			}
			k.reportPlan(r, of, segment, evidence)
		}
	}
}

// reportPlan words a plan against a rule or an earlier decision.
func (k *plans) reportPlan(r *rule, of target, segment *sessionevents.Segment, evidence sessionevents.Evidence) {
	evidence.ConflictsWith = r.earlier()
	name := k.bare(of.name())
	c := contradiction{
		rule: r.text, subclass: r.subclass(of), thing: k.short(of.name()), established: r.established, cost: r.cost(of),
		confidence: k.Confidence.Words, known: true, planned: true, lexical: segment, evidence: evidence,
		message: fmt.Sprintf("The plan takes %s, but %s. %s", name, k.says(r),
			k.advice(r, "Keep to that, or ask first.")),
		reason: fmt.Sprintf("The plan takes %s, but %s.", name, k.states(r)),
	}
	if r.origin == fromDecision {
		established := k.bare(r.established)
		c.message = fmt.Sprintf("Turn %d decided on %s. The plan takes %s without a reason. "+
			"Keep to %s, or say why it changes.", r.turn, established, name, established)
		c.reason = fmt.Sprintf("The plan takes %s against the decision of turn %d: %s.", name, r.turn, k.quoted(r.text))
	}
	k.report(c)
}
