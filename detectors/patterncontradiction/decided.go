package patterncontradiction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/topics"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// decisions is the kind of contradiction that is about a recorded decision: what somebody settled in
// a sentence, by topic (rules/topics.yaml) or by library (rules/families.yaml), against what is said
// and written later (A2, SW-13). It reads sentences and judges edits; what becomes of a finding is the
// judge's business ([turn.report]).
type decisions struct {
	libraries *families.Catalogue
	topics    *topics.Catalogue
}

// named is a choice that a sentence names: a library, by its name in any language, or a topic's.
type named struct {
	members  []*families.Member
	choice   *topics.Choice
	rejected bool
	at       int // number of the word
}

// job says what a named thing is a choice for.
func (n *named) job() string {
	if n.choice != nil {
		return n.choice.Topic().ID
	}
	return "libraries " + n.members[0].Family().ID
}

func (n *named) name() string {
	if n.choice != nil {
		return n.choice.Name
	}
	return n.members[0].Spoken()
}

// rulesIn are the rules that the decisions of a text amount to, each like the given one: one choice
// stands for its job, so that the others are ruled out. A sentence that names two choices for one job
// without turning one of them down decides nothing.
func (d *decisions) rulesIn(text string, like *rule) []*rule {
	var out []*rule
	for _, s := range prose.Sentences(text) {
		if d.topics.Settles(s.Text) {
			out = append(out, d.rulesOf(s.Text, like)...)
		}
	}
	return out
}

func (d *decisions) rulesOf(sentence string, like *rule) []*rule {
	found := d.namedIn(sentence)
	ofTests := d.topics.OfTests(sentence)
	var out []*rule
	for _, n := range found {
		if n.rejected || ofTests && (n.choice != nil || !n.members[0].Family().InTests) {
			continue
		}
		if slices.ContainsFunc(found, func(o named) bool {
			return !o.rejected && o.job() == n.job() &&
				o.name() != n.name()
		}) {
			continue
		}
		r := *like
		r.text, r.established, r.job = sentence, n.name(), n.job()
		if n.choice != nil {
			r.targets = d.otherChoices(n.choice)
		} else {
			r.targets = d.otherMembers(n.members, sentence)
		}
		if len(r.targets) > 0 {
			out = append(out, &r)
		}
	}
	return out
}

func (d *decisions) otherChoices(chosen *topics.Choice) []target {
	var out []target
	for _, other := range chosen.Topic().Choices {
		if chosen.Rivals(other) {
			out = append(out, target{choice: other})
		}
	}
	return out
}

// otherMembers are the libraries that a chosen one rules out, and what lies below it where the
// sentence takes it for all of the job.
func (d *decisions) otherMembers(chosen []*families.Member, sentence string) []target {
	var out []target
	for _, m := range chosen {
		for _, other := range m.Family().Members {
			if slices.Contains(chosen, other) {
				continue
			}
			if m.Rivals(other) && (!other.Raw || m.Family().InTests || len(other.Commands) > 0) || other.Raw &&
				other.Language == m.Language && always.MatchString(sentence) {
				out = append(out, target{member: other})
			}
		}
	}
	return out
}

// namedIn are the choices that a sentence names, in order.
func (d *decisions) namedIn(sentence string) []named {
	words := strings.Fields(sentence)
	var out []named
	taken := map[int]bool{} // "Redis" is the cache, not one library for it
	for _, m := range d.topics.Mentions(sentence) {
		out = append(out, named{choice: m.Choice, at: m.Word})
		taken[m.Word] = true
	}
	for i := 0; i < len(words); i++ {
		if taken[i] {
			continue
		}
		for n := min(3, len(words)-i); n > 0; n-- {
			phrase := strings.Join(words[i:i+n], " ")
			if n > 1 && strings.ContainsAny(strings.Join(words[i:i+n-1], " "), ",;:.()!?") {
				continue
			}
			if members := d.exactly(phrase, sentence); len(members) > 0 {
				out = append(out, named{members: members, at: i})
				i += n - 1
				break
			}
		}
	}
	for i := range out {
		out[i].rejected = d.topics.Rejected(strings.Join(words[:out[i].at], " ") + " ")
	}
	return out
}

// exactly are the libraries that a phrase names, without words around the name. A name that is a plain
// word ("uv") counts where the sentence speaks of its job.
func (d *decisions) exactly(phrase, sentence string) []*families.Member {
	phrase = strings.Trim(phrase, ",.;:!?()\"'")
	members := d.libraries.Named(phrase)
	if len(members) == 0 {
		members = d.libraries.NamedInRule(phrase)
		if len(members) == 0 || d.libraries.About(phrase) != nil || d.libraries.About(sentence) != members[0].Family() {
			return nil
		}
	}
	bare := strings.Trim(phrase, "`")
	return slices.DeleteFunc(slices.Clone(members), func(m *families.Member) bool {
		return !strings.EqualFold(m.Spoken(), bare) && !slices.ContainsFunc(slices.Concat(m.Said, m.Imports),
			func(n string) bool { return strings.EqualFold(n, bare) })
	})
}

