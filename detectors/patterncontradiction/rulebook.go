package patterncontradiction

import (
	"cmp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/topics"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
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

// rulebook are the rules in force, read when they are first asked for. A text
// is parsed once in a session: what was parsed is kept beside the state.
func (t *turn) rulebook() []*rule {
	if t.rulesRead {
		return t.rules
	}
	t.rulesRead = true
	now := t.stamp()
	if t.memory.parsed != nil && t.memory.stamp == now {
		t.rules = t.memory.rules
		return t.rules
	}
	was := t.memory.parsed
	t.memory.parsed = make(map[string][]*rule, len(was))
	t.rules = nil
	for _, conventions := range [][]sessionevents.Convention{t.Before.Conventions, t.memory.Conventions} {
		for i := range conventions {
			c := &conventions[i]
			t.rules = append(t.rules, t.parsedOnce(was, fromConvention+c.ID+"\x00"+c.Wrapper+"\x00"+c.Rule, func() []*rule { return t.conventionRules(c) })...)
		}
	}
	t.rules = append(t.rules, t.userRules(was)...)
	t.rules = append(t.rules, t.instructionRules(was)...)
	t.rules = t.rules[:min(len(t.rules), t.Limits.Rules)]
	t.memory.rules, t.memory.stamp, t.memory.indexed = t.rules, now, t.indexed()
	return t.rules
}

// stamp tells cheaply whether what rules are made of has changed.
type stamp struct{ requests, turn, constraints, evicted, conventions, text, own, instructions, shown int }

func (t *turn) stamp() stamp {
	b := t.Baseline()
	s := stamp{requests: len(b.Requests), constraints: len(b.Constraints), evicted: b.Evicted, conventions: len(t.Before.Conventions)}
	if n := len(b.Requests); n > 0 {
		s.turn = b.Requests[n-1].Turn
	}
	for i := range t.Before.Conventions {
		s.text += len(t.Before.Conventions[i].Rule) * (i + 1)
	}
	s.instructions = len(t.memory.Instructions)
	if s.instructions > 0 {
		s.shown = t.memory.Instructions[s.instructions-1].Turn
	}
	for i := range t.memory.Conventions {
		s.own += (len(t.memory.Conventions[i].Rule) + 1) * (i + 1)
	}
	return s
}

// parsedOnce takes what was parsed of a text before, or parses it.
func (t *turn) parsedOnce(was map[string][]*rule, key string, parse func() []*rule) []*rule {
	list, known := was[key]
	if !known {
		list = parse()
	}
	t.memory.parsed[key] = list
	return list
}

// conventionRules returns the rules of one declared convention: from its fields, else from its
// words. What a manifest implies is not a rule; see [turn.established].
func (d *instance) conventionRules(c *sessionevents.Convention) []*rule {
	if c.Inferred {
		return nil
	}
	r := rule{origin: fromConvention, id: c.ID, text: strings.TrimSpace(c.Rule), established: c.Wrapper, scope: c.Paths}
	if r.text == "" {
		r.text = c.ID
	}
	library := d.libraries.NamedInRule(c.Wrapper)
	r.wrapper = c.Wrapper != "" && len(library) == 0
	for _, b := range c.Bypass {
		r.targets = append(r.targets, d.declaredTargets(b)...)
	}
	switch {
	case len(r.targets) > 0:
	case r.wrapper:
		r.targets = d.covered(d.job(c), c.Wrapper)
	case len(library) > 0:
		d.establish(&r, c.Wrapper, c.Family)
	}
	if len(r.targets) > 0 {
		return []*rule{&r}
	}
	r.inWords = true
	return d.statedRules(c.Rule, &r)
}

// statedRules are the rules that a text states: what it allows and forbids in so many words, and what
// it settles (SW-13a). A sentence that is read in the first way is not read in the second.
func (d *instance) statedRules(text string, like *rule) []*rule {
	out := d.rulesIn(text, like)
	if like.origin == fromUser && d.Soft.MatchString(text) {
		return out
	}
	read := map[string]bool{}
	for _, r := range out {
		read[r.text] = r.kind == forbids
	}
	for _, r := range d.decisions.rulesIn(text, like) {
		if !read[r.text] {
			out = append(out, r)
		}
	}
	return out
}

// instructionRules are what the instruction files that the session shows allow and forbid for code
// (SW-13a). What holds for some work only is left out.
func (t *turn) instructionRules(was map[string][]*rule) []*rule {
	var out []*rule
	for _, i := range t.memory.Instructions {
		if t.Conditional.MatchString(i.Text) || t.Soft.MatchString(i.Text) {
			continue
		}
		for _, r := range t.parsedOnce(was, fromInstruction+i.File+"\x00"+i.Text, func() []*rule {
			return t.statedRules(i.Text, &rule{origin: fromInstruction, id: i.File})
		}) {
			if r.kind == forbids { // the rest is about work of another day
				shown := *r
				shown.turn = i.Turn
				out = append(out, &shown)
			}
		}
	}
	return out
}

// job is the family that a convention is about, nil if it does not say.
func (d *instance) job(c *sessionevents.Convention) *families.Family {
	if f := d.libraries.Family(c.Family); f != nil {
		return f
	}
	if f := d.libraries.Wraps(c.Wrapper); f != nil {
		return f
	}
	return d.libraries.About(c.Family + " " + c.Rule)
}

// declaredTargets returns the targets of a bypass entry: the library of that name in any language,
// and the literal import or call.
func (d *instance) declaredTargets(entry string) []target {
	out := []target{{literal: strings.TrimSuffix(strings.Trim(entry, "` "), "()")}}
	for _, m := range d.libraries.NamedInRule(entry) {
		out = append(out, target{member: m})
	}
	return out
}

// covered returns the things of a job that a project's own wrapper replaces.
func (d *instance) covered(f *families.Family, wrapper string) []target {
	if f == nil || len(f.Wrappers) == 0 || wrapper == "" {
		return nil
	}
	var out []target
	for _, m := range f.Members {
		out = append(out, target{member: m})
	}
	return out
}

// userRules are what the user's messages and the session's constraints say.
func (t *turn) userRules(was map[string][]*rule) []*rule {
	b := t.Baseline()
	var out []*rule
	add := func(text string, turn int) {
		for _, r := range t.parsedOnce(was, fromUser+text, func() []*rule { return t.statedRules(text, &rule{origin: fromUser}) }) {
			said := *r
			said.turn, said.stale = turn, t.overtaken(b, turn)
			if !slices.ContainsFunc(out, func(o *rule) bool { return o.kind == r.kind && o.text == r.text }) {
				out = append(out, &said)
			}
		}
	}
	for _, request := range b.Requests {
		add(request.Text, request.Turn)
	}
	for _, constraint := range b.Constraints {
		if !slices.ContainsFunc(b.Requests, func(r registry.Request) bool { return strings.Contains(r.Text, constraint) }) {
			add(constraint, 0)
		}
	}
	return out
}

// overtaken reports whether a request followed the given turn; 0 is the opening.
func (t *turn) overtaken(b *registry.Baseline, turn int) bool {
	return slices.ContainsFunc(b.Requests, func(later registry.Request) bool {
		return later.Turn > max(turn, openingTurns) && len(strings.Fields(later.Text)) >= newRequestWords
	})
}

const (
	// newRequestWords is how long a message must be to be more than an answer.
	newRequestWords = 4
	// openingTurns are the turns whose messages are the task (SW-14).
	openingTurns = 2
)

// indexed are the libraries that the codebase index found in manifests, by key
// of the member, with the manifest.
func (t *turn) indexed() map[string]string {
	out := map[string]string{}
	for i := range t.Before.Conventions {
		c := &t.Before.Conventions[i]
		file, _, ok := strings.Cut(c.Rule, " depends on ")
		kind := manifest.Of(file)
		if !c.Inferred || !ok || kind == nil {
			continue
		}
		for _, m := range t.libraries.Packaged(kind.Ecosystem, c.Wrapper) {
			if out[m.Key()] == "" {
				out[m.Key()] = file
			}
		}
	}
	return out
}
