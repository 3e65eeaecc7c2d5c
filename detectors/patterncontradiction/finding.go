package patterncontradiction

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func itoa(n int) string { return strconv.Itoa(n) }

// contradiction is a candidate on its way to becoming a finding.
type contradiction struct {
	subclass    string
	thing       string // what is used, added or changed: the subject
	established string // what it contradicts
	rule        string // its words, where someone stated it
	cost        int
	confidence  float64
	known       bool // the agent read or named what is established
	logOnly     bool
	inferred    bool
	request     bool                   // a person asked for it: a reason of the agent's own does not excuse it
	lexical     *sessionevents.Segment // the PLAN it was said in
	evidence    sessionevents.Evidence
	message     string
	reason      string
}

// report makes a finding of a contradiction unless it was signaled before; the
// validators that look at the task and the plan have their say here.
func (t *turn) report(c contradiction) {
	key := c.subclass + " " + c.thing
	if slices.Contains(t.memory.Told, key) {
		return
	}
	f := detect.Finding{
		Subclass: c.subclass, Subject: c.thing, Confidence: c.confidence, ReworkCost: c.cost, SelfCorrect: unknownCorrects,
		Evidence: []sessionevents.Evidence{c.evidence}, Message: c.message, Reason: c.reason,
	}
	if c.known {
		f.SelfCorrect = knownCorrects
	}
	if c.lexical != nil {
		f.Confidence = detect.Lexical(f.Confidence, c.lexical.Thinking)
	}
	if c.inferred {
		f.Cap = queueCap
	}
	names := []string{c.thing, c.established}
	switch {
	case t.asked(c.thing, strings.ToLower(c.rule)):
		f.Suppressed = detect.UserDirected
	case c.logOnly || !c.request && (t.changing(names, strings.ToLower(c.rule)) || t.reasoned(names)):
		f.Cap = detect.LogOnly
	}
	t.memory.Told = bounded(t.memory.Told, key, t.Limits.Told)
	t.findings = append(t.findings, f)
}

// whole is a rule's text where all of it fits a message, else "" (JD-40).
func (d *instance) whole(text string) string {
	return quote.Whole(strings.Trim(text, "\".; "), d.Limits.QuoteWords, "")
}

// quoted is a rule's text for a person, shortened.
func (d *instance) quoted(text string) string {
	return quote.Words(strings.Trim(text, "\".; "), d.Limits.QuoteWords)
}

// short is a name of at most so many words, for a message.
func (d *instance) short(name string) string {
	words := strings.Fields(name)
	return strings.Join(words[:min(len(words), d.Limits.ExcerptWords)], " ")
}

// bare is a name of a few words without marks around it.
func (d *instance) bare(name string) string { return strings.Trim(quote.Plain(d.short(name)), "'") }

// named is a name for a message.
func (d *instance) named(name string) string { return quote.Name(d.short(name)) }

// says is what forbids a thing: a convention by its id and file, anything else in its words, where
// they fit whole.
func (d *instance) says(r *rule) string {
	if r.origin == fromConvention && r.id != "" {
		return r.said() + " (" + d.ConventionFile + ") rules that out"
	}
	return clause(r.said(), d.whole(r.text))
}

// clause is what somebody says against a thing; its words are "" where they do not fit.
func clause(who, words string) string {
	if words == "" {
		return who + " rules that out"
	}
	return who + " says: " + words
}

// states is what forbids a thing, in its words, for a person.
func (d *instance) states(r *rule) string { return r.said() + " says: " + d.quoted(r.text) }

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
		return "the user (turn " + itoa(r.turn) + ")"
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

// goesAround reports whether using a target goes around what is established: the
// project's own wrapper, or what lies above the raw thing.
func (r *rule) goesAround(of target) bool {
	return r.wrapper || r.established != "" && of.member != nil && of.member.Raw
}

// cost of contradicting a rule: going around what a convention declares as a wrapper costs less than
// breaking what a person or an instruction file laid down.
func (r *rule) cost(of target) int {
	if r.goesAround(of) && r.origin == fromConvention && !r.inWords {
		return bypassCost
	}
	return contraryCost
}

func (r *rule) subclass(of target) string {
	if r.goesAround(of) {
		return "bypass"
	}
	return r.origin
}

// holdsIn reports whether a rule holds in a file: its patterns are as in
// .scaffoldwatch.yaml, "src/**" or "*.py".
func (r *rule) holdsIn(file string) bool {
	return len(r.scope) == 0 || slices.ContainsFunc(r.scope, func(pattern string) bool {
		if folder, ok := strings.CutSuffix(pattern, "/**"); ok {
			return strings.HasPrefix(file, folder+"/") || strings.Contains(file, "/"+folder+"/")
		}
		pattern = strings.TrimPrefix(pattern, "**/")
		whole, _ := path.Match(pattern, file)
		base, _ := path.Match(pattern, path.Base(file))
		return whole || base
	})
}
