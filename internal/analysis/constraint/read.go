package constraint

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// maxText bounds the part of a sentence that is read, in bytes.
const maxText = 2000

// Read returns the constraints in a sentence, one per clause; none if they cannot be
// checked.
func (g *grammar) Read(s string) []Constraint {
	s = text.Head(s, maxText)
	var out []Constraint
	for _, clause := range g.split(s) {
		if name := g.branchIn(clause); name != "" {
			out = append(out, Constraint{
				Text: s, Only: true, Verbs: Use, Branch: name,
				Ideas: []*Idea{{ID: "branch", Lifted: g.Branch.Lifted}},
			})
		} else if c, ok := g.clause(clause); ok {
			c.Text = s
			out = append(out, c)
		}
	}
	return out
}

// branchIn returns the only branch that a clause allows to change, "" for none.
func (g *grammar) branchIn(clause string) string {
	for _, says := range g.Branch.Says {
		if m := says.FindStringSubmatch(clause); m != nil {
			return strings.TrimRight(m[says.SubexpIndex("name")], ".,/")
		}
	}
	return ""
}

// split splits a text into clauses, but not within quotes and code.
func (g *grammar) split(text string) []string {
	covered := g.Literal.FindAllStringIndex(text, -1)
	var out []string
	from := 0
	for _, at := range g.Clauses.FindAllStringIndex(text, -1) {
		if slices.ContainsFunc(covered, func(c []int) bool { return at[0] >= c[0] && at[1] <= c[1] }) {
			continue
		}
		out, from = append(out, text[from:at[0]]), at[1]
	}
	return append(out, text[from:])
}

// clause reads one clause.
func (g *grammar) clause(text string) (c Constraint, ok bool) {
	g.numbers(&c, text)
	c.Concurrent = c.Limit > 0 && g.Concurrent.MatchString(text)
	m := g.marker.FindStringSubmatchIndex(text)
	if m == nil {
		return c, c.Limit+c.Most > 0
	}
	c.Only = m[2] < 0
	object, first := text[m[1]:], text[:m[0]]
	c.Verbs, object = g.verbsOf(object)
	if !g.Order.MatchString(first) && !(c.Only && c.Verbs == 0) {
		return c, c.Limit+c.Most > 0 // someone else does it
	}
	if c.Only && c.Verbs == 0 { // "deploy to staging only", "write artifacts to /artifacts only"
		before, rest := g.verbsOf(first)
		if c.Verbs = before; strings.TrimSpace(object) == "" || len(g.pathsIn(object)) == 0 {
			object = rest + " " + object
		}
	}
	if c.Only && c.Verbs == 0 {
		return c, c.Limit+c.Most > 0
	}
	if c.Only && c.Verbs&Change != 0 {
		c.Verbs |= anyFile // creating or deleting a file is a change as well
	}
	beyond := g.Beyond.FindStringIndex(object)
	if !c.Only && beyond != nil && len(g.pathsIn(object[beyond[1]:])) > 0 {
		c.Only = true // "no logs outside src/" is "logs only in src/"
		g.object(&c, object[beyond[1]:])
		c.Sort = g.sortIn(object[:beyond[0]] + " files ")
	} else {
		g.object(&c, object)
	}
	if !c.Only {
		for i := range g.Ideas {
			// "commit, don't push" forbids the second.
			if idea := &g.Ideas[i]; idea.Says.MatchString(text[m[0]:]) {
				c.Ideas = append(c.Ideas, idea)
			}
		}
	}
	return c, !c.empty()
}

// verbsOf reads the verbs with which a text begins ("edit, move or delete"), and
// returns what follows them.
func (g *grammar) verbsOf(text string) (Verb, string) {
	var found Verb
	for rest, joined := text, true; ; {
		rest = strings.TrimLeft(rest, " ,/")
		word, after, _ := strings.Cut(rest, " ")
		at := g.Literal.FindStringIndex(rest)
		verb, known := g.verb(word)
		switch {
		case rest == "" || at != nil && at[0] == 0:
			return found, rest
		case connectives[strings.ToLower(word)]:
			rest, joined = after, true
		case known && joined:
			found |= verb
			rest, joined = after, strings.HasSuffix(word, ",")
		default:
			return found, rest
		}
	}
}

// verb returns the meaning of a word, or of several joined by slashes ("skip/disable"),
// as verbs.
func (g *grammar) verb(word string) (found Verb, known bool) {
	for _, part := range strings.FieldsFunc(word, func(c rune) bool { return c == '/' || c == ',' }) {
		verb, is := g.verbs[prose.Stem(part)]
		if !is {
			return 0, false
		}
		known, found = true, found|verb
	}
	return found, known
}

