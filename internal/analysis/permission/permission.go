// Package permission determines whether a person asked for an act on a thing (JD-30): by
// an imperative whose verb is the act and whose object is what would be lost, or by a yes
// to a proposal that named both. Words about the task's subject matter permit nothing,
// and neither do doubtful ones.
//
// Languages are data (rules/permission.yaml). No input makes it fail, and the same words
// get the same answer.
package permission

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Language describes how requests are worded in one language.
type Language struct {
	ID string `yaml:"id"`
	// Verbs and Objects are keyed by the kind of act.
	Verbs   map[string][]string `yaml:"verbs"`
	Objects map[string][]string `yaml:"objects"`
	// Leads may precede an imperative, and Joins begin another one. Runs are verbs whose
	// object is a command. Offers begin a proposal, Accepts accept one, and Pronouns
	// refer to what it named.
	Leads    []string `yaml:"leads"`
	Joins    []string `yaml:"joins"`
	Runs     []string `yaml:"runs"`
	Offers   []string `yaml:"offers"`
	Accepts  []string `yaml:"accepts"`
	Pronouns []string `yaml:"pronouns"`
	// Copulas follow the thing that a clause is about: "the dev database may be wiped".
	Copulas  []string `yaml:"copulas"`
	Negative []string `yaml:"negative"`
	// Fillers are words between a verb and the head of its object.
	Fillers []string `yaml:"fillers"`
	// Manners say how an act is done, after its object: "reset the working tree hard".
	Manners []string `yaml:"manners"`
	// Subordinates begin a clause that is not an instruction.
	Subordinates []string `yaml:"subordinates"`
	// Withdraws match a sentence that withdraws what the message said before.
	Withdraws []string `yaml:"withdraws"`
	// Free languages have no spaces, and no fixed order of verb and object.
	Free bool `yaml:"free"`
}

// Config is the section "permission" of the rules.
type Config struct {
	Languages    []Language      `yaml:"languages"`
	ObjectWords  int             `yaml:"object_words" range:"1..20"`
	AcceptWords  int             `yaml:"accept_words" range:"1..60"`
	ConsentWords int             `yaml:"consent_words" range:"0..100"`
	Picks        *pattern.Regexp `yaml:"picks" pattern:"fold,long"`
}

// Act is an act about to happen, in the words of its command.
type Act struct {
	Kind    string
	Command string   // "git reset --hard"
	Targets []string // paths, branches, tables, names
	Whole   bool     // everything of its kind
}

// Reader reads messages. It holds no state and is safe for concurrent use.
type Reader struct {
	config    Config
	languages []*language
}

// language is a Language as stems.
type language struct {
	*Language
	verbs, objects map[string][][]string

	subordinates, leads, joins, runs, offers, accepts, pronouns [][]string
	copulas, negative, fillers, withdrawals, manners            [][]string
}

// New returns a Reader for the section "permission" of the rules.
func New(set *rules.Set) (*Reader, error) {
	r := &Reader{}
	if err := set.Decode("permission", &r.config); err != nil {
		return nil, fmt.Errorf("load permissions: %w", err)
	}
	for i := range r.config.Languages {
		l := &r.config.Languages[i]
		r.languages = append(r.languages, &language{
			subordinates: phrases(l.Subordinates),
			Language:     l, verbs: byKind(l.Verbs), objects: byKind(l.Objects), leads: phrases(l.Leads), joins: phrases(l.Joins), runs: phrases(l.Runs), offers: phrases(l.Offers),
			accepts: phrases(l.Accepts), pronouns: phrases(l.Pronouns), copulas: phrases(l.Copulas), negative: phrases(l.Negative), fillers: phrases(l.Fillers), withdrawals: phrases(l.Withdraws),
			manners: phrases(l.Manners),
		})
	}
	return r, nil
}

func byKind(lists map[string][]string) map[string][][]string {
	out := map[string][][]string{}
	for kind, list := range lists {
		out[kind] = phrases(list)
	}
	return out
}

