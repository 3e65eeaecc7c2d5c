package featurecreep

import (
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// scope is what was requested so far, including this turn's messages (SW-14). It is read
// on demand, since most turns contain nothing to compare with it.
type scope struct {
	detector *instance
	memory   *memory
	baseline *registry.Baseline
	texts    []string // the users' messages

	isRead bool
	open   bool
	terms  map[string]bool // stems
	wanted map[string]bool // words of the sentences that do more than report, lower case
}

func newScope(t *turn) *scope {
	b := t.Baseline()
	s := &scope{detector: t.instance, memory: t.memory, baseline: b}
	s.say(b.Task)
	for _, constraint := range b.Constraints {
		s.say(constraint)
	}
	for _, r := range b.Requests {
		s.say(r.Text)
	}
	for i := range t.Turn.Segments {
		if segment := &t.Turn.Segments[i]; segment.Kind == sessionevents.SegmentUser {
			s.say(segment.Text)
		}
	}
	return s
}

func (s *scope) say(text string) {
	if strings.TrimSpace(text) != "" {
		s.texts = append(s.texts, text)
	}
}

// known reports whether there is any scope.
func (s *scope) known() bool { return len(s.texts) > 0 }

// isOpen reports whether the request leaves the scope open or defines it elsewhere.
func (s *scope) isOpen() bool {
	s.read()
	return s.open
}

// holds reports whether a stem was mentioned.
func (s *scope) holds(stem string) bool {
	s.read()
	return s.terms[stem]
}

// whole reports whether every message is stored in full.
func (s *scope) whole() bool {
	return s.baseline.Evicted == 0 && !slices.ContainsFunc(s.texts, func(text string) bool { return strings.HasSuffix(text, "…") })
}

// requested reports whether a sentence that does more than describe a problem contains
// the word.
func (s *scope) requested(word string) bool {
	if s.wanted == nil {
		s.wanted = map[string]bool{}
		for _, text := range s.texts {
			for _, sentence := range prose.Sentences(text) {
				if d := s.detector; d.Reports.MatchString(sentence.Text) && !d.Requests.MatchString(sentence.Text) {
					continue
				}
				for _, w := range strings.FieldsFunc(strings.ToLower(sentence.Text), notWord) {
					s.wanted[w] = true
				}
			}
		}
	}
	return s.wanted[word]
}

func notWord(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func (s *scope) read() {
	if s.isRead {
		return
	}
	s.isRead, s.terms = true, map[string]bool{}
	add := func(list []string) {
		for _, stem := range list {
			s.terms[stem] = true
		}
	}
	for _, text := range s.texts {
		s.open = s.open || s.detector.OpenScope.MatchString(text)
		add(prose.Terms(text))
	}
	for stem := range s.baseline.Terms {
		s.terms[stem] = true
	}
	for _, name := range s.baseline.Paths {
		add(prose.Terms(name))
	}
	for _, name := range s.baseline.Identifiers {
		add(prose.Terms(name))
	}
	add(s.memory.Approved)
}

// asks reports whether the user asked for something of this name: the messages contain
// enough of its own words.
func (t *turn) asks(stems []string) bool {
	own := t.own(stems)
	said := 0
	for _, w := range own {
		if t.scope.holds(w) {
			said++
		}
	}
	return said > 0 && float64(said) >= t.AskedShare*float64(len(own))
}

// own returns the words that name a feature, or all words if none does.
func (d *instance) own(stems []string) []string {
	var own []string
	for _, w := range stems {
		if !d.general[w] {
			own = append(own, w)
		}
	}
	if len(own) == 0 {
		return stems
	}
	return own
}
