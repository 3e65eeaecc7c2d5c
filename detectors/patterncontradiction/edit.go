package patterncontradiction

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/topics"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// edit is an applied DIFF as A2 looks at it.
type edit struct {
	*turn
	segment   *sessionevents.Segment
	file      string
	ecosystem string
	text      string // added lines
	code      string // … without comments and strings
	codeRead  bool
	exempt    bool
	test      bool
	rewritten bool // a file that was read is rewritten: its old lines look added
}

// masked is the added code without comments and strings.
func (e *edit) masked() string {
	if !e.codeRead {
		e.codeRead = true
		e.code = e.Pass.Reader.Read(e.segment.Language, e.text).Code()
	}
	return e.code
}

// uses finds where an edit begins to use a target: an import, or a call. The
// length is 0 where it does not.
func (e *edit) uses(of target) (offset, length int) {
	if of.member != nil && of.member.Language != e.ecosystem {
		return 0, 0
	}
	for _, module := range e.segment.Imports {
		if e.imports(module, of) && !strings.Contains(e.removed(), module) {
			return max(strings.Index(e.text, module), 0), len(module)
		}
	}
	if of.choice != nil {
		return e.shows(of.choice)
	}
	calls := []string{of.literal}
	if of.member != nil {
		calls = of.member.Calls
	}
	for _, call := range calls {
		if at := findCall(e.masked(), call, e.ecosystem); at >= 0 && findCall(e.removed(), call, e.ecosystem) < 0 {
			return at, len(call)
		}
	}
	return 0, 0
}

// shows finds where an edit begins to use a topic's choice. A weak mark counts where the turn's words
// name the choice as well; nothing does in files, and beside words, of which the decision does not speak.
func (e *edit) shows(choice *topics.Choice) (offset, length int) {
	topic := choice.Topic()
	if !topic.HoldsIn(e.file) || topic.IsAside(e.plan()) {
		return 0, 0
	}
	at, length := choice.Shown(e.text, e.takenInWords(choice))
	if length == 0 {
		return 0, 0
	}
	if _, before := choice.Shown(e.removed(), true); before > 0 {
		return 0, 0
	}
	return at, length
}

// imports reports whether a module is the target or lies below it.
func (e *edit) imports(module string, of target) bool {
	switch {
	case of.member != nil:
		return slices.Contains(e.libraries.Imported(e.ecosystem, module), of.member)
	case of.choice != nil:
		return slices.Contains(e.decisions.topics.Imported(module), of.choice)
	case of.module != "":
		return isLibrary(module, of.module)
	}
	rest, ok := strings.CutPrefix(module, of.literal)
	return ok && of.literal != "" && (rest == "" || strings.ContainsAny(rest[:1], "./:\\"))
}

// usedBefore reports whether the file was seen using the thing already: its own
// practice, not a new departure.
func (e *edit) usedBefore(of target) bool {
	return of.member != nil && e.memory.usedIn(of.member.Key(), e.file)
}

func (e *edit) isOfSort(sort string) bool {
	switch sort {
	case "tests":
		return e.test
	case "docs":
		return strings.HasSuffix(e.file, ".md") || strings.HasSuffix(e.file, ".rst") || strings.HasSuffix(e.file, ".mdx")
	case "config":
		return slices.Contains(e.ConfigFiles, path.Base(e.file))
	}
	return sort == syntax.LanguageOf(e.file)
}

// isItself reports whether an edit uses another member of the raw thing's family
// that lies above it: then its calls are that one's.
func (e *edit) isItself(m *families.Member) bool {
	for _, module := range e.segment.Imports {
		for _, other := range e.libraries.Imported(e.ecosystem, module) {
			if other.Family() == m.Family() {
				return true
			}
		}
	}
	return false
}

// isLibrary reports whether an import is of the library of a name: "lodash/fp", "gopkg.in/yaml.v3" by its
// beginning or its last part, "com.google.gson.Gson" and "anyhow::Result" by any part below the owner's domain.
func isLibrary(module, name string) bool {
	parts := strings.FieldsFunc(module, func(r rune) bool { return strings.ContainsRune(`/.:\`, r) })
	if len(parts) == 0 {
		return false
	}
	if strings.EqualFold(parts[0], name) || strings.EqualFold(lastPart(module), name) && strings.Contains(module, "/") {
		return true
	}
	return ownerDomains[parts[0]] && !strings.Contains(module, "/") &&
		slices.ContainsFunc(parts[1:], func(p string) bool { return strings.EqualFold(p, name) })
}

// ownerDomains begin the packages of Java, Kotlin and Scala.
var ownerDomains = map[string]bool{"com": true, "org": true, "io": true, "net": true, "dev": true}

func lastPart(module string) string { return families.LastPart(module) }

func (e *edit) firstLine() string {
	line, _, _ := strings.Cut(e.text, "\n")
	return line
}

// findCall returns the offset at which code calls a name, -1 if it does not. A bare name counts
// only as a plain call, not as a method or a definition of that name.
func findCall(source, name, ecosystem string) int {
	if name == "" || source == "" {
		return -1
	}
	bareName := !strings.ContainsAny(name, ".:[{! ")
	for from := 0; ; {
		at := strings.Index(source[from:], name)
		if at < 0 {
			return -1
		}
		at += from
		from = at + len(name)
		if startsName(source, at, bareName) && endsCall(source, from, name, bareName, ecosystem) && !(bareName && defines(source, at, from)) {
			return at
		}
	}
}

func startsName(source string, at int, bareName bool) bool {
	if at == 0 {
		return true
	}
	c := source[at-1]
	return !code.IsName(c) && !(bareName && (c == '.' || c == ':' || c == '>'))
}

// endsCall reports whether what follows a name makes it a use of it.
func endsCall(source string, end int, name string, bareName bool, ecosystem string) bool {
	if last := name[len(name)-1]; !code.IsName(last) {
		return true
	}
	rest := source[end:]
	if rest == "" {
		return !bareName
	}
	if code.IsName(rest[0]) {
		return false
	}
	if !bareName {
		return true
	}
	rest = strings.TrimLeft(rest, " ")
	return strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "<") && ecosystem == "javascript" ||
		ecosystem == "ruby" && source[end] == ' ' && rest != "" && rest[0] != '=' && rest[0] != '|'
}

// defines reports whether a name occurs in its own definition: after a keyword, or as a method's
// head.
func defines(source string, at, end int) bool {
	start := strings.LastIndexByte(source[:at], '\n') + 1
	line := source[start:]
	if stop := strings.IndexByte(line, '\n'); stop >= 0 {
		line = line[:stop]
	}
	before := strings.Fields(source[start:at])
	for _, word := range before {
		switch word {
		case "def", "func", "fn", "function", "function*", "import", "class":
			return true
		}
	}
	onlyModifiers := !slices.ContainsFunc(before, func(w string) bool { return !slices.Contains(modifiers, w) })
	return onlyModifiers && isMethodHead(line[end-start:])
}

// isMethodHead reports whether "(a, b): T {" follows a name.
func isMethodHead(rest string) bool {
	end := code.Closing(rest, max(strings.IndexAny(rest, "()"), 0))
	after := strings.TrimSpace(rest[min(end+1, len(rest)):])
	return strings.HasSuffix(after, "{") && (after == "{" || after[0] == ':')
}

var modifiers = []string{"async", "public", "private", "protected", "static", "override", "export", "readonly"}
