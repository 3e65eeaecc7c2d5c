package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/topics"
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
		out = append(out, d.rulesOf(s.Text, like)...)
	}
	return out
}

// rulesOf returns the rules of one sentence. One that only states what is what ("logging stays on X") must
// speak of the job of X.
func (d *decisions) rulesOf(sentence string, like *rule) []*rule {
	stated := false
	if !d.topics.Settles(sentence) {
		if stated = d.topics.States(sentence); !stated {
			return nil
		}
	}
	found := d.namedIn(sentence)
	ofTests := d.topics.OfTests(sentence)
	var out []*rule
	for _, n := range found {
		if n.rejected || stated && !d.speaksOf(&n, sentence) ||
			ofTests && (n.choice != nil || !n.members[0].Family().InTests) {
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

// speaksOf reports whether a sentence says the job of a thing that it names.
func (d *decisions) speaksOf(n *named, sentence string) bool {
	if n.choice != nil {
		return d.topics.SpeaksOf(n.choice.Topic(), sentence)
	}
	return d.libraries.About(sentence) == n.members[0].Family()
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

func rivals(one, two []*families.Member) bool {
	return slices.ContainsFunc(one, func(a *families.Member) bool {
		return slices.ContainsFunc(two, a.Rivals)
	})
}
