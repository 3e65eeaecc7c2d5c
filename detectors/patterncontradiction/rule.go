package patterncontradiction

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/topics"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Origins of a rule.
const (
	fromConvention  = "convention"
	fromUser        = "constraint"
	fromInstruction = "instruction-file"
	fromDecision    = "decision"
)

// What a rule is about.
type ruleKind int

const (
	forbids        ruleKind = iota // some things may not be used
	noDependencies                 // the manifest gets no new entry
	noFiles                        // no new files, or none of a sort
	onlyPaths                      // nothing but these paths may change
	keepsPaths                     // these paths and names may not change
	keepsExistence                 // … may not be removed
)

// rule is something declared or stated that work can contradict.
type rule struct {
	kind   ruleKind
	origin string
	id     string // of a convention, or the name of the instruction file
	job    string // what it settles, where it is a decision: see [decisions]
	text   string // as said
	turn   int    // in which it was said, 0 before the session
	stale  bool   // a later request may have changed it

	inWords     bool     // a convention that is stated, not declared field by field
	local       bool     // the user said it of one place, perhaps
	scope       []string // patterns of files it holds for, empty: all
	established string   // what to use, as said; may be empty
	wrapper     bool     // established is the project's own
	targets     []target // what may not be used
	paths       []string
	names       []string // of the code's
	sorts       []string // tests, docs, config
}

// target is a thing that may not be used: a library's member, a topic's choice, a literal import or
// call, or a module of that name that no family knows.
type target struct {
	member  *families.Member
	choice  *topics.Choice
	literal string
	module  string
}

func (t target) name() string {
	switch {
	case t.member != nil:
		return t.member.Spoken()
	case t.choice != nil:
		return t.choice.Name
	}
	return cmp.Or(t.literal, t.module)
}

// inTests reports whether the thing is one of tests, such as a test runner.
func (t target) inTests() bool { return t.member != nil && t.member.Family().InTests }

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

// holdsInTests reports whether a rule holds in tests and scripts as well: a person, or an instruction
// file, forbade the library itself.
func (r *rule) holdsInTests(of target) bool {
	if r.job != "" || r.origin != fromUser && r.origin != fromInstruction || r.wrapper && isCode(r.established) {
		return false
	}
	return r.established == "" || of.module != "" || of.member != nil && !of.member.Raw
}

// placed makes a rule hold only where its sentence says: "no lodash in src/web".
func (r *rule) placed(place *pattern.Regexp, words string) {
	if m := place.FindStringSubmatch(words); m != nil && r.scope == nil {
		folder := strings.Trim(strings.TrimSuffix(m[place.SubexpIndex("path")], "**"), "/.")
		if path.Ext(folder) == "" {
			folder += "/**"
		}
		r.scope = []string{folder}
	}
}

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

// told is a name for a message that quotes a rule as well: a name of several words stands without marks, since
// a message quotes one thing (JD-40).
func (c *config) told(name string) string {
	if strings.Contains(name, " ") {
		return c.bare(name)
	}
	return c.named(name)
}

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
	return "Use " + c.told(r.established) + "."
}
