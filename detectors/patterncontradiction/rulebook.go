package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Origins of a rule.
const (
	fromConvention = "convention"
	fromUser       = "constraint"
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
	id     string // of a convention
	text   string // as said
	turn   int    // in which it was said, 0 before the session
	stale  bool   // a later request may have changed it

	established string   // what to use, as said; may be empty
	wrapper     bool     // established is the project's own
	targets     []target // what may not be used
	paths       []string
	names       []string // of the code's
	sorts       []string // tests, docs, config
}

// target is a thing that may not be used: a library's member, or a literal
// import or call.
type target struct {
	member  *families.Member
	literal string
}

func (t target) name() string {
	if t.member != nil {
		return t.member.Spoken()
	}
	return t.literal
}

// stamp tells whether what rules are made of has changed.
type stamp struct {
	conventions, own, text, requests, constraints, turn int
}

func (t *turn) stampNow() stamp {
	b := t.Baseline()
	s := stamp{conventions: len(t.Before.Conventions), own: len(t.memory.Conventions), requests: len(b.Requests), constraints: len(b.Constraints)}
	for i := range t.Before.Conventions {
		s.text += len(t.Before.Conventions[i].Rule) + len(t.Before.Conventions[i].ID)<<8
	}
	for i := range t.memory.Conventions {
		s.text += len(t.memory.Conventions[i].Rule) << 16
	}
	if n := len(b.Requests); n > 0 {
		s.turn = b.Requests[n-1].Turn
	}
	return s
}

// rulebook are the rules in force, read when they are first asked for.
func (t *turn) rulebook() []*rule {
	now := t.stampNow()
	if t.rulesRead && now == t.memory.stamp {
		return t.memory.rules
	}
	t.rulesRead = true
	if t.memory.rules != nil && now == t.memory.stamp {
		return t.memory.rules
	}
	list := []*rule{}
	for _, conventions := range [][]events.Convention{t.Before.Conventions, t.memory.Conventions} {
		for i := range conventions {
			list = append(list, t.conventionRules(&conventions[i])...)
		}
	}
	list = append(list, t.userRules()...)
	t.memory.rules, t.memory.stamp = list[:min(len(list), t.Limits.Rules)], now
	return t.memory.rules
}

// conventionRules are what one declared convention says: by its wrapper and
// bypass fields, else by its words.
func (d *instance) conventionRules(c *events.Convention) []*rule {
	r := rule{origin: fromConvention, id: c.ID, text: strings.TrimSpace(c.Rule), established: c.Wrapper, wrapper: c.Wrapper != ""}
	if r.text == "" {
		r.text = c.ID
	}
	for _, b := range c.Bypass {
		r.targets = append(r.targets, d.declaredTargets(b)...)
	}
	if len(r.targets) == 0 && c.Wrapper != "" {
		r.targets = d.covered(&r, c.Wrapper+" "+c.Rule, c.Wrapper)
	}
	if len(r.targets) > 0 {
		return []*rule{&r}
	}
	return d.rulesIn(c.Rule, &r)
}

// declaredTargets are what a bypass entry means: the library of that name in any
// language, and the import or call as it stands.
func (d *instance) declaredTargets(entry string) []target {
	out := []target{{literal: strings.TrimSuffix(strings.Trim(entry, "` "), "()")}}
	for _, m := range d.libraries.NamedInRule(entry) {
		out = append(out, target{member: m})
	}
	return out
}

// covered are the things that a project's own wrapper stands before.
func (d *instance) covered(r *rule, about, wrapper string) []target {
	f := d.libraries.Wraps(wrapper)
	if f == nil {
		f = d.libraries.About(about)
	}
	if f == nil || len(f.Wrappers) == 0 {
		return nil
	}
	r.wrapper = true
	var out []target
	for _, m := range f.Members {
		out = append(out, target{member: m})
	}
	return out
}

// userRules are what the user's messages and the session's constraints say.
func (t *turn) userRules() []*rule {
	b := t.Baseline()
	var out []*rule
	add := func(text string, turn int) {
		for _, r := range t.rulesIn(text, &rule{origin: fromUser, turn: turn}) {
			if !slices.ContainsFunc(out, func(o *rule) bool { return o.kind == r.kind && o.text == r.text }) {
				out = append(out, r)
			}
		}
	}
	for _, request := range b.Requests {
		add(request.Text, request.Turn)
	}
	for _, constraint := range b.Constraints {
		add(constraint, 0)
	}
	for _, r := range out {
		for _, request := range b.Requests {
			later := request.Turn > r.turn && len(strings.Fields(request.Text)) >= newRequestWords
			r.stale = r.stale || later && r.turn > 0
		}
	}
	return out
}

// newRequestWords is how long a message must be to be more than an answer.
const newRequestWords = 4