func phrases(list []string) [][]string {
	out := make([][]string, len(list))
	for i, text := range list {
		out[i] = stems(text)
	}
	return out
}

func stems(text string) []string {
	out := similarity.Words(text)
	for i, w := range out {
		out[i] = prose.Stem(w)
	}
	return out
}

// Asked reports whether a person asked for an act, in one of the messages, oldest first,
// or by accepting the agent's offer in the last one.
func (r *Reader) Asked(messages []string, offer string, a Act) bool {
	for k, text := range messages {
		for _, l := range r.languages {
			if l.asks(text, &a, r.config.ObjectWords) {
				return true
			}
			if k == len(messages)-1 && offer != "" && l.takes(text, &a, r.config.AcceptWords) && l.offered(offer, &a, r.config.ObjectWords) {
				return true
			}
		}
	}
	return false
}

// Brief reports whether a message is short enough to be an answer to what the agent said.
func (r *Reader) Brief(text string) bool { return len(strings.Fields(text)) <= r.config.ConsentWords }

// Consents reports whether a brief message approves what the agent proposed: it begins with a yes in any
// language, or picks one of several things (JD-31).
func (r *Reader) Consents(text string) bool {
	if !r.Brief(text) {
		return false
	}
	said := stems(text)
	return r.config.Picks.MatchString(text) || slices.ContainsFunc(r.languages, func(l *language) bool {
		return beginsOne(said, l.accepts) || l.Free && slices.ContainsFunc(l.Accepts, func(yes string) bool {
			return strings.HasPrefix(strings.TrimSpace(text), yes)
		})
	})
}

// Accepts reports whether a short message accepts a proposal: it has a yes, and no no.
func (r *Reader) Accepts(text string) bool {
	said := stems(text)
	if slices.ContainsFunc(r.languages, func(l *language) bool { return l.refuses(said) }) {
		return false
	}
	return r.Consents(text) || slices.ContainsFunc(r.languages, func(l *language) bool {
		return l.accepted(text, said, r.config.AcceptWords)
	})
}

// Tells reports whether a verb after the given beginning of a sentence is an instruction:
// it begins a clause, or is preceded only by words that lead to an imperative (JD-31).
func (r *Reader) Tells(before string) bool {
	return slices.ContainsFunc(r.languages, func(l *language) bool {
		clauses := l.clauses(before + " .")
		if l.Free || len(clauses) == 0 {
			return false
		}
		number := func(w string) bool { return strings.Trim(w, "0123456789") == "" } // a list item's number
		return len(l.led(slices.DeleteFunc(slices.Clone(clauses[len(clauses)-1].words), number))) == 0
	})
}

// asks reports whether a message asks for an act without withdrawing the request.
func (l *language) asks(text string, a *Act, near int) bool {
	asked := false
	for _, sentence := range prose.Sentences(separated(text)) {
		if slices.ContainsFunc(l.withdrawals, func(w []string) bool { return begins(stems(sentence.Text), w) }) {
			asked = false
		}
		if l.Free {
			asked = asked || l.freely(sentence.Text, a)
			continue
		}
		thing := false // an earlier clause of the sentence is about the thing
		for _, clause := range l.clauses(sentence.Text) {
			asked = asked || l.imperative(clause, a, near) || thing && l.onPronoun(clause, a)
			thing = thing || l.speaksOf(clause, a)
		}
	}
	return asked
}

// separated returns a text in which a line that begins with a capital letter is a
// paragraph of its own, since titles and list items end without punctuation.
func separated(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, "-*• \t")); unicode.IsUpper(first) {
			out.WriteByte('\n')
		}
		out.WriteString(line)
	}
	return out.String()
}

