package claim

import (
	"slices"
	"strconv"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
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
