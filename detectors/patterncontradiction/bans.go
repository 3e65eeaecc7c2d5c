package patterncontradiction

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// bans finds edits and plans that use what a rule rules out.
type bans struct {
	*turn
	book     *book
	practice *practice
}

// againstRule reports the first thing an edit uses that a rule forbids. Code in the wrapper itself
// does not bypass it.
func (k *bans) againstRule(e *edit, r *rule, declared map[string]bool) {
	for _, of := range r.targets {
		if declared[of.name()] || k.outOfReach(e, r, of) {
			continue
		}
		offset, length := e.uses(of)
		if length == 0 || e.usedBefore(of) {
			continue
		}
		declared[of.name()] = true
		evidence := detect.At(e.segment, offset, length)
		evidence.ConflictsWith = r.earlier()
		c := contradiction{
			rule: r.text, subclass: r.subclass(of), thing: of.name(), established: r.established, cost: r.cost(of), confidence: k.Confidence.Declared,
			known: k.knows(r.established), evidence: evidence,
			logOnly: r.origin == fromUser && (r.stale && r.wrapper || e.exempt && !of.inTests()) || r.local &&
				of.member == nil && of.choice == nil && of.module == "",
			reason: fmt.Sprintf("%s uses %s, but %s.", quote.Path(e.file), quote.Name(of.name()), k.states(r)),
		}
		if r.established != "" {
			c.message = fmt.Sprintf("%s uses %s, but %s. Use %s there.", at(&evidence), k.told(of.name()), k.says(r),
				k.told(r.established))
		} else {
			c.message = fmt.Sprintf("%s uses %s, but %s. Take it out, or ask first.", at(&evidence),
				k.told(of.name()), k.says(r))
		}
		k.report(c)
		return
	}
}

// outOfReach reports whether a rule does not hold in a file: the wrapper's own
// module, and, unless the user forbade the thing outright, tests and scripts.
func (k *bans) outOfReach(e *edit, r *rule, of target) bool {
	if r.established != "" && r.wrapper && isWrapper(e.file, r.established) || !r.holdsIn(e.file) {
		return true
	}
	if of.member != nil && of.member.Family().InTests {
		return false
	}
	return e.exempt && !r.holdsInTests(of) || k.isScratch(e.file)
}

// saidAgainstRule reports a plan to use what a rule rules out.
func (k *bans) saidAgainstRule(m *families.Member, segment *sessionevents.Segment, evidence sessionevents.Evidence) bool {
	r, of := k.book.ruledOut(only(m))
	if r != nil {
		k.plannedAgainst(r, of, segment, evidence)
	}
	return r != nil
}

// plannedAgainst words a plan to use what a rule rules out.
func (k *bans) plannedAgainst(r *rule, of target, segment *sessionevents.Segment, evidence sessionevents.Evidence) {
	name := k.bare(of.name())
	k.reportPlan(r, of, segment, evidence, "The plan takes "+name, k.advice(r, "Keep to that, or ask first."))
}

// reportPlan reports what a plan says against a rule, and what to do instead.
func (k *bans) reportPlan(r *rule, of target, segment *sessionevents.Segment, evidence sessionevents.Evidence, says, advice string) {
	evidence.ConflictsWith = r.earlier()
	k.report(contradiction{
		rule: r.text, subclass: r.subclass(of), thing: of.name(), established: r.established, cost: r.cost(of),
		confidence: k.Confidence.Words, known: k.knows(r.established), lexical: segment, evidence: evidence,
		message: fmt.Sprintf("%s, but %s. %s", says, k.says(r), advice),
		reason:  fmt.Sprintf("%s, but %s.", says, k.states(r)),
	})
}

// directUse judges "I'll use X directly": around a declared wrapper, or around
// what is established.
func (k *bans) directUse(flag *sessionevents.RedFlagHit) {
	segment := k.segment(flag.Segment)
	if segment == nil {
		return
	}
	evidence := detect.At(segment, flag.Offset, flag.Length)
	for _, form := range k.Directly {
		found := form.FindStringSubmatch(flag.Sentence)
		if found == nil {
			continue
		}
		thing := found[form.SubexpIndex("thing")]
		members := k.libraries.NamedInRule(thing)
		for _, m := range members {
			if k.saidAgainstRule(m, segment, evidence) {
				return
			}
		}
		if k.literalAgainstRule(bare(thing), segment, evidence) {
			return
		}
		for _, m := range members {
			before := len(k.findings)
			k.practice.inferred("", m, evidence, planned)
			if len(k.findings) > before {
				f := &k.findings[len(k.findings)-1]
				f.Confidence = detect.Lexical(f.Confidence, segment.Thinking)
				return
			}
		}
	}
}

// literalAgainstRule reports a plan to use a name that a convention's bypass lists.
func (k *bans) literalAgainstRule(name string, segment *sessionevents.Segment, evidence sessionevents.Evidence) bool {
	r, of := k.book.ruledOut(func(of target) bool { return of.literal != "" && strings.EqualFold(of.literal, name) })
	if r == nil {
		return false
	}
	says := "The plan uses " + quote.Name(of.literal) + " directly"
	k.reportPlan(r, of, segment, evidence, says, "Keep to that, or ask first.")
	return true
}