// clauses returns the parts of a sentence that may contain an imperative of their own.
func (l *language) clauses(sentence string) (out []clause) {
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(sentence, " - ", ", "), func(c rune) bool { return strings.ContainsRune(",;:()—–\n", c) }) {
		words := stems(part)
		from, tells := 0, true
		for at := 1; at < len(words); at++ {
			subordinate, join := beginsOne(words[at:], l.subordinates), beginsOne(words[at:], l.joins)
			if !subordinate && !join {
				continue
			}
			if tells {
				out = append(out, clause{words[from:at], part})
			}
			from, tells = at+1, join
		}
		if tells {
			out = append(out, clause{words[min(from, len(words)):], part})
		}
	}
	return out
}

// clause is a part of a sentence as stems, with its text.
type clause struct {
	words []string
	text  string
}

// imperative reports whether a clause is an instruction to perform an act.
func (l *language) imperative(c clause, a *Act, near int) bool {
	words := l.led(c.words)
	if len(words) == 0 || slices.ContainsFunc(l.negative, func(n []string) bool { return index(c.words[:len(c.words)-len(words)], n) >= 0 }) {
		return false
	}
	if l.commands(words, c.text, a) {
		return true
	}
	for _, verb := range l.verbs[a.Kind] {
		if begins(words, verb) && l.about(words[len(verb):], a, near) {
			return true
		}
	}
	return false
}

// onPronoun reports whether a clause is an instruction to perform an act on what was
// mentioned: "the dev database may be wiped, reset it".
func (l *language) onPronoun(c clause, a *Act) bool {
	words := l.led(c.words)
	return slices.ContainsFunc(l.verbs[a.Kind], func(verb []string) bool {
		return begins(words, verb) && beginsOne(words[len(verb):], l.pronouns)
	})
}

// speaksOf reports whether a clause is about the thing itself: it begins with the thing,
// after leading words, and continues with a verb ("the dev database may be …"), not with
// what the thing belongs to.
func (l *language) speaksOf(c clause, a *Act) bool {
	words := l.led(c.words)
	if slices.ContainsFunc(l.negative, func(n []string) bool { return index(words, n) >= 0 }) {
		return false
	}
	for at := 0; at < min(len(words), 4); at++ {
		rest := words[at:]
		if named(rest, a.Targets) {
			return true
		}
		if slices.ContainsFunc(l.objects[a.Kind], func(o []string) bool {
			return begins(rest, o) && (len(rest) == len(o) || beginsOne(rest[len(o):], l.copulas))
		}) {
			return true
		}
	}
	return false
}

// led returns a clause without what may precede an imperative.
func (l *language) led(words []string) []string {
	for again := true; again; {
		again = false
		for _, lead := range l.leads {
			if len(lead) > 0 && begins(words, lead) {
				words, again = words[len(lead):], true
			}
		}
	}
	return words
}

// commands reports whether a clause names the command itself: "run git reset --hard".
func (l *language) commands(words []string, text string, a *Act) bool {
	fields := strings.Fields(a.Command)
	if len(fields) < 2 {
		return false
	}
	named := strings.Join(fields[:min(len(fields), 3)], " ")
	if !strings.Contains(text, named) {
		return false
	}
	said := stems(fields[0])
	return begins(words, said) || slices.ContainsFunc(l.runs, func(r []string) bool { return begins(words, r) })
}

// about reports whether the object at the beginning of some words is the act's.
func (l *language) about(words []string, a *Act, near int) bool {
	words = words[:min(len(words), near)]
	for at := range words {
		rest := words[at:]
		if named(rest, a.Targets) {
			return true
		}
		if slices.ContainsFunc(l.objects[a.Kind], func(o []string) bool { return begins(rest, o) && l.ends(rest[len(o):]) }) {
			return true
		}
		if !slices.ContainsFunc(l.fillers, func(f []string) bool { return begins(rest, f) }) {
			return false
		}
	}
	return false
}

// ends reports whether an object is the head of its phrase: "the reset password link" is about a
// link.
func (l *language) ends(rest []string) bool {
	for _, m := range l.manners {
		if begins(rest, m) && l.stops(rest[len(m):]) {
			return true
		}
	}
	return beginsOne(rest, l.fillers) || l.stops(rest)
}

