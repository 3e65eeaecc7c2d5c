package outofscope

import (
	"slices"
	"strings"
	"unicode"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// belongs reports whether a file belongs to the task by its location, by its name, or by
// what led to it.
func (w *watch) belongs(file string) bool {
	m, name := w.memory, hash(stem(file))
	return slices.Contains(m.Files, hash(file)) || slices.Contains(m.Names, name) || slices.Contains(m.Led, name) ||
		w.named(file) || w.pathInTask(file)
}

// related reports whether an edit belongs to the task: by its file, by what it declares
// or imports, by a term of the task or a word of an error in its lines, or because the
// plan states its purpose.
func (w *watch) related(c *change) bool {
	if w.belongs(c.file) {
		return true
	}
	if c.segment != nil {
		for _, name := range c.segment.Imports {
			if slices.Contains(w.memory.Names, hash(module(name))) {
				return true
			}
		}
	}
	return holds(c.text, w.memory.Led) || w.linesInTask(c.text) || w.planned(c.file)
}

// planned reports whether a sentence of this turn names the file together with a term of
// the task.
func (w *watch) planned(file string) bool {
	name := stem(file)
	for _, s := range w.pass.Additions.Sentences {
		if lower := strings.ToLower(s.Text); strings.Contains(strings.ReplaceAll(lower, "-", "_"), name) && w.inTask(strings.ReplaceAll(lower, name, " ")) {
			if !w.isFlag(s.Segment, s.Text) {
				return true
			}
		}
	}
	return false
}

// isFlag reports whether the sentence is itself the announcement of the cleanup.
func (w *watch) isFlag(segment int, sentence string) bool {
	return slices.ContainsFunc(w.flagged, func(f flag) bool {
		return f.hit.Segment == segment && strings.Contains(f.hit.Sentence, strings.TrimSpace(sentence))
	})
}

// belong adds an edit to the scope, so that what it touches counts as related.
func (w *watch) belong(c *change) {
	m := w.memory
	m.Related++
	m.Files = add(m.Files, w.Remembered.Files, hash(c.file))
	m.Names = add(m.Names, w.Remembered.Names, hash(stem(c.file)))
	if c.segment == nil {
		return
	}
	for _, name := range c.segment.Imports {
		m.Names = add(m.Names, w.Remembered.Names, hash(module(name)))
	}
	w.inside = append(w.inside, c.text)
}

// followed adds the users of what an edit changes, such as the callers of a changed
// signature, since these may have to follow.
func (w *watch) followed(c *change) {
	if c.segment == nil || c.kind != kindEdit {
		return
	}
	for _, symbol := range c.segment.Symbols {
		if name := strings.ToLower(symbol.Name); len(name) >= minName && !w.general[name] {
			w.memory.Led = add(w.memory.Led, w.Remembered.Led, hash(name))
		}
	}
}

// look follows what a call shows: a search for a term of the task leads to the files it
// finds, and reading shows which files import which.
func (w *watch) look(s *sessionevents.Segment) {
	m := w.memory
	for _, a := range s.Accesses {
		switch a.Kind {
		case sessionevents.AccessSearch:
			if s.Result != nil && (w.inTask(a.Query) || w.memory.searchesScope(a.Query)) {
				w.lead(s.Result.Head + "\n" + s.Result.Tail)
			}
		case sessionevents.AccessRead:
			if len(s.Imports) == 0 || len(s.Accesses) > 1 {
				continue
			}
			file := w.pass.Before.Path(a.Target)
			if w.belongs(file) {
				for _, name := range s.Imports {
					m.Names = add(m.Names, w.Remembered.Names, hash(module(name)))
				}
			} else if slices.ContainsFunc(s.Imports, func(name string) bool { return slices.Contains(m.Names, hash(module(name))) }) {
				m.Files = add(m.Files, w.Remembered.Files, hash(file))
			}
		}
	}
}

// searchesScope reports whether a query contains a name of something in scope.
func (m *memory) searchesScope(query string) bool { return holds(query, m.Names) }

// failure adds what an error names, since it may have to change.
func (w *watch) failure(s *sessionevents.Segment) {
	text := s.Text
	if s.Result != nil {
		text += "\n" + s.Result.Head + "\n" + s.Result.Tail
	}
	w.lead(text)
}

// lead records the files and identifiers that a text names.
func (w *watch) lead(text string) {
	for name := range codeNames(text) {
		w.memory.Led = add(w.memory.Led, w.Remembered.Led, hash(name))
	}
}

// identifiers yields the words of a text that are long enough to be names, in lower case.
// Paths and modules yield their stems.
func identifiers(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for token := range strings.FieldsFuncSeq(text, notName) {
			if strings.ContainsAny(token, "/.") {
				token = stem(token)
			}
			if len(token) >= minName && !yield(strings.ToLower(token)) {
				return
			}
		}
	}
}

// codeNames yields the words that look like names of code or files rather than common
// words.
func codeNames(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for token := range strings.FieldsFuncSeq(text, notName) {
			name := token
			if strings.ContainsAny(token, "/.") {
				name = stem(token)
			}
			if len(name) >= minName && looksLikeCode(token) && !yield(strings.ToLower(name)) {
				return
			}
		}
	}
}

// looksLikeCode reports whether a token is a path, has an extension, or is in snake case
// or camel case.
func looksLikeCode(token string) bool {
	inner := strings.TrimRight(token, ".-_/")
	return strings.ContainsAny(inner, "_/.") || len(inner) > 1 && strings.ContainsFunc(inner[1:], unicode.IsUpper) && strings.ContainsFunc(inner, unicode.IsLower)
}

// minName is the minimum length in bytes of a name whose match is not a coincidence.
const minName = 4

func notName(r rune) bool {
	return r != '_' && r != '/' && r != '.' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
}

// prerequisites marks an unrelated edit as related if a later edit in scope depends on
// it, since it was needed for that one.
func (w *watch) prerequisites() {
	if len(w.inside) == 0 {
		return
	}
	m := w.memory
	for i := range m.Diffs {
		if d := &m.Diffs[i]; !d.Related && w.uses(d.Names) {
			d.Related = true
			m.Files = add(m.Files, w.Remembered.Files, d.File)
			w.outside = slices.DeleteFunc(w.outside, func(c change) bool { return hash(c.file) == d.File })
		}
	}
}

// uses reports whether this turn's edits in scope contain one of these names.
func (w *watch) uses(names []uint32) bool {
	for _, text := range w.inside {
		if holds(text, names) {
			return true
		}
	}
	return false
}

// holds reports whether a text contains one of these names.
func holds(text string, names []uint32) bool {
	if len(names) == 0 {
		return false
	}
	for name := range identifiers(text) {
		if slices.Contains(names, hash(name)) {
			return true
		}
	}
	return false
}
