package segment

import (
	"slices"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/diff"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// guessed reads an edit whose arguments have unknown names, by their form: the file is
// the argument that looks like a path, the text is the remaining one. The call is an edit
// even if its arguments cannot be read (SW-3a).
func (t *toolTable) guessed(c *call) []sessionevents.FilePatch {
	g := guess{words: t.guess}
	g.path = c.in.text(t.fields.Path...)
	g.read(c.in)
	if g.path == "" && g.before == "" && g.after == "" && c.result == nil {
		return nil
	}
	p := sessionevents.FilePatch{Path: g.path, Op: sessionevents.DiffUpdate}
	switch {
	case g.before != "":
		p.Hunks = diff.Replaced(g.before, g.after)
	case g.after != "":
		p.Op, p.Hunks = writeOperation(c), t.contentHunks(c, g.after)
	}
	return []sessionevents.FilePatch{p}
}

// guessWords are the words of field names.
type guessWords struct {
	Path   []string `yaml:"path"`
	Before []string `yaml:"before"`
	After  []string `yaml:"after"`
}

type guess struct {
	words               guessWords
	path, before, after string
}

func (g *guess) read(in *input) {
	for i := range in.fields {
		f := &in.fields[i]
		if f.kind == jsonparser.Object || f.kind == jsonparser.Array {
			for _, inner := range f.objects() {
				g.read(inner)
			}
			continue
		}
		if f.kind == jsonparser.String {
			g.field(nameWords(f.name), f.text())
		}
	}
}

func (g *guess) field(name []string, text string) {
	has := func(list []string) bool {
		return slices.ContainsFunc(name, func(word string) bool { return slices.Contains(list, word) })
	}
	switch {
	case g.path == "" && readsAsPath(text) && (has(g.words.Path) || strings.ContainsAny(text, "/.")):
		g.path = text
	case text == g.path:
	case has(g.words.Before) && g.before == "":
		g.before = text
	case has(g.words.After) || strings.Contains(text, "\n"):
		g.after = longer(g.after, text)
	}
}

func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}

// readsAsPath reports whether a text can be a path: one short line without surrounding
// blanks.
func readsAsPath(text string) bool {
	return text != "" && len(text) <= 300 && !strings.ContainsAny(text, "\n\t\"'`;={}()<>|*?") && strings.TrimSpace(text) == text && strings.Count(text, " ") <= 3
}

// nameWords returns the words of a name in camel or snake case, in lower case.
func nameWords(name string) []string {
	var out []string
	start := 0
	cut := func(end int) {
		if start < end {
			out = append(out, strings.ToLower(name[start:end]))
		}
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_' || c == '-' || c == '.' || c == ' ':
			cut(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > start && (name[i-1] < 'A' || name[i-1] > 'Z'):
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return out
}

// editor returns a tool for a name that is not in the table, if its words say that it
// edits files and its input names one.
func (t *toolTable) editor(name string, in *input) (*tool, bool) {
	words := nameWords(name[strings.LastIndex(name, "__")+1:])
	verb, noun := false, false
	for _, w := range words {
		verb = verb || slices.Contains(t.editing.Verbs, w)
		noun = noun || slices.Contains(t.editing.Nouns, w)
	}
	if !verb || !noun || in.text(t.fields.Path...) == "" {
		return nil, false
	}
	return unknownEditor, true
}

// editingWords are words in the names of tools that edit files.
type editingWords struct {
	Verbs []string `yaml:"verbs"`
	Nouns []string `yaml:"nouns"`
}

var unknownEditor = &tool{Canonical: sessionevents.ToolEdit}