// stops reports whether a clause is at its end.
func (l *language) stops(rest []string) bool {
	return len(rest) == 0 || beginsOne(rest, l.joins) || beginsOne(rest, l.subordinates)
}

// named reports whether words begin with the name of one of some targets.
func named(words, targets []string) bool {
	for _, t := range targets {
		base := path.Base(strings.TrimRight(t, "/"))
		for _, name := range []string{t, base, strings.TrimSuffix(base, path.Ext(base)), path.Join(path.Base(path.Dir(t)), base)} {
			if said := stems(name); len(said) > 0 && len(strings.Join(said, "")) > 2 && begins(words, said) {
				return true
			}
		}
	}
	return false
}

// freely handles a sentence in a language without spaces: it must contain verb and
// object, and no negation.
func (l *language) freely(sentence string, a *Act) bool {
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(sentence, w) })
	}
	if !has(l.Verbs[a.Kind]) || has(l.Negative) {
		return false
	}
	return has(l.Objects[a.Kind]) || slices.ContainsFunc(a.Targets, func(t string) bool { return len(path.Base(t)) > 2 && strings.Contains(sentence, path.Base(t)) })
}

// takes reports whether a message accepts a proposal, with a yes or with its verb and a
// pronoun.
func (l *language) takes(text string, a *Act, most int) bool {
	said := stems(text)
	if l.accepted(text, said, most) {
		return true
	}
	if len(said) > most || l.refuses(said) {
		return false
	}
	words := l.led(said)
	for _, verb := range l.verbs[a.Kind] {
		if begins(words, verb) && slices.ContainsFunc(l.pronouns, func(p []string) bool { return begins(words[len(verb):], p) }) {
			return true
		}
	}
	return false
}

// accepted reports whether a message of at most so many words has a yes, and no no.
func (l *language) accepted(text string, said []string, most int) bool {
	if len(said) == 0 || len(said) > most || l.refuses(said) {
		return false
	}
	return slices.ContainsFunc(l.accepts, func(w []string) bool { return index(said, w) >= 0 }) ||
		l.Free && slices.ContainsFunc(l.Accepts, func(w string) bool { return strings.Contains(text, w) })
}

func (l *language) refuses(said []string) bool {
	return slices.ContainsFunc(l.negative, func(n []string) bool { return index(said, n) >= 0 })
}

// offered reports whether a proposal of the agent named an act and its object.
func (l *language) offered(text string, a *Act, near int) bool {
	for _, sentence := range prose.Sentences(text) {
		if l.Free {
			if l.freely(sentence.Text, a) {
				return true
			}
			continue
		}
		words := stems(sentence.Text)
		proposes := strings.Contains(sentence.Text, "?") || slices.ContainsFunc(l.offers, func(o []string) bool { return index(words, o) >= 0 })
		if !proposes {
			continue
		}
		if fields := strings.Fields(a.Command); len(fields) > 1 && strings.Contains(sentence.Text, strings.Join(fields[:min(len(fields), 3)], " ")) {
			return true
		}
		for _, verb := range l.verbs[a.Kind] {
			for at := range words {
				if begins(words[at:], verb) && l.about(words[at+len(verb):], a, near) {
					return true
				}
			}
		}
	}
	return false
}

// beginsOne reports whether words begin with one of some phrases.
func beginsOne(words []string, list [][]string) bool {
	return slices.ContainsFunc(list, func(p []string) bool { return begins(words, p) })
}

// begins reports whether words begin with a phrase.
func begins(words, phrase []string) bool {
	return len(phrase) > 0 && len(words) >= len(phrase) && slices.Equal(words[:len(phrase)], phrase)
}

// index returns where a phrase begins in words, -1 if it does not occur.
func index(words, phrase []string) int {
	for i := range words {
		if begins(words[i:], phrase) {
			return i
		}
	}
	return -1
}
