package patterncontradiction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// words judges what the turn's plans say: decisions (SW-13), "I'll use X
// directly" (RF04), a new layer (RF03).
func (t *turn) words() {
	for i := range t.Additions.Decisions {
		t.decided(&t.Additions.Decisions[i])
	}
	for i := range t.Additions.RedFlags {
		switch flag := &t.Additions.RedFlags[i]; flag.ID {
		case "RF03":
			t.newLayer(flag)
		case "RF04":
			t.directUse(flag)
		}
	}
}

// decided judges one new decision: against the rules, then against what was
// decided before about the same.
func (t *turn) decided(now *registry.Decision) {
	segment := t.segment(now.Segment)
	if segment == nil {
		return
	}
	evidence := quoteOf(segment, now.Sentence)
	members := t.libraries.Named(now.Choice)
	for _, m := range members {
		if t.saidAgainstRule(m, segment, evidence) {
			return
		}
	}
	earlier := t.Before.Decisions()
	for i, before := range slices.Backward(earlier) {
		if len(t.decisions.topics.Named(before.Choice)) > 0 {
			continue // see [turn.redecided]
		}
		if weak, ok := t.contradicts(&before, now, members); ok {
			if t.returns(earlier[:i], members) {
				return
			}
			t.againstEarlier(&before, spoken(members, now.Choice), evidence, segment, weak || aboutTools(members) ||
				t.reasonIn(now.Sentence))
			return
		} else if t.agrees(&before, members) {
			return // the newest decision on it counts
		}
	}
}

// aboutTools: a test runner or package manager is not part of the product's design.
func aboutTools(members []*families.Member) bool {
	return slices.ContainsFunc(members, func(m *families.Member) bool { return m.Family().InTests || len(m.Commands) > 0 })
}

// reasonIn reports whether a decision's own sentence says why.
func (t *turn) reasonIn(sentence string) bool { return t.Reasons.MatchString(sentence) }

