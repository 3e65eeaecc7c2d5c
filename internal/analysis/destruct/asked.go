package destruct

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/permission"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// Requests configures how requests to publish and to change settings are recognized; package permission reads
// all others.
type Requests struct {
	Asks          map[Kind][]string `yaml:"asks"`
	Ignored       []string          `yaml:"ignored"`
	Withdrawals   []string          `yaml:"withdrawals"`
	Negations     []string          `yaml:"negations"`
	NegationWords int               `yaml:"negation_words" range:"0..20"`
	Reports       []string          `yaml:"reports"`

	phrases              map[Kind][][]string
	ignored, withdrawals [][]string
}

// prepare converts the phrases to stems.
func (r *Requests) prepare() {
	r.phrases = map[Kind][][]string{}
	for _, p := range r.Withdrawals {
		r.withdrawals = append(r.withdrawals, stems(p))
	}
	for _, p := range r.Ignored {
		r.ignored = append(r.ignored, stems(p))
	}
	for kind, list := range r.Asks {
		for _, p := range list {
			r.phrases[kind] = append(r.phrases[kind], stems(p))
		}
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
		if k == len(messages)-1 && offer != "" && r.permission.Accepts(text) && requests.ask(stems(offer), a, true) {
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
// kind, not negated.
func (r *Requests) ask(said []string, a *Act, proposed bool) bool {
	for _, phrase := range r.phrases[a.Kind] {
		for at := indexOf(said, phrase, 0); at >= 0; at = indexOf(said, phrase, at+1) {
			before := said[max(0, at-r.NegationWords):at]
			negated := slices.ContainsFunc(before, func(w string) bool { return slices.Contains(r.Negations, w) })
			reported := !proposed && at > 0 && slices.Contains(r.Reports, said[at-1])
			if !negated && !reported {
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
