package patterncontradiction

import (
	"strconv"

	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// whole is a rule's text where all of it fits a message, else "" (JD-40).
func (c *config) whole(text string) string {
	return quote.Whole(strings.Trim(text, "\".; "), c.Limits.QuoteWords, "")
}

// quoted is a rule's text for a person, shortened.
func (c *config) quoted(text string) string {
	return quote.Words(strings.Trim(text, "\".; "), c.Limits.QuoteWords)
}

// short is a name of at most so many words, for a message.
func (c *config) short(name string) string {
	words := strings.Fields(name)
	return strings.Join(words[:min(len(words), c.Limits.ExcerptWords)], " ")
}

// bare is a name of a few words without marks around it.
func (c *config) bare(name string) string { return strings.Trim(quote.Plain(c.short(name)), "'") }

// named is a name for a message.
func (c *config) named(name string) string { return quote.Name(c.short(name)) }

// says is what forbids a thing: a convention by its id and file, anything else in its words, where
// they fit whole.
func (c *config) says(r *rule) string {
	if r.origin == fromConvention && r.id != "" {
		return r.said() + " (" + c.ConventionFile + ") rules that out"
	}
	return clause(r.said(), c.whole(r.text))
}

// clause is what somebody says against a thing; its words are "" where they do not fit.
func clause(who, words string) string {
	if words == "" {
		return who + " rules that out"
	}
	return who + " says: " + words
}

// states is what forbids a thing, in its words, for a person.
func (c *config) states(r *rule) string { return r.said() + " says: " + c.quoted(r.text) }

// said returns who stated a rule.
func (r *rule) said() string {
	switch {
	case r.origin == fromConvention && r.id != "":
		return "convention " + quote.Name(r.id)
	case r.origin == fromConvention:
		return "a convention"
	case r.origin == fromInstruction:
		return quote.Path(r.id)
	case r.turn > 0:
		return "the user (turn " + strconv.Itoa(r.turn) + ")"
	}
	return "the task"
}

// earlier is the rule as the other half of a conflict.
func (r *rule) earlier() *sessionevents.EarlierEvent {
	what := r.established
	if what == "" {
		what = r.text
	}
	return &sessionevents.EarlierEvent{Turn: r.turn, What: detect.Quote(what)}
}

// advice names what to use instead, where a rule says it.
func (c *config) advice(r *rule, otherwise string) string {
	if r.established == "" {
		return otherwise
	}
	return "Use " + c.named(r.established) + "."
}
