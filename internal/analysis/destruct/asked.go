package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/permission"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// Requests configures how requests for an act are recognized.
type Requests struct {
	Asks          map[Kind][]string   `yaml:"asks"`
	RuleAsks      map[string][]string `yaml:"rule_asks"`
	Ignored       []string            `yaml:"ignored"`
	Withdrawals   []string            `yaml:"withdrawals"`
	NamedKinds    []Kind              `yaml:"named_kinds"`
	Objects       map[Kind][]string   `yaml:"objects"`
	NameWords     int                 `yaml:"name_words" range:"1..50"`
	Negations     []string            `yaml:"negations"`
	NegationWords int                 `yaml:"negation_words" range:"0..20"`
	Reports       []string            `yaml:"reports"`
	Accepts       []string            `yaml:"accepts"`
	AcceptWords   int                 `yaml:"accept_words" range:"1..100"`

	phrases              map[Kind][][]string
	ofRules              map[string][][]string
	ignored, withdrawals [][]string
	accepts              [][]string
	objects              map[Kind][]string
}

// prepare converts the phrases to stems.
func (r *Requests) prepare() {
	r.phrases, r.objects, r.ofRules = map[Kind][][]string{}, map[Kind][]string{}, map[string][][]string{}
	for rule, list := range r.RuleAsks {
		for _, p := range list {
			r.ofRules[rule] = append(r.ofRules[rule], stems(p))
		}
	}
	for _, p := range r.Withdrawals {
		r.withdrawals = append(r.withdrawals, stems(p))
	}
	for _, p := range r.Ignored {
		r.ignored = append(r.ignored, stems(p))
	}
	for kind, list := range r.Objects {
		for _, word := range list {
			r.objects[kind] = append(r.objects[kind], stems(word)...)
		}
	}
	for kind, list := range r.Asks {
		for _, p := range list {
			r.phrases[kind] = append(r.phrases[kind], stems(p))
		}
	}
	for _, p := range r.Accepts {
		r.accepts = append(r.accepts, stems(p))
	}
}

func stems(text string) []string {
	out := similarity.Words(text)
	for i, w := range out {
		out[i] = prose.Stem(w)
	}
	return out
}

// Asked reports whether a person asked for this very act, in one of the messages or by
// accepting the agent's offer in the last one.
func (r *Reader) Asked(messages []string, offer string, a *Act) bool {
	if a.Rule == WriteRule && slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, path.Base(a.Targets[0])) }) {
		return true
	}
	if a.Kind != Published && a.Kind != Settings {
		if a.Ignored && a.Whole && !r.config.Requests.ignoredToo(append(messages, offer)) {
			return false
		}
		kind := string(a.Kind)
		if a.Takes {
			kind = "taking"
		}
		return r.permission.Asked(messages, offer, permission.Act{Kind: kind, Command: a.Command, Targets: a.Targets, Whole: a.Whole})
	}
	requests := &r.config.Requests
	for k, text := range messages {
		for _, sentence := range requests.standing(text) {
			if requests.ask(stems(sentence), a, false) {
				return true
			}
		}
		if k == len(messages)-1 && offer != "" && requests.accept(text) && requests.ask(stems(offer), a, true) {
			return true
		}
	}
	return false
}

// ignoredToo reports whether words include ignored files: a clean-up may mean build
// output.
func (r *Requests) ignoredToo(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		said := stems(text)
		return slices.ContainsFunc(r.ignored, func(p []string) bool { return indexOf(said, p, 0) >= 0 })
	})
}

// Rules of acts that are not commands: a tool writes a file in full, or changes one.
const (
	WriteRule = "write"
	EditRule  = "edit"
)

// ask reports whether words request an act, or propose it: they contain a verb for its
// kind, not negated, and for some kinds its object.
func (r *Requests) ask(said []string, a *Act, proposed bool) bool {
	for _, phrase := range r.asking(a) {
		for at := indexOf(said, phrase, 0); at >= 0; at = indexOf(said, phrase, at+1) {
			before := said[max(0, at-r.NegationWords):at]
			negated := slices.ContainsFunc(before, func(w string) bool { return slices.Contains(r.Negations, w) })
			reported := !proposed && at > 0 && slices.Contains(r.Reports, said[at-1])
			if !negated && !reported && r.about(said[max(0, at-r.NameWords):min(len(said), at+len(phrase)+2*r.NameWords)], a) {
				return true
			}
		}
	}
	return false
}

// standing returns the sentences of a message that are not withdrawn in it.
func (r *Requests) standing(text string) []string {
	var out []string
	for _, sentence := range prose.Sentences(text) {
		said := stems(sentence.Text)
		if slices.ContainsFunc(r.withdrawals, func(w []string) bool { return indexOf(said[:min(len(said), len(w)+1)], w, 0) >= 0 }) {
			out = nil
		}
		out = append(out, sentence.Text)
	}
	return out
}

// asking returns the phrases that request an act.
func (r *Requests) asking(a *Act) [][]string {
	switch own := r.ofRules[a.Rule]; {
	case own != nil:
		return own
	case a.Ignored && a.Whole:
		return r.ignored
	}
	return r.phrases[a.Kind]
}

// about reports whether words near a phrase name the object of an act, if its kind
// requires that.
func (r *Requests) about(near []string, a *Act) bool {
	return !slices.Contains(r.NamedKinds, a.Kind) || a.Whole && len(a.Targets) == 0 || names(near, a.Targets) ||
		slices.ContainsFunc(r.objects[a.Kind], func(w string) bool { return slices.Contains(near, w) })
}

// names reports whether words name one of some targets, by a word of its last or second
// last part.
func names(said, targets []string) bool {
	for _, t := range targets {
		base := path.Base(t)
		for _, part := range []string{strings.TrimSuffix(base, path.Ext(base)), path.Base(path.Dir(t)), strings.TrimPrefix(base, ".")} {
			if slices.ContainsFunc(stems(part), func(w string) bool { return len(w) > 2 && slices.Contains(said, w) }) {
				return true
			}
		}
	}
	return false
}

// accept reports whether a message accepts a proposal.
func (r *Requests) accept(text string) bool {
	said := stems(text)
	return len(said) > 0 && len(said) <= r.AcceptWords &&
		slices.ContainsFunc(r.accepts, func(phrase []string) bool { return indexOf(said, phrase, 0) >= 0 })
}

// indexOf returns where a phrase begins in words, at or after a place; -1 if it does not
// occur.
func indexOf(said, phrase []string, from int) int {
	for i := from; len(phrase) > 0 && i+len(phrase) <= len(said); i++ {
		if slices.Equal(said[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}
