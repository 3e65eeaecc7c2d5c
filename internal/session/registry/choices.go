package registry

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// choices finds sentences that commit to a choice (SW-13).
type choices struct {
	phrases *prose.Phrases
	config  choicesSection
}

type choicesSection struct {
	Macros   map[string]string `yaml:"macros"`
	Patterns []prose.Entry     `yaml:"patterns"`
	// Unless matches sentences that ask or doubt, which commit to nothing.
	Unless *pattern.Regexp `yaml:"unless" pattern:"fold,long"`
	// NotAChoice matches objects that are an act rather than a choice ("the Read tool").
	NotAChoice *pattern.Regexp `yaml:"not_a_choice" pattern:"fold,long"`
	NoTopic    *pattern.Regexp `yaml:"no_topic" pattern:"fold,long"` // a topic without meaning
	MaxWords   int             `yaml:"max_words" range:"1..20"`
	Leading    []string        `yaml:"leading"` // words dropped before a choice or topic
}

func loadChoices(set *rules.Set) (*choices, error) {
	c := &choices{}
	if err := set.Decode("decisions", &c.config); err != nil {
		return nil, fmt.Errorf("load decision patterns: %w", err)
	}
	var err error
	if c.phrases, err = prose.CompilePhrases(pattern.For(set, "decisions"), "patterns", c.config.Macros, c.config.Patterns); err != nil {
		return nil, fmt.Errorf("load decision patterns: %w", err)
	}
	return c, nil
}

// find returns a document's decisions, at most one per sentence: the first matching
// pattern in the order of the data counts.
func (c *choices) find(d *prose.Document, textBytes int) []Decision {
	rank := map[string]int{}
	for i, e := range c.config.Patterns {
		rank[e.ID] = i
	}
	best := map[int]int{} // sentence → index in out
	ranks := []int{}
	var out []Decision
	for _, m := range c.phrases.Find(d) {
		span := d.SentenceAt(m.Span.From)
		decision, ok := c.decision(d, m, span)
		if !ok {
			continue
		}
		decision.Sentence = shorten(d.Text[span.From:span.To], textBytes)
		if i, seen := best[span.From]; seen {
			if rank[m.ID] < ranks[i] {
				out[i], ranks[i] = decision, rank[m.ID]
			}
			continue
		}
		best[span.From] = len(out)
		out, ranks = append(out, decision), append(ranks, rank[m.ID])
	}
	return out
}

func (c *choices) decision(d *prose.Document, m prose.Match, sentence prose.Span) (Decision, bool) {
	if c.config.Unless.MatchString(d.Masked[sentence.From:sentence.To]) {
		return Decision{}, false
	}
	part := func(name string) string {
		if span, ok := m.Groups[name]; ok {
			return c.tidy(d.Text[span.From:span.To])
		}
		return ""
	}
	out := Decision{Topic: part("topic"), Choice: part("choice"), Rejected: part("rejected")}
	if out.Choice == "" && out.Rejected == "" {
		return out, false
	}
	if c.config.NoTopic.MatchString(out.Topic) {
		out.Topic = ""
		if out.Rejected == "" { // "I'll use X for this" announces the next step, not a choice
			return out, false
		}
	}
	return out, !c.config.NotAChoice.MatchString(out.Choice)
}

// tidy removes articles and marks around a choice and cuts it to a few words.
func (c *choices) tidy(text string) string {
	words := strings.Fields(strings.Trim(text, " ,;:.\"'"))
	for len(words) > 1 && c.leads(words[0]) {
		words = words[1:]
	}
	words = words[:min(len(words), c.config.MaxWords)]
	return strings.Trim(strings.Join(words, " "), "`\"' ,;:.")
}

func (c *choices) leads(word string) bool {
	for _, w := range c.config.Leading {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// decisionKeys returns the stems of what a decision is about.
func decisionKeys(d *Decision) []string {
	return prose.Terms(d.Topic + " " + d.Choice + " " + d.Rejected)
}
