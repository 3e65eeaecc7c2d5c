package claim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Scope is what a claim about checks covers.
type Scope struct {
	// Broad means all of them, Entire that it names the whole suite, Loose whatever ran
	// last, since the clause does not say ("All green").
	Broad, Entire, Loose bool
	// Remote means continuous integration, not runs on this machine.
	Remote bool
	// Partly means only some, such as the new ones; Unit the unit tests.
	Partly, Unit bool
	// Count is the number it states, 0 if none.
	Count int
	// Suites are the suites it names: "integration", "e2e".
	Suites []string
	// Names are the code spans, files and packages it names, Files the files among them.
	Names, Files []string
	// Of are words for what the tests are of: "parser" of "the parser specs".
	Of []string
}

func (r *Reader) scope(p *phrase, text string) Scope {
	out := Scope{
		Broad: p.Broad, Remote: p.Remote, Loose: p.Loose && !r.Nouns.MatchString(text),
		Entire: r.Entire.MatchString(text), Partly: r.Partly.MatchString(text), Unit: r.UnitTests.MatchString(text),
		Names: r.names(text), Files: r.pathsIn(text),
	}
	out.Broad = out.Broad && !out.Partly
	for _, m := range r.section.Suites.FindAllStringSubmatch(text, -1) {
		suite := strings.ToLower(m[1])
		if suite == "end-to-end" {
			suite = "e2e"
		}
		if !slices.Contains(out.Suites, suite) {
			out.Suites = append(out.Suites, suite)
		}
	}
	found := append(r.Subjects.FindAllStringSubmatch(text, -1), r.Concerning.FindAllStringSubmatch(text, -1)...)
	for _, m := range found {
		for _, of := range strings.Fields(strings.ToLower(m[1])) {
			if len(of) > 2 && !r.Generic[of] {
				out.Of = append(out.Of, of)
			}
		}
	}
	for _, m := range r.Figures.FindAllStringSubmatch(text, 1) {
		for _, figure := range m[1:] {
			n, err := strconv.Atoi(figure)
			if err != nil {
				n = r.Numbers[strings.ToLower(figure)]
			}
			if out.Count == 0 {
				out.Count = n
			}
		}
	}
	return out
}

