package detect

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// UserDirected is the reason for a signal that is not sent because the user asked for the
// act (SW-42).
const UserDirected = "user-directed: not signaled"

// directions applies SW-42 with the section userdirected.
type directions struct {
	phrases map[string][][]string // detector → phrases as stemmed words
	shares  map[string]float64    // detector → its own share of the subject
	config  directionConfig
	general map[string]bool
	changes [][]string
	parts   []string
}

type directionConfig struct {
	Requests []struct {
		ID        string   `yaml:"id"`
		Detectors []string `yaml:"detectors"`
		Phrases   []string `yaml:"phrases"`
		// SubjectShare is the detector's own value; 0 means the common one.
		SubjectShare float64 `yaml:"subject_share" range:"0..1"`
	} `yaml:"requests"`
	Negations     []string `yaml:"negations"`
	NegationWords int      `yaml:"negation_words" range:"0..10"`
	Relatives     []string `yaml:"relatives"`
	Parts         []string `yaml:"parts"`
	TaskChanges   []string `yaml:"task_changes"`
	GeneralWords  []string `yaml:"general_words"`
	SubjectShare  float64  `yaml:"subject_share" range:"0..1"`
}

func newDirections(set *rules.Set) (*directions, error) {
	d := &directions{phrases: map[string][][]string{}, shares: map[string]float64{}, general: map[string]bool{}}
	if err := set.Decode("userdirected", &d.config); err != nil {
		return nil, err
	}
	for _, r := range d.config.Requests {
		for _, id := range r.Detectors {
			d.phrases[id] = append(d.phrases[id], stemAll(r.Phrases)...)
			if r.SubjectShare > 0 {
				d.shares[id] = r.SubjectShare
			}
		}
	}
	for _, w := range d.config.GeneralWords {
		for _, part := range words(w) {
			d.general[part] = true
		}
	}
	for _, w := range d.config.Parts {
		d.parts = append(d.parts, words(w)...)
	}
	d.changes = stemAll(d.config.TaskChanges)
	return d, nil
}

// asked reports whether a user message, in this turn or earlier, asks for what the
// finding is about.
func (d *directions) asked(detector string, f *Finding, p *Pass) bool {
	phrases := d.phrases[detector]
	if len(phrases) == 0 {
		return false
	}
	object, share := d.object(f), d.config.SubjectShare
	if own, ok := d.shares[detector]; ok {
		share = own
	}
	asked := false
	for _, message := range userMessages(p) {
		for _, sentence := range sentences(message) {
			said := words(sentence)
			if containsAny(said, d.changes) {
				asked = false
			}
			if object.namedIn(sentence, said, share) && d.requested(said, phrases) {
				asked = true
			}
		}
	}
	return asked
}

// userMessages returns the user's messages so far, including this turn's, oldest first.
func userMessages(p *Pass) []string {
	b := p.Baseline()
	out := make([]string, 0, len(b.Requests)+1)
	if len(b.Requests) == 0 && b.Task != "" {
		out = append(out, b.Task)
	}
	for _, r := range b.Requests {
		out = append(out, r.Text)
	}
	for i := range p.Turn.Segments {
		if s := &p.Turn.Segments[i]; s.Kind == sessionevents.SegmentUser && !slices.Contains(out, s.Text) {
			out = append(out, s.Text)
		}
	}
	return out
}

// requested reports whether a phrase occurs without a negation closely before it.
func (d *directions) requested(said []string, phrases [][]string) bool {
	for _, phrase := range phrases {
		for at := indexOf(said, phrase, 0); at >= 0; at = indexOf(said, phrase, at+1) {
			before := said[max(0, at-d.config.NegationWords):at]
			if at > 0 && slices.Contains(d.config.Relatives, said[at-1]) {
				continue // "a button that copies the address" says what a thing does
			}
			if end := at + len(phrase); end < len(said) && slices.Contains(d.parts, said[end]) {
				continue // "the retry policy" is a thing
			}
			if !slices.ContainsFunc(before, func(w string) bool { return slices.Contains(d.config.Negations, w) }) {
				return true
			}
		}
	}
	return false
}

// object is the subject of a finding as words.
type object struct {
	words []string
	files []string // base names, lower case
}

func (d *directions) object(f *Finding) object {
	var o object
	for _, w := range words(f.Subject) {
		if !d.general[w] && !slices.Contains(o.words, w) {
			o.words = append(o.words, w)
		}
	}
	for _, e := range f.Evidence {
		if base := strings.ToLower(e.Path[strings.LastIndex(e.Path, "/")+1:]); strings.Contains(base, ".") {
			o.files = append(o.files, base)
		}
	}
	return o
}

func (o object) namedIn(sentence string, said []string, share float64) bool {
	lower := strings.ToLower(sentence)
	for _, file := range o.files {
		if strings.Contains(lower, file) {
			return true
		}
	}
	found := 0
	for _, w := range o.words {
		if slices.Contains(said, w) {
			found++
		}
	}
	return found > 0 && float64(found) >= share*float64(len(o.words))
}

// words splits a text into lower-case stems, including stop words. Identifiers are split,
// so that "AuthService" and "auth service" are equal.
func words(text string) []string {
	out := similarity.Words(text)
	for i, w := range out {
		out[i] = prose.Stem(w)
	}
	return out
}

// Stems returns the stems of a list of words, with identifiers split, for checking
// whether the terms of a text are among them.
func Stems(list []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range list {
		for _, stem := range words(w) {
			out[stem] = true
		}
	}
	return out
}

func stemAll(phrases []string) [][]string {
	out := make([][]string, 0, len(phrases))
	for _, p := range phrases {
		out = append(out, words(p))
	}
	return out
}

// indexOf returns the first index at or after from at which said contains phrase,
// otherwise -1.
func indexOf(said, phrase []string, from int) int {
	for i := from; len(phrase) > 0 && i+len(phrase) <= len(said); i++ {
		if slices.Equal(said[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}

func containsAny(said []string, phrases [][]string) bool {
	return slices.ContainsFunc(phrases, func(p []string) bool { return indexOf(said, p, 0) >= 0 })
}

// sentences returns the sentences of a message.
func sentences(text string) []string {
	var out []string
	for _, s := range prose.Sentences(text) {
		out = append(out, s.Text)
	}
	return out
}
