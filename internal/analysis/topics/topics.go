// Package topics knows what a project decides on besides its libraries
// (rules/topics.yaml): its database, cache, queue, protocol and time zone. It finds the
// choice that a sentence names and the one that code shows (SW-13, A2).
package topics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/recall"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Topic is one decision with the possible choices.
type Topic struct {
	ID       string     `yaml:"id"`
	Noun     string     `yaml:"noun"` // "message broker"
	Words    []string   `yaml:"words"`
	Choices  []*Choice  `yaml:"choices"`
	Together [][]string `yaml:"together"` // choices that can be combined
	// Elsewhere matches files in which another choice is not a contradiction, Aside such
	// sentences.
	Elsewhere *pattern.Regexp `yaml:"elsewhere" pattern:"fold,optional"`
	Aside     *pattern.Regexp `yaml:"aside" pattern:"fold,optional"`

	words [][]string
}

// Choice is one possible choice for a topic.
type Choice struct {
	Name string   `yaml:"name"`
	Said []string `yaml:"said"`
	// Written means that the name counts only in this spelling: REST, since rest is an
	// ordinary word.
	Written bool     `yaml:"written"`
	Imports []string `yaml:"imports"` // modules, in any language
	// Marks are patterns of a line of code or configuration that uses the choice. Weak
	// ones count only in a turn whose prose also names the choice.
	Marks []*pattern.Regexp `yaml:"marks"`
	Weak  []*pattern.Regexp `yaml:"weak"`
	// Unless matches what a line with a mark must not contain.
	Unless *pattern.Regexp `yaml:"unless" pattern:"fold,optional"`

	topic *Topic
}

// Topic returns the topic of a choice.
func (c *Choice) Topic() *Topic { return c.topic }

// Key returns the permanent name of a choice: "topic/name".
func (c *Choice) Key() string { return c.topic.ID + "/" + c.Name }

// Rivals reports whether two choices are alternatives for one topic.
func (c *Choice) Rivals(other *Choice) bool {
	return c != other && c.topic == other.topic && !slices.ContainsFunc(c.topic.Together, func(group []string) bool {
		return slices.Contains(group, c.Name) && slices.Contains(group, other.Name)
	})
}

// Catalogue is the indexed section topics. It does not change.
type Catalogue struct {
	Topics []*Topic

	decides, states            *pattern.Any
	settled                    *recall.Table[bool] // by sentence
	undecided, rejects, ofTest *pattern.Regexp

	names   map[string][]*Choice // folded
	imports map[string][]*Choice
	longest int // number of words of the longest name
}

// Load reads the section topics of rule data.
func Load(set *rules.Set) (*Catalogue, error) {
	var section struct {
		Topics    []*Topic          `yaml:"topics"`
		Decides   []*pattern.Regexp `yaml:"decides" pattern:"fold"`
		States    []*pattern.Regexp `yaml:"states" pattern:"fold"`
		Undecided *pattern.Regexp   `yaml:"undecided" pattern:"fold"`
		Rejects   *pattern.Regexp   `yaml:"rejects" pattern:"fold"`
		OfTests   *pattern.Regexp   `yaml:"of_tests" pattern:"fold"`
	}
	if err := set.Decode("topics", &section); err != nil {
		return nil, fmt.Errorf("load decision topics: %w", err)
	}
	c := &Catalogue{Topics: section.Topics, names: map[string][]*Choice{}, imports: map[string][]*Choice{}}
	c.decides, c.states = pattern.AnyOf(section.Decides), pattern.AnyOf(section.States)
	c.settled = recall.New[bool](keptSentences, longestSentence)
	c.undecided, c.rejects, c.ofTest = section.Undecided, section.Rejects, section.OfTests
	for _, t := range c.Topics {
		c.add(t)
	}
	return c, nil
}

// Settles reports whether a sentence states a decision rather than a question,
// consideration or report.
func (c *Catalogue) Settles(sentence string) bool {
	return c.settled.Of(sentence, func(sentence string) bool {
		return c.decides.MatchString(sentence) && !c.undecided.MatchString(sentence)
	})
}

// Sentences that [Catalogue.Settles] remembers, since several rules ask for those of a turn.
const (
	keptSentences   = 256
	longestSentence = 512
)

// States reports whether a sentence states what is what: "logging stays on zerolog". That is a decision if
// it speaks of the job of what it names.
func (c *Catalogue) States(sentence string) bool {
	return c.states.MatchString(sentence) && !c.undecided.MatchString(sentence)
}

// SpeaksOf reports whether a sentence contains words of a topic.
func (c *Catalogue) SpeaksOf(topic *Topic, sentence string) bool {
	return slices.Contains(c.spokenOf(sentence), topic)
}

// Hedged reports whether a sentence is a question, consideration or report.
func (c *Catalogue) Hedged(sentence string) bool { return c.undecided.MatchString(sentence) }

// OfTests reports whether a sentence is about tests.
func (c *Catalogue) OfTests(sentence string) bool { return c.ofTest.MatchString(sentence) }