// object reads the object of a prohibition or limit.
func (g *grammar) object(c *Constraint, text string) {
	files := c.Verbs&anyFile != 0
	if c.Only && files && g.Vague.MatchString(text) {
		c.Verbs &^= anyFile // it allows more than it names
		return
	}
	c.Outside = !c.Only && g.Outside.MatchString(text) || c.Only && files && g.Within.MatchString(text)
	c.Places = g.placesIn(text, c.Only)
	g.literals(c, text)
	if !files {
		return
	}
	if !g.Elsewhere.MatchString(text) {
		c.Paths = g.pathsIn(text)
	}
	c.Outside = c.Outside && !(c.Only && len(c.Paths) > 0)
	switch {
	case c.Only && len(c.Paths) > 0:
		g.named(c, g.Path.ReplaceAllString(text, ""))
		c.Sort = g.sortIn(text)
	case len(c.Paths) == 0 && !c.Only && !c.Outside && !g.Elsewhere.MatchString(text) && len(c.Commands) == 0:
		g.named(c, text)
	}
}

// pathsIn returns the paths in a text.
func (g *grammar) pathsIn(text string) (out []string) {
	for _, p := range g.Path.FindAllString(g.NotPaths.ReplaceAllString(text, ""), -1) {
		p = strings.TrimRight(strings.TrimPrefix(strings.TrimRight(p, "*."), "./"), "/")
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// named reads names of parts of paths: "database models or migrations" are two.
func (g *grammar) named(c *Constraint, s string) {
	for _, phrase := range alternatives.Split(s, -1) {
		words := strings.FieldsFunc(strings.ToLower(phrase), func(c rune) bool { return text.NotWord(c) })
		if len(words) == 0 || len(words) > 4 || !g.Containers[words[len(words)-1]] {
			continue
		}
		var left, stems []string
		for _, word := range words {
			if !g.Filler[word] {
				left, stems = append(left, word), append(stems, prose.Stem(word))
			}
		}
		switch {
		case len(left) == 1 && g.kindOf[left[0]] != "":
			c.Kinds = append(c.Kinds, g.kindOf[left[0]])
		case len(left) > 0:
			c.Parts = append(c.Parts, stems)
		}
	}
}

// sortIn returns the words before "files" that specify which files are meant.
func (g *grammar) sortIn(text string) (out []string) {
	before, _, found := strings.Cut(strings.ToLower(text)+" ", " files ")
	if !found || strings.ContainsAny(before, "/.") {
		return nil
	}
	for _, word := range strings.Fields(before) {
		if !g.Filler[word] {
			out = append(out, strings.TrimSuffix(word, "s"))
		}
	}
	return out
}

// literals reads commands and flags that a text quotes or marks as code.
func (g *grammar) literals(c *Constraint, text string) {
	for _, m := range g.Literal.FindAllStringSubmatch(text, -1) {
		for _, said := range m[1:] {
			words := strings.Fields(strings.Trim(said, " .,"))
			if len(words) == 0 || len(words) == 1 && !strings.HasPrefix(words[0], "-") && c.Verbs&Use == 0 || g.Path.FindString(words[0]) == words[0] {
				continue
			}
			c.Commands = append(c.Commands, words)
		}
	}
	if c.Only {
		return
	}
	for _, m := range g.FlagWords.FindAllStringSubmatch(text, -1) {
		c.Commands = append(c.Commands, []string{"--*" + strings.ToLower(m[1])})
	}
	if c.Verbs&Use == 0 {
		return
	}
	for _, phrase := range alternatives.Split(text, -1) {
		word, _, _ := strings.Cut(strings.TrimSpace(phrase), " ")
		if g.Programs[strings.Trim(word, ".,`'\"")] && len(strings.Fields(phrase)) == 1 {
			c.Commands = append(c.Commands, []string{strings.Trim(word, ".,`'\"")})
		}
	}
}

// placesIn returns the environments that a constraint forbids: those it names or, with
// "only", the others.
func (g *grammar) placesIn(s string, only bool) (out []string) {
	named := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return text.NotWord(c) }) {
		if place := g.placeOf[word]; slices.Contains(g.Places[place][:min(len(g.Places[place]), 2)], word) {
			named[place] = true
		}
	}
	if len(named) == 0 {
		return nil
	}
	for place := range g.Places {
		if named[place] != only {
			out = append(out, place)
		}
	}
	slices.Sort(out)
	return out
}

// numbers reads how often something may happen, or how much of a unit a clause allows.
func (g *grammar) numbers(c *Constraint, text string) {
	m := g.Limit.FindStringSubmatch(text)
	if m == nil {
		return
	}
	unit := strings.ToLower(m[2])
	n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	switch {
	case err != nil || n == 0:
	case !g.LimitUnits[unit]:
		c.Limit, c.Counted = n, unit
		for _, ending := range []string{"ies", "y", "s"} {
			if short, cut := strings.CutSuffix(unit, ending); cut {
				c.Counted = short
				return
			}
		}
	case g.Work.MatchString(text):
		c.Unit, c.Most = strings.TrimSuffix(unit, "s"), n
	}
}

// stems returns the stems of the words of a path.
func stems(file string) map[string]bool {
	out := map[string]bool{}
	for _, part := range strings.FieldsFunc(path.Clean(file), func(c rune) bool { return text.NotWord(c) && c != '_' }) {
		out[prose.Stem(strings.ToLower(part))] = true // node_modules
		for _, word := range camel.FindAllString(part, -1) {
			out[prose.Stem(strings.ToLower(word))] = true
		}
	}
	return out
}