// notes keeps the sentences of this turn that decide something, for the turns after it.
func (t *turn) notes() {
	for i := range t.Additions.Sentences {
		s := &t.Additions.Sentences[i]
		if segment := t.segment(s.Segment); segment == nil || segment.Thinking || !t.decisions.topics.Settles(s.Text) {
			continue
		}
		if len(t.decisions.rulesOf(s.Text, &rule{})) > 0 {
			t.memory.Decided = bounded(t.memory.Decided, stated{Text: detect.Quote(s.Text), Turn: t.Turn.Turn}, t.Limits.Decided)
		}
	}
}

// standing are the agent's own decisions in force before this turn, the newest for each job first. A
// person's later word on the job ends one.
func (t *turn) standing() []*rule {
	book := t.rulebook()
	var out []*rule
	for _, s := range slices.Backward(t.memory.Decided) {
		key := fromDecision + s.Text
		list, known := t.memory.parsed[key]
		if !known {
			list = t.decisions.rulesIn(s.Text, &rule{origin: fromDecision})
			t.memory.parsed[key] = list
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

// againstStanding reports what an edit takes against a decision that the agent made before.
func (t *turn) againstStanding(e *edit, declared map[string]bool) {
	if t.standingRead == nil {
		t.standingRead = &[]*rule{}
		*t.standingRead = t.standing()
	}
	for _, r := range *t.standingRead {
		for _, of := range r.targets {
			if declared[of.name()] || e.exempt && (of.member == nil || !of.member.Family().InTests) || t.isScratch(e.file) {
				continue
			}
			offset, length := t.uses(e, of)
			if length == 0 || t.usedBefore(e, of) || t.seenInUse(of, e.file) || t.takesToo(e, r) {
				continue
			}
			declared[of.name()] = true
			t.againstDecided(r, of, detect.At(e.segment, offset, length), nil)
			break
		}
	}
}

// seenInUse reports whether files that were read use a thing already.
func (t *turn) seenInUse(of target, file string) bool {
	if of.member != nil {
		return t.present(of.member, file)
	}
	u := t.memory.Uses[of.choice.Key()]
	return u != nil && len(u.Files) > 0
}

// takesToo reports whether an edit uses what was decided on as well.
func (t *turn) takesToo(e *edit, r *rule) bool {
	for _, choice := range t.decisions.topics.Named(r.established) {
		if choice.Topic().ID == r.job {
			if _, length := t.uses(e, target{choice: choice}); length > 0 {
				return true
			}
		}
	}
	return false
}

// againstDecided words a departure from the agent's own decision.
func (t *turn) againstDecided(r *rule, of target, evidence sessionevents.Evidence, said *sessionevents.Segment) {
	evidence.ConflictsWith = r.earlier()
	name := of.name()
	t.report(contradiction{
		subclass: "decision", thing: t.short(name), established: r.established, cost: contraryCost, confidence: t.Confidence.Decision,
		known: true, logOnly: said != nil, evidence: evidence, lexical: said,
		message: fmt.Sprintf("Turn %d decided on %s. This turn takes %s without a reason. Keep to %s, or say why it changes.",
			r.turn, t.bare(r.established), t.bare(name), t.bare(r.established)),
		reason: fmt.Sprintf("%s stands against the decision of turn %d: %s.", t.named(name), r.turn, t.quoted(r.text)),
	})
}

// redecided judges the sentences of a turn that settle a job otherwise than a rule or an earlier
// decision does. Words alone rest on no fact but themselves: against the agent's own decision they are
// for the log (JD-2).
func (t *turn) redecided() {
	for i := range t.Additions.Sentences {
		s := &t.Additions.Sentences[i]
		segment := t.segment(s.Segment)
		if segment == nil || !t.decisions.topics.Settles(s.Text) {
			continue
		}
		for _, now := range t.decisions.namedIn(s.Text) {
			if !now.rejected && now.choice != nil && !now.choice.Topic().IsAside(s.Text) {
				t.saidAgainst(&now, segment, quoteOf(segment, s.Text))
			}
		}
	}
}

func (t *turn) saidAgainst(now *named, segment *sessionevents.Segment, evidence sessionevents.Evidence) {
	is := func(of target) bool { return of.choice == now.choice }
	if r, of := t.ruledOut(is); r != nil {
		t.plannedAgainst(r, of, segment, evidence)
		return
	}
	for _, r := range t.standing() {
		if r.turn < t.Turn.Turn && slices.ContainsFunc(r.targets, is) {
			t.againstDecided(r, target{choice: now.choice}, evidence, segment)
			return
		}
	}
}

// commandAgainst reports a package manager's command against what was decided.
func (t *turn) commandAgainst(m *families.Member, evidence sessionevents.Evidence) bool {
	for _, r := range t.standing() {
		if slices.ContainsFunc(r.targets, only(m)) {
			t.againstDecided(r, target{member: m}, evidence, nil)
			return true
		}
	}
	return false
}