// Rejected reports whether the words before a choice reject it.
func (c *Catalogue) Rejected(before string) bool { return c.rejects.MatchString(before) }

func (c *Catalogue) add(t *Topic) {
	for _, w := range t.Words {
		t.words = append(t.words, stems(w))
	}
	for _, choice := range t.Choices {
		choice.topic = t
		for _, name := range append([]string{choice.Name}, choice.Said...) {
			words := folded(name)
			c.longest = max(c.longest, len(words))
			put(c.names, strings.Join(words, " "), choice)
		}
		for _, module := range choice.Imports {
			put(c.imports, module, choice)
		}
	}
}

func put(index map[string][]*Choice, key string, c *Choice) {
	if !slices.Contains(index[key], c) {
		index[key] = append(index[key], c)
	}
}

func folded(text string) []string {
	words := strings.Fields(strings.ToLower(text))
	for i, w := range words {
		words[i] = strings.Trim(w, "`*_\"'.,;:!?()[]")
		words[i] = strings.TrimSuffix(strings.TrimSuffix(words[i], "'s"), "’s")
	}
	return words
}

func stems(text string) []string {
	words := similarity.Words(text)
	for i, w := range words {
		words[i] = similarity.Stem(w)
	}
	return words
}

// Mention is a choice that a sentence names; Word is the index of the word.
type Mention struct {
	Choice *Choice
	Word   int
}

// Mentions returns the choices that a sentence names, in order. A name that belongs to
// several topics (Redis is a cache, a broker and a store) counts for the topic that the
// sentence mentions, and not at all if it mentions none or only other topics.
func (c *Catalogue) Mentions(sentence string) []Mention {
	words := folded(sentence)
	var out []Mention
	var spoken []*Topic
	read := false
	raw := strings.Fields(sentence)
	for i := 0; i < len(words); {
		list, length := c.longestAt(words[i:])
		if length == 1 && list[0].Written && !strings.Contains(raw[i], list[0].Name) {
			length = 0
		}
		if length == 0 {
			i++
			continue
		}
		if !read {
			spoken, read = c.spokenOf(sentence), true
		}
		if choice := ofTopic(list, spoken); choice != nil {
			out = append(out, Mention{choice, i})
		}
		i += length
	}
	return out
}

func (c *Catalogue) longestAt(words []string) (list []*Choice, length int) {
	for n := min(c.longest, len(words)); n > 0; n-- {
		if list := c.names[strings.Join(words[:n], " ")]; list != nil {
			return list, n
		}
	}
	return nil, 0
}

// spokenOf returns the topics whose words a sentence contains.
func (c *Catalogue) spokenOf(sentence string) []*Topic {
	said := stems(sentence)
	var out []*Topic
	for _, t := range c.Topics {
		if slices.ContainsFunc(t.words, func(run []string) bool { return holds(said, run) }) {
			out = append(out, t)
		}
	}
	return out
}

func ofTopic(list []*Choice, spoken []*Topic) *Choice {
	var of []*Choice
	for _, c := range list {
		if slices.Contains(spoken, c.topic) {
			of = append(of, c)
		}
	}
	switch {
	case len(of) == 1:
		return of[0]
	case len(list) == 1 && len(spoken) == 0:
		return list[0]
	}
	return nil
}

func holds(words, run []string) bool {
	for i := 0; len(run) > 0 && i+len(run) <= len(words); i++ {
		if slices.Equal(words[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

// Named returns the choices with a name, in any topic.
func (c *Catalogue) Named(name string) []*Choice {
	return c.names[strings.Join(folded(name), " ")]
}

// Imported returns the choices that a module belongs to, including modules below an
// entry.
func (c *Catalogue) Imported(module string) []*Choice {
	for module != "" {
		if list := c.imports[module]; list != nil {
			return list
		}
		cut := strings.LastIndexAny(module, `./:\`)
		if cut < 0 {
			return nil
		}
		module = strings.TrimRight(module[:cut], `./:\`)
	}
	return nil
}

// Shown returns the first place in a text whose line has a mark of the choice, including
// weak marks on request. The length is 0 if there is none.
func (c *Choice) Shown(text string, weak bool) (offset, length int) {
	for _, list := range [][]*pattern.Regexp{c.Marks, c.Weak} {
		for _, mark := range list {
			for _, at := range mark.FindAllStringIndex(text, -1) {
				if at[0] < at[1] && (c.Unless == nil || !c.Unless.MatchString(lineAt(text, at[0]))) {
					return at[0], at[1] - at[0]
				}
			}
		}
		if !weak {
			break
		}
	}
	return 0, 0
}

func lineAt(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return text[from : at+end]
	}
	return text[from:]
}

// HoldsIn reports whether a decision on the topic applies to a file.
func (t *Topic) HoldsIn(file string) bool {
	return t.Elsewhere == nil || !t.Elsewhere.MatchString(file)
}

// IsAside reports whether words are about something that the decision leaves open.
func (t *Topic) IsAside(words string) bool { return t.Aside != nil && t.Aside.MatchString(words) }
