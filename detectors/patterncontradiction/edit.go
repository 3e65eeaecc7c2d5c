package patterncontradiction

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/manifest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// edit is an applied DIFF as A2 looks at it.
type edit struct {
	segment   *events.Segment
	file      string
	ecosystem string
	text      string // added lines
	code      string // … without comments and strings
	codeRead  bool
	exempt    bool
	test      bool
	rewritten bool // a file that was read is written anew: its old lines look added
}

// edited judges a DIFF.
func (t *turn) edited(s *events.Segment) {
	if !applied(s) {
		return
	}
	e := &edit{segment: s, file: t.Before.Path(s.Path), ecosystem: families.Ecosystem(s.Language), text: detect.Text(s)}
	e.exempt, e.test = t.exempt(e.file), t.isTest(e.file)
	e.rewritten = s.Diff.Op == events.DiffCreate && len(t.Before.Reads(e.file)) > 0
	if strings.HasSuffix(e.file, t.ConventionFile) {
		t.learnConventions(e.text)
	}
	t.paths(e)
	if kind := manifest.Of(e.file); kind != nil {
		t.dependencies(e, kind)
	} else if s.Diff.Op != events.DiffDelete && s.Diff.Op != events.DiffRename {
		t.bypasses(e)
		t.structureOf(e)
	}
	if s.Diff.Op == events.DiffCreate && !e.rewritten {
		t.memory.Made = bounded(t.memory.Made, hashOf(e.file), t.Limits.Made)
	}
}

// masked is the added code without comments and strings.
func (e *edit) masked() string {
	if !e.codeRead {
		e.codeRead = true
		e.code = syntax.Read(e.segment.Language, e.text).Code()
	}
	return e.code
}

// removed is what the turn removes anywhere: what stands in it was moved or
// was there before.
func (t *turn) removed() string {
	if !t.removedRead {
		t.removedRead = true
		var b strings.Builder
		for i := range t.Pass.Turn.Segments {
			for _, line := range t.Pass.Turn.Segments[i].Diff.Removed() {
				b.WriteString(line.Text)
				b.WriteByte('\n')
			}
		}
		t.removedText = b.String()
	}
	return t.removedText
}

// uses finds where an edit begins to use a target: an import, or a call. The
// length is 0 where it does not.
func (t *turn) uses(e *edit, of target) (offset, length int) {
	if of.member != nil && of.member.Language != e.ecosystem {
		return 0, 0
	}
	for _, module := range e.segment.Imports {
		if t.imports(e.ecosystem, module, of) && !strings.Contains(t.removed(), module) {
			return max(strings.Index(e.text, module), 0), len(module)
		}
	}
	calls := []string{of.literal}
	if of.member != nil {
		calls = of.member.Calls
	}
	for _, call := range calls {
		if at := findCall(e.masked(), call, e.ecosystem); at >= 0 && findCall(t.removed(), call, e.ecosystem) < 0 {
			return at, len(call)
		}
	}
	return 0, 0
}

// imports reports whether a module is the target or lies below it.
func (t *turn) imports(ecosystem, module string, of target) bool {
	if of.member != nil {
		return slices.Contains(t.libraries.Imported(ecosystem, module), of.member)
	}
	rest, ok := strings.CutPrefix(module, of.literal)
	return ok && of.literal != "" && (rest == "" || strings.ContainsAny(rest[:1], "./:\\"))
}

// findCall is where code calls a name, -1 if it does not. A bare name counts
// only as a call of its own, not as a method or a definition of that name.
func findCall(code, name, ecosystem string) int {
	if name == "" || code == "" {
		return -1
	}
	bareName := !strings.ContainsAny(name, ".:[{! ")
	for from := 0; ; {
		at := strings.Index(code[from:], name)
		if at < 0 {
			return -1
		}
		at += from
		from = at + len(name)
		if startsName(code, at, bareName) && endsCall(code, from, name, bareName, ecosystem) && !(bareName && defines(code, at, from)) {
			return at
		}
	}
}

func startsName(code string, at int, bareName bool) bool {
	if at == 0 {
		return true
	}
	c := code[at-1]
	return !isNameByte(c) && !(bareName && (c == '.' || c == ':' || c == '>'))
}

// endsCall reports whether what follows a name makes it a use of it.
func endsCall(code string, end int, name string, bareName bool, ecosystem string) bool {
	if last := name[len(name)-1]; !isNameByte(last) {
		return true
	}
	rest := code[end:]
	if rest == "" {
		return !bareName
	}
	if isNameByte(rest[0]) {
		return false
	}
	if !bareName {
		return true
	}
	rest = strings.TrimLeft(rest, " ")
	return strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "<") && ecosystem == "javascript" ||
		ecosystem == "ruby" && code[end] == ' ' && rest != "" && rest[0] != '=' && rest[0] != '|'
}

// defines reports whether a name stands in its own definition: behind a keyword,
// or as a method's head.
func defines(code string, at, end int) bool {
	start := strings.LastIndexByte(code[:at], '\n') + 1
	line := code[start:]
	if stop := strings.IndexByte(line, '\n'); stop >= 0 {
		line = line[:stop]
	}
	before := strings.Fields(code[start:at])
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
	depth := 0
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth <= 0 {
				after := strings.TrimSpace(rest[i+1:])
				return strings.HasSuffix(after, "{") && (after == "{" || after[0] == ':')
			}
		}
	}
	return false
}

var modifiers = []string{"async", "public", "private", "protected", "static", "override", "export", "readonly"}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func lastPart(module string) string { return families.LastPart(module) }
