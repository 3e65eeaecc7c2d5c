package pattern

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// Regexp is a regular expression that is compiled on first use. It is safe for concurrent
// use. Its methods are those of [regexp.Regexp].
type Regexp struct {
	text   string
	once   sync.Once
	engine Expression
	long   bool // RE2, if it is linked

	read     sync.Once
	needs    []clause
	filtered sync.Once
	window   *window // nil for none
	filter   *filter // nil for none
	rest     *Regexp // the alternatives that filter does not know, nil for none
}

// Must returns a pattern of the program itself, for short texts. It panics on first use
// if the pattern does not compile, which a test of its user finds.
func Must(text string) *Regexp { return &Regexp{text: text} }

// MustRE2 is Must for long texts, over which RE2 is a hundred times faster; see
// [Engine].
func MustRE2(text string) *Regexp { return &Regexp{text: text, long: true} }

func (r *Regexp) compiled() Expression {
	if err := r.check(); err != nil {
		panic(err)
	}
	return r.engine
}

// check compiles the pattern now and returns its error.
func (r *Regexp) check() (err error) {
	r.once.Do(func() {
		if r.long {
			r.engine, err = long.Compile(r.text)
		} else {
			r.engine, err = regexp.Compile(r.text)
		}
	})
	return err
}

// clauses returns what every match requires, none if that is unknown.
func (r *Regexp) clauses() []clause {
	r.read.Do(func() { r.needs = clausesOf(r.text) })
	return r.needs
}

// hopeless reports whether text lacks something that every match contains, at a tenth of
// the cost of a match.
func (r *Regexp) hopeless(text string) bool {
	r.filtered.Do(r.makeFilters)
	if r.window != nil && !r.window.occurs(text) {
		return !foldsBeyondASCII(text)
	}
	if r.filter == nil || r.filter.first(text) {
		return false
	}
	return r.rest == nil || !r.rest.MatchString(text)
}

// makeFilters builds the filters of hopeless. A window is checked before the literals: it
// describes how a match begins if that is at the beginning of the text or nothing else is
// known, and otherwise the best clause.
func (r *Regexp) makeFilters() {
	needs := r.clauses()
	if len(needs) == 0 || strings.Contains(r.text, "^") { // only then it may begin the text
		r.window = startWindow(r.text)
	}
	if len(needs) == 0 {
		r.filter, r.rest = branchFilter(r.text, r.long)
		return
	}
	r.filter = newFilter([][]clause{needs})
	if r.window == nil || !r.window.start {
		r.window = literalWindow(needs[0])
	}
}

// matchBegun is MatchString for a text that contains the pattern's literals.
func (r *Regexp) matchBegun(text string) bool {
	r.filtered.Do(r.makeFilters)
	if r.window != nil && r.window.start && !r.window.occurs(text) && !foldsBeyondASCII(text) {
		return false
	}
	return r.compiled().MatchString(text)
}

// String returns the text of the pattern.
func (r *Regexp) String() string { return r.text }

// MatchString reports whether text contains a match.
func (r *Regexp) MatchString(text string) bool {
	return !r.hopeless(text) && r.compiled().MatchString(text)
}

// FindString returns the leftmost match, "" for none.
func (r *Regexp) FindString(text string) string {
	if r.hopeless(text) {
		return ""
	}
	return r.compiled().FindString(text)
}

// FindStringIndex returns the location of the leftmost match, nil for none.
func (r *Regexp) FindStringIndex(text string) []int {
	if r.hopeless(text) {
		return nil
	}
	return r.compiled().FindStringIndex(text)
}

// FindStringSubmatch returns the leftmost match and its groups, nil for none.
func (r *Regexp) FindStringSubmatch(text string) []string {
	if r.hopeless(text) {
		return nil
	}
	return r.compiled().FindStringSubmatch(text)
}

// FindStringSubmatchIndex returns the locations of FindStringSubmatch.
func (r *Regexp) FindStringSubmatchIndex(text string) []int {
	if r.hopeless(text) {
		return nil
	}
	return r.compiled().FindStringSubmatchIndex(text)
}

// FindAllString returns up to n matches, all for -1.
func (r *Regexp) FindAllString(text string, n int) []string {
	if r.hopeless(text) {
		return nil
	}
	return r.compiled().FindAllString(text, n)
}

// FindAllStringIndex returns the locations of FindAllString.
func (r *Regexp) FindAllStringIndex(text string, n int) [][]int {
	if r.hopeless(text) {
		return nil
	}
	return r.compiled().FindAllStringIndex(text, n)
}