// names returns the code spans and files that a clause names.
func (r *Reader) names(text string) []string {
	var out []string
	for i, span := range strings.Split(text, "`") {
		if i%2 == 1 && span != "" {
			out = append(out, span)
		}
	}
	found := r.pathsIn(text)
	for _, m := range r.Packages.FindAllStringSubmatch(text, -1) {
		found = append(found, strings.Join(m[1:], ""))
	}
	for _, name := range found {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// pathsIn returns the files that a text names, in order. Two of them may share the
// character that separates them, so each is searched for after the end of the previous
// one.
func (r *Reader) pathsIn(text string) []string {
	var out []string
	for rest := text; ; {
		at := r.Paths.FindStringSubmatchIndex(rest)
		if at == nil {
			return out
		}
		if file := rest[at[2]:at[3]]; !slices.Contains(out, file) {
			out = append(out, file)
		}
		rest = rest[at[3]:]
	}
}

// named returns the things after the verb of a phrase that a clause is about; none if the
// words before them make them a place ("added a helper to util.go").
func (s *sentenceReader) named(p *phrase, index int, masked, text string) []string {
	switch p.Names {
	case "variable":
		if m := s.Variables.FindStringSubmatch(text); m != nil {
			return m[1:]
		}
		return nil
	case "address":
		if m := s.Addresses.FindStringSubmatch(text); m != nil {
			return []string{strings.Join(m[1:], "")}
		}
		if s.Answers.MatchString(text) { // "I called it and it answers 200", after the address
			if list := s.Routes.FindAllStringSubmatch(s.doc.Text, 2); len(list) == 1 {
				return list[0][1:]
			}
		}
		return nil
	}
	verb := s.claims.Pattern(index).FindStringIndex(masked)
	if verb == nil || s.Attributive.MatchString(masked[:verb[0]]) {
		return nil
	}
	if p.Where == "before" {
		return s.subjects(text[:verb[0]])
	}
	object := text[wordEnd(text, verb[1]):]
	if p.Then != nil && !p.Then.MatchString(object) {
		return nil
	}
	if at := s.Paths.FindStringSubmatchIndex(object); at == nil || strings.Trim(object[:at[2]], " `\"'(*") != "" {
		if m := s.Folders.FindStringSubmatch(object); m != nil && p.Kind == sessionevents.ClaimDeleted {
			return m[1:]
		}
		return nil // something else is the object
	}
	if place := s.Places.FindStringIndex(object); place != nil {
		object = object[:place[0]]
	}
	return s.pathsIn(object)
}

// wordEnd returns the blank before a path that begins with a word of the phrase: the
// object of "created scripts/backup.sh" is one file.
func wordEnd(text string, end int) int {
	if end == 0 || end >= len(text) || text[end-1] == ' ' || strings.IndexByte(" ,:;\"'`([*", text[end]) >= 0 {
		return end
	}
	return max(strings.LastIndexByte(text[:end], ' ')+1, 0)
}

// subjects returns the files that the words before a verb consist of: "src/a.ts and
// src/b.ts".
func (s *sentenceReader) subjects(text string) []string {
	files := s.pathsIn(text)
	rest := text
	for _, file := range files {
		rest = strings.Replace(rest, file, "", 1)
	}
	if s.Beside.ReplaceAllString(rest, "") != "" {
		return nil // a place, or a part of the file
	}
	return files
}

// ScopeOf returns the scope of an earlier claim about tests.
func (r *Reader) ScopeOf(text string, broad bool) Scope { return r.scope(&phrase{Broad: broad}, text) }

// Suites returns the suites that a text names.
func (r *Reader) Suites(text string) []string { return r.scope(&phrase{}, text).Suites }

// Affirmed returns a text without words that only seem to be negations: "no longer", "0
// failures".
func (r *Reader) Affirmed(text string) string { return r.section.Affirmed.ReplaceAllString(text, "") }

// phrase is one wording of a kind of claim.
type phrase struct {
	Kind  sessionevents.ClaimKind `yaml:"kind" allow:"tests|build|lint|works|done|deployed|cause|excuse|created|deleted|moved|committed|pushed|pull_request|tagged|installed|applied|variable|endpoint"`
	Broad bool                    `yaml:"broad"`
	Loose bool                    `yaml:"loose"`
	// Remote is set if it speaks of continuous integration.
	Remote bool `yaml:"remote"`
	// Names is what a clause must name to be a claim, Where on which side of the words.
	// Then must match the words that follow.
	Names   string          `yaml:"names" allow:"path|variable|address"`
	Where   string          `yaml:"where" allow:"before"`
	Then    *pattern.Regexp `yaml:"then" pattern:"fold,long,optional"`
	Pattern *pattern.Regexp `yaml:"pattern" pattern:"fold,long"`
}

// section is the section claims of the rule data, which explains each value.
type section struct {
	Marks     *pattern.Regexp `yaml:"marks" pattern:"fold,long"`
	Splits    *pattern.Regexp `yaml:"splits" pattern:"long"`
	Claims    []phrase        `yaml:"claims"`
	Linted    *pattern.Regexp `yaml:"linted" pattern:"fold,long"`
	Pointed   *pattern.Regexp `yaml:"pointed" pattern:"long"`
	Excused   *pattern.Regexp `yaml:"excused" pattern:"fold,long"`
	Denied    *pattern.Regexp `yaml:"denied" pattern:"fold,long"`
	Guesses   *pattern.Regexp `yaml:"guesses" pattern:"fold,long"`
	Partly    *pattern.Regexp `yaml:"partly" pattern:"fold,long"`
	UnitTests *pattern.Regexp `yaml:"unit_tests" pattern:"fold,long"`
	Subjects  *pattern.Regexp `yaml:"subjects"`
	// Concerning matches the words after "tests of".
	Concerning *pattern.Regexp `yaml:"concerning" pattern:"fold"`
	Generic    rules.Words     `yaml:"generic"`
	Spans      *pattern.Regexp `yaml:"spans" pattern:"long"`
	Entire     *pattern.Regexp `yaml:"entire" pattern:"fold,long"`
	Made       *pattern.Regexp `yaml:"made" pattern:"long"`
	Maker      *pattern.Regexp `yaml:"maker" pattern:"long"`
	AddsTests  *pattern.Regexp `yaml:"adds_tests" pattern:"long"`
	Wired      *pattern.Regexp `yaml:"wired" pattern:"fold,long"`
	Ran        *pattern.Regexp `yaml:"ran" pattern:"fold"`
	Whole      *pattern.Regexp `yaml:"whole" pattern:"fold,long"`
	Negated    *pattern.Regexp `yaml:"negated" pattern:"fold,long"`
	Affirmed   *pattern.Regexp `yaml:"affirmed" pattern:"fold,long"`
	Claimed    *pattern.Regexp `yaml:"claimed" pattern:"fold,long"`
	Plans      *pattern.Regexp `yaml:"plans" pattern:"fold,long"`
	Announced  *pattern.Regexp `yaml:"announced" pattern:"fold"`
	Supposed   *pattern.Regexp `yaml:"supposed" pattern:"fold,long"`
	Labels     *pattern.Regexp `yaml:"labels" pattern:"long"`
	Remarks    *pattern.Regexp `yaml:"remarks" pattern:"long"`
	Foreign    *pattern.Regexp `yaml:"foreign" pattern:"long"`
	Suites     *pattern.Regexp `yaml:"suites" pattern:"long"`
	Nouns      *pattern.Regexp `yaml:"nouns" pattern:"long"`
	Figures    *pattern.Regexp `yaml:"figures" pattern:"long"`
	Numbers    map[string]int  `yaml:"numbers"`
	Fractions  *pattern.Regexp `yaml:"fractions"`
	Paths      *pattern.Regexp `yaml:"paths" pattern:"long"`
	Folders    *pattern.Regexp `yaml:"folders" pattern:"long"`
	Variables  *pattern.Regexp `yaml:"variables" pattern:"long"`
	Addresses  *pattern.Regexp `yaml:"addresses" pattern:"long"`
	Answers    *pattern.Regexp `yaml:"answers" pattern:"fold"`
	Routes     *pattern.Regexp `yaml:"routes"`
	Packages   *pattern.Regexp `yaml:"packages" pattern:"fold"`
	Places     *pattern.Regexp `yaml:"places" pattern:"long"`
	Beside     *pattern.Regexp `yaml:"beside" pattern:"fold,long"`
	// Attributive matches words before a participle that only says which thing is meant.
	Attributive *pattern.Regexp `yaml:"attributive" pattern:"fold"`
}

// Reader reads claims. It is immutable and safe for concurrent use.
type Reader struct {
	section
	claims *pattern.Set
}

// New compiles the section claims of the rule data.
func New(set *rules.Set) (*Reader, error) {
	r := &Reader{}
	if err := set.Decode("claims", &r.section); err != nil {
		return nil, fmt.Errorf("load claims: %w", err)
	}
	patterns := make([]string, len(r.Claims))
	for i := range r.Claims {
		patterns[i] = r.Claims[i].Pattern.String()
	}
	var err error
	if r.claims, err = pattern.Trusted.Set("claims", patterns); err != nil {
		return nil, fmt.Errorf("load claims: %w", err)
	}
	return r, nil
}