// agrees reports whether an earlier decision chose one of the members.
func (t *turn) agrees(before *registry.Decision, members []*families.Member) bool {
	return slices.ContainsFunc(t.libraries.Named(before.Choice),
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
func (t *turn) returns(before []registry.Decision, members []*families.Member) bool {
	return slices.ContainsFunc(before, func(d registry.Decision) bool { return t.agrees(&d, members) })
}

// contradicts reports whether a decision contradicts an earlier one: another library for the job,
// the rejected one, or (weak) another choice for the same topic in the same words.
func (t *turn) contradicts(before, now *registry.Decision, members []*families.Member) (weak, ok bool) {
	if rivals(t.libraries.Named(before.Choice), members) {
		return before.Topic != "" && now.Topic != "" && !t.sharesTopic(before.Topic, now.Topic), true
	}
	if before.Choice != "" && slices.ContainsFunc(t.libraries.Named(before.Rejected),
		func(m *families.Member) bool { return slices.Contains(members, m) }) {
		return before.Topic != "" && now.Topic != "" && !t.sharesTopic(before.Topic, now.Topic), true
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
func (t *turn) sharesTopic(a, b string) bool {
	one, two := t.libraries.About(a), t.libraries.About(b)
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

func rivals(one, two []*families.Member) bool {
	return slices.ContainsFunc(one, func(a *families.Member) bool {
		return slices.ContainsFunc(two, a.Rivals)
	})
}

// againstEarlier reports a choice against a recorded decision.
func (t *turn) againstEarlier(before *registry.Decision, choice string, evidence sessionevents.Evidence, said *sessionevents.Segment, weak bool) {
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: before.Turn, What: before.Choice}
	c := contradiction{
		subclass: "decision", thing: t.short(choice), established: before.Choice, cost: contraryCost, confidence: t.Confidence.Decision,
		known: true, logOnly: weak, evidence: evidence, lexical: said,
		message: fmt.Sprintf("Turn %d decided on %s. This turn takes %s without a reason. Keep to %s, or say why it changes.",
			before.Turn, t.bare(before.Choice), t.bare(choice), t.bare(before.Choice)),
		reason: fmt.Sprintf("%s stands against the decision of turn %d: %s.", t.named(choice), before.Turn,
			t.quoted(before.Sentence)),
	}
	if weak {
		c.confidence = t.Confidence.WeakDecision
		c.message = fmt.Sprintf("Turn %d decided on %s. This turn takes %s. If that replaces it, say so.",
			before.Turn, t.bare(before.Choice), t.bare(choice))
	}
	t.report(c)
}

// againstDecision reports an import of what a standing decision ruled out.
func (t *turn) againstDecision(e *edit, m *families.Member, module string) bool {
	if e.exempt && !m.Family().InTests || strings.Contains(t.removed(), module) || t.memory.usedIn(m.Key(), e.file) {
		return false
	}
	earlier := t.Before.Decisions()
	for i, before := range slices.Backward(earlier) {
		if len(t.decisions.topics.Named(before.Choice)) > 0 {
			continue // "Redis" is any library for it, see [turn.againstStanding]
		}
		chosen := t.libraries.Named(before.Choice)
		if slices.Contains(chosen, m) {
			return false
		}
		rejected := before.Choice != "" && slices.Contains(t.libraries.Named(before.Rejected), m)
		if !rejected && !rivals(chosen, []*families.Member{m}) {
			continue
		}
		if t.returns(earlier[:i], []*families.Member{m}) {
			return false
		}
		evidence := detect.At(e.segment, max(strings.Index(e.text, module), 0), len(module))
		t.againstEarlier(&before, m.Spoken(), evidence, nil, false)
		return true
	}
	return false
}

// saidAgainstRule reports a plan to use what a rule rules out.
func (t *turn) saidAgainstRule(m *families.Member, segment *sessionevents.Segment, evidence sessionevents.Evidence) bool {
	r, of := t.ruledOut(only(m))
	if r != nil {
		t.plannedAgainst(r, of, segment, evidence)
	}
	return r != nil
}

// plannedAgainst words a plan to use what a rule rules out.
func (t *turn) plannedAgainst(r *rule, of target, segment *sessionevents.Segment, evidence sessionevents.Evidence) {
	evidence.ConflictsWith = r.earlier()
	name := t.bare(of.name())
	t.report(contradiction{
		rule: r.text, subclass: r.subclass(of), thing: of.name(), established: r.established, cost: r.cost(of), confidence: t.Confidence.Words,
		known: t.knows(r.established), lexical: segment, evidence: evidence,
		message: fmt.Sprintf("The plan takes %s, but %s. %s", name, t.says(r), t.advice(r, "Keep to that, or ask first.")),
		reason:  fmt.Sprintf("The plan takes %s, but %s.", name, t.states(r)),
	})
}

// directUse judges "I'll use X directly": around a declared wrapper, or around
// what is established.
func (t *turn) directUse(flag *sessionevents.RedFlagHit) {
	segment := t.segment(flag.Segment)
	if segment == nil {
		return
	}
	evidence := detect.At(segment, flag.Offset, flag.Length)
	for _, form := range t.Directly {
		found := form.FindStringSubmatch(flag.Sentence)
		if found == nil {
			continue
		}
		thing := found[form.SubexpIndex("thing")]
		members := t.libraries.NamedInRule(thing)
		for _, m := range members {
			if t.saidAgainstRule(m, segment, evidence) {
				return
			}
		}
		if t.literalAgainstRule(bare(thing), segment, evidence) {
			return
		}
		for _, m := range members {
			before := len(t.findings)
			t.inferred("", m, evidence, planned)
			if len(t.findings) > before {
				f := &t.findings[len(t.findings)-1]
				f.Confidence = detect.Lexical(f.Confidence, segment.Thinking)
				return
			}
		}
	}
}

// literalAgainstRule reports a plan to use a name that a convention's bypass lists.
func (t *turn) literalAgainstRule(name string, segment *sessionevents.Segment, evidence sessionevents.Evidence) bool {
	r, of := t.ruledOut(func(of target) bool { return of.literal != "" && strings.EqualFold(of.literal, name) })
	if r == nil {
		return false
	}
	evidence.ConflictsWith = r.earlier()
	t.report(contradiction{
		rule: r.text, subclass: r.subclass(of), thing: of.literal, established: r.established, cost: r.cost(of), confidence: t.Confidence.Words,
		known: t.knows(r.established), lexical: segment, evidence: evidence,
		message: fmt.Sprintf("The plan uses %s directly, but %s. Keep to that, or ask first.", quote.Name(of.literal),
			t.says(r)),
		reason: fmt.Sprintf("The plan uses %s directly, but %s.", quote.Name(of.literal), t.states(r)),
	})
	return true
}

// segment is the turn's segment of an index, nil if it is out of range.
func (t *turn) segment(index int) *sessionevents.Segment {
	if index < 0 || index >= len(t.Pass.Turn.Segments) {
		return nil
	}
	return &t.Pass.Turn.Segments[index]
}

// quoteOf is evidence for a sentence of a PLAN, which folding may have changed.
func quoteOf(s *sessionevents.Segment, sentence string) sessionevents.Evidence {
	text := detect.Text(s)
	if at := strings.Index(text, sentence); at >= 0 {
		return detect.At(s, at, len(sentence))
	}
	return detect.Whole(s)
}