// FindAllStringSubmatch returns up to n matches with their groups, all for -1.
func (r *Regexp) FindAllStringSubmatch(text string, n int) [][]string {
	if r.hopeless(text) {
		return nil
	}
	return r.compiled().FindAllStringSubmatch(text, n)
}

// FindAllStringSubmatchIndex returns the locations of FindAllStringSubmatch.
func (r *Regexp) FindAllStringSubmatchIndex(text string, n int) [][]int {
	if r.hopeless(text) {
		return nil
	}
	return r.compiled().FindAllStringSubmatchIndex(text, n)
}

// ReplaceAllString replaces every match; $1 is the first group.
func (r *Regexp) ReplaceAllString(text, replacement string) string {
	if r.hopeless(text) {
		return text
	}
	return r.compiled().ReplaceAllString(text, replacement)
}

// ReplaceAllStringFunc replaces every match by the result of replace.
func (r *Regexp) ReplaceAllStringFunc(text string, replace func(string) string) string {
	if r.hopeless(text) {
		return text
	}
	return r.compiled().ReplaceAllStringFunc(text, replace)
}

// Split returns the parts of text between matches, at most n, all for -1.
func (r *Regexp) Split(text string, n int) []string { return r.compiled().Split(text, n) }

// Group returns the text of a named group, of several with that name the one that
// matched; "" for none. at is the result of FindStringSubmatchIndex.
func (r *Regexp) Group(text string, at []int, name string) string {
	for i, of := range r.SubexpNames() {
		if of == name && 2*i+1 < len(at) && at[2*i] >= 0 {
			return text[at[2*i]:at[2*i+1]]
		}
	}
	return ""
}

// NumSubexp returns the number of groups.
func (r *Regexp) NumSubexp() int { return r.compiled().NumSubexp() }

// SubexpIndex returns the index of a named group, -1 for none.
func (r *Regexp) SubexpIndex(name string) int { return r.compiled().SubexpIndex(name) }

// SubexpNames returns the names of the groups, by index.
func (r *Regexp) SubexpNames() []string { return r.compiled().SubexpNames() }

// mostBranches bounds how many alternatives a pattern is split into.
const mostBranches = 128

// branchFilter returns, for a pattern of which not every match contains a known literal, a
// filter for the alternatives that have one, and a pattern of the others; nil if that would
// not be cheaper than the pattern itself.
func branchFilter(pattern string, long bool) (*filter, *Regexp) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, nil // RE2 supports more than this package
	}
	var literals clause
	parsed = parsed.Simplify()
	rest := &syntax.Regexp{Op: syntax.OpAlternate}
	for _, branch := range branchesOf(nil, parsed) {
		if needs := bestOf(partOf(branch).needed()); len(needs) > 0 {
			literals = merged(literals, needs[0])
		} else {
			rest.Sub = append(rest.Sub, branch)
		}
	}
	if !useful(literals) {
		return nil, nil
	}
	if len(rest.Sub) == 0 {
		return newFilter([][]clause{{literals}}), nil
	}
	text := source(rest)
	if 2*len(text) > len(source(parsed)) {
		return nil, nil
	}
	return newFilter([][]clause{{literals}}), &Regexp{text: text, long: long}
}

// branchesOf appends the alternatives of a pattern, of which at least one matches where the
// pattern does. A sequence that contains alternatives and no literal counts as one sequence
// for each of them.
func branchesOf(out []*syntax.Regexp, re *syntax.Regexp) []*syntax.Regexp {
	if len(out) >= mostBranches {
		return append(out, re)
	}
	switch re.Op {
	case syntax.OpCapture:
		return branchesOf(out, re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			out = branchesOf(out, sub)
		}
		return out
	case syntax.OpConcat:
		if len(bestOf(partOf(re).needed())) > 0 {
			break
		}
		at := slices.IndexFunc(re.Sub, alternates)
		if at < 0 {
			break
		}
		for _, sub := range branchesOf(nil, re.Sub[at]) {
			whole := slices.Concat(re.Sub[:at], []*syntax.Regexp{sub}, re.Sub[at+1:])
			out = branchesOf(out, &syntax.Regexp{Op: syntax.OpConcat, Flags: re.Flags, Sub: whole})
		}
		return out
	}
	return append(out, re)
}

// alternates reports whether a part of a pattern consists of alternatives.
func alternates(re *syntax.Regexp) bool {
	return re.Op == syntax.OpAlternate || re.Op == syntax.OpCapture && alternates(re.Sub[0])
}
