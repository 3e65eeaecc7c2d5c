package patterncontradiction

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// book holds the rules in force: what conventions, people and instruction files ask for.
type book struct {
	*turn
	rulesRead bool
	rules     []*rule
}

// rulebook are the rules in force, read when they are first asked for. A text
// is parsed once in a session: what was parsed is kept beside the state.
func (k *book) rulebook() []*rule {
	if k.rulesRead {
		return k.rules
	}
	k.rulesRead = true
	now := k.stamp()
	if k.memory.parsed != nil && k.memory.stamp == now {
		k.rules = k.memory.rules
		return k.rules
	}
	was := k.memory.parsed
	k.memory.parsed = make(map[string][]*rule, len(was))
	k.rules = nil
	for _, conventions := range [][]sessionevents.Convention{k.Before.Conventions, k.memory.Conventions} {
		for i := range conventions {
			c := &conventions[i]
			k.rules = append(k.rules, k.parsedOnce(was, fromConvention+c.ID+"\x00"+c.Wrapper+"\x00"+c.Rule, func() []*rule { return k.conventionRules(c) })...)
		}
	}
	k.rules = append(k.rules, k.userRules(was)...)
	k.rules = append(k.rules, k.instructionRules(was)...)
	k.rules = k.rules[:min(len(k.rules), k.Limits.Rules)]
	k.memory.rules, k.memory.stamp, k.memory.indexed = k.rules, now, k.indexed()
	return k.rules
}

// stamp tells cheaply whether what rules are made of has changed.
type stamp struct{ requests, turn, constraints, evicted, conventions, text, own, instructions, shown int }

func (k *book) stamp() stamp {
	b := k.Baseline()
	s := stamp{requests: len(b.Requests), constraints: len(b.Constraints), evicted: b.Evicted, conventions: len(k.Before.Conventions)}
	if n := len(b.Requests); n > 0 {
		s.turn = b.Requests[n-1].Turn
	}
	for i := range k.Before.Conventions {
		s.text += len(k.Before.Conventions[i].Rule) * (i + 1)
	}
	s.instructions = len(k.memory.Instructions)
	if s.instructions > 0 {
		s.shown = k.memory.Instructions[s.instructions-1].Turn
	}
	for i := range k.memory.Conventions {
		s.own += (len(k.memory.Conventions[i].Rule) + 1) * (i + 1)
	}
	return s
}

// parsedOnce takes what was parsed of a text before, or parses it.
func (k *book) parsedOnce(was map[string][]*rule, key string, parse func() []*rule) []*rule {
	list, known := was[key]
	if !known {
		list = parse()
	}
	k.memory.parsed[key] = list
	return list
}

// instructionRules are what the instruction files that the session shows allow and forbid for code
// (SW-13a). What holds for some work only is left out.
func (k *book) instructionRules(was map[string][]*rule) []*rule {
	var out []*rule
	for _, i := range k.memory.Instructions {
		if k.Conditional.MatchString(i.Text) || k.Soft.MatchString(i.Text) {
			continue
		}
		for _, r := range k.parsedOnce(was, fromInstruction+i.File+"\x00"+i.Text, func() []*rule {
			return k.statedRules(i.Text, &rule{origin: fromInstruction, id: i.File})
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

// userRules are what the user's messages and the session's constraints say.
func (k *book) userRules(was map[string][]*rule) []*rule {
	b := k.Baseline()
	var out []*rule
	add := func(text string, turn int) {
		for _, r := range k.parsedOnce(was, fromUser+text, func() []*rule { return k.statedRules(text, &rule{origin: fromUser}) }) {
			said := *r
			said.turn, said.stale = turn, k.overtaken(b, turn)
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
func (k *book) overtaken(b *registry.Baseline, turn int) bool {
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
func (k *book) indexed() map[string]string {
	out := map[string]string{}
	for i := range k.Before.Conventions {
		c := &k.Before.Conventions[i]
		file, _, ok := strings.Cut(c.Rule, " depends on ")
		kind := manifest.Of(file)
		if !c.Inferred || !ok || kind == nil {
			continue
		}
		for _, m := range k.libraries.Packaged(kind.Ecosystem, c.Wrapper) {
			if out[m.Key()] == "" {
				out[m.Key()] = file
			}
		}
	}
	return out
}

// learnConventions takes in the conventions and constraints of a conventions
// file. What is not such a file teaches nothing.
func (k *book) learnConventions(text string) {
	var form struct {
		Constraints []string `yaml:"constraints"`
		Conventions []struct {
			ID        string   `yaml:"id"`
			Rule      string   `yaml:"rule"`
			Family    string   `yaml:"family"`
			Use       string   `yaml:"use"`
			Wrapper   string   `yaml:"wrapper"`
			InsteadOf []string `yaml:"instead_of"`
			Paths     []string `yaml:"paths"`
		} `yaml:"conventions"`
	}
	if err := yaml.Unmarshal([]byte(text), &form); err != nil {
		return
	}
	var out []sessionevents.Convention
	for _, c := range form.Conventions {
		out = append(out, sessionevents.Convention{ID: c.ID, Rule: c.Rule, Wrapper: cmp.Or(c.Wrapper, c.Use), Bypass: c.InsteadOf, Family: c.Family, Paths: c.Paths})
	}
	for _, c := range form.Constraints {
		out = append(out, sessionevents.Convention{Rule: c})
	}
	if out = out[:min(len(out), k.Limits.Conventions)]; len(out) > 0 {
		k.memory.Conventions, k.rulesRead = out, false
	}
}

// ruledOut is the first rule that forbids something, and the target that it is; nil where
// none does.
func (k *book) ruledOut(is func(target) bool) (*rule, target) {
	for _, r := range k.rulebook() {
		for _, of := range r.targets {
			if r.kind == forbids && is(of) {
				return r, of
			}
		}
	}
	return nil, target{}
}

// only is the target that is one library or program.
func only(m *families.Member) func(target) bool {
	return func(of target) bool { return of.member == m }
}

// nameEstablished remembers which established things this turn's plan names.
func (k *book) nameEstablished() {
	if len(k.rulebook()) == 0 || k.plan() == "" {
		return
	}
	for _, r := range k.rulebook() {
		if r.established != "" && strings.Contains(k.plan(), strings.ToLower(r.established)) {
			k.memory.Named = detect.Once(k.memory.Named, r.established, k.Limits.Named)
		}
	}
}
