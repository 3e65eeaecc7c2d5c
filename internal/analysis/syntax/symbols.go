package syntax

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// SketchSize is the k of the bottom-k sketch of a symbol's body.
const SketchSize = 64

// CallSketch is the k of the sketch of the names that a symbol's body calls.
const CallSketch = 8

// maxSignature bounds a signature in bytes.
const maxSignature = 400

// maxBody bounds the part of a body that is sketched, in bytes.
const maxBody = 16 << 10

// Symbols reads the declarations in code, a piece of a file in the named language whose
// first line has the number firstLine (if it is 0 for unknown, the symbols' lines are 0
// too). They are in order of appearance, without Path. An unknown language has none.
func Symbols(name, code string, firstLine int) []sessionevents.Symbol {
	return SymbolsSketched(name, code, firstLine, SketchSize)
}

// SymbolsSketched is [Symbols] with sketches of another size, which takes half the time;
// 0 for none. A smaller sketch is the beginning of a larger one.
func SymbolsSketched(name, code string, firstLine, sketch int) []sessionevents.Symbol {
	return Read(name, code).Symbols(firstLine, sketch)
}

// Symbols is [SymbolsSketched] of the source.
func (s *Source) Symbols(firstLine, sketch int) []sessionevents.Symbol {
	if s.language == nil || s.language.heads == nil {
		return nil
	}
	l, code := s.language, s.code
	found := l.heads.FindAllStringSubmatchIndex(code, -1)
	if len(found) == 0 {
		return nil
	}
	masked := s.mask()
	list := l.candidates(code, masked, found)
	l.extents(code, masked, list)
	for i := range list {
		c := &list[i]
		c.kind, c.parameters = c.form.Kind, c.written(code, masked)
		c.rejected = c.form.Direct && c.insideFunctionBody
	}
	l.confirm(code, list)
	return l.symbols(code, list, firstLine, sketch)
}

func (l *language) symbols(code string, list []candidate, firstLine, sketch int) []sessionevents.Symbol {
	out := make([]sessionevents.Symbol, 0, len(list))
	for i := range list {
		c := &list[i]
		if c.rejected || c.form.Hidden {
			continue
		}
		s := sessionevents.Symbol{
			Name: c.name, Kind: c.kind, Language: l.name,
			Signature: normalise(c.parameters), Container: l.containerOf(code, list, c), Bases: l.bases(code, c),
		}
		s.Local = c.insideFunctionBody || c.indent > 0 && c.container < 0 && s.Container == ""
		s.Shingles, s.Calls = similarity.SketchCode(body(code, c), sketch, CallSketch)
		if firstLine > 0 {
			s.Line = firstLine + c.line
		}
		if s.Kind == "function" && (isClass(s.Container, list, c) || l.takesSelf(s.Signature)) {
			s.Kind = "method"
		}
		out = append(out, s)
	}
	return out
}

// body returns the text that the sketch is taken from: what follows the head.
func body(code string, c *candidate) string {
	if c.bodyEnd <= c.headEnd {
		return ""
	}
	return code[c.headEnd:min(c.bodyEnd, c.headEnd+maxBody)]
}

// containerOf returns the class, module or receiver type of a symbol.
func (l *language) containerOf(code string, list []candidate, c *candidate) string {
	if receiver := l.receiver(code, c); receiver != "" {
		return receiver
	}
	if c.container < 0 || c.insideFunctionBody {
		return ""
	}
	return list[c.container].name
}

func isClass(container string, list []candidate, c *candidate) bool {
	return container != "" && (c.container < 0 || list[c.container].kind != "module")
}

// receiver returns the type of a Go method's receiver, without pointer and type
// parameters.
func (l *language) receiver(code string, c *candidate) string {
	head := code[c.start:c.nameAt]
	open := strings.IndexByte(head, '(')
	if l.name != "go" || open < 0 {
		return ""
	}
	inner := strings.TrimRight(head[open+1:], " \t)")
	if i := strings.IndexByte(inner, '['); i >= 0 {
		inner = inner[:i]
	}
	fields := strings.Fields(inner)
	if len(fields) == 0 {
		return ""
	}
	return strings.TrimLeft(fields[len(fields)-1], "*")
}

// takesSelf reports whether the first parameter is the receiver by convention, as in a
// method cut out of its class.
func (l *language) takesSelf(signature string) bool {
	first := strings.TrimLeft(signature, "(&' ")
	first = strings.TrimPrefix(first, "mut ")
	if end := strings.IndexFunc(first, notWord); end >= 0 {
		first = first[:end]
	}
	for _, word := range l.Self {
		if first == word {
			return true
		}
	}
	return false
}

var brackets = strings.NewReplacer("( ", "(", " )", ")", " ,", ",")

// normalise returns a parameter list on one line.
func normalise(parameters string) string {
	if strings.TrimSpace(parameters) == "" {
		return ""
	}
	s := text.Line(parameters)
	if s[0] != '(' && s[0] != '|' { // an arrow function's only parameter, or Ruby's without parentheses
		s = "(" + s + ")"
	}
	s = brackets.Replace(s)
	if strings.HasSuffix(s, ",)") { // a trailing comma is layout
		s = s[:len(s)-2] + ")"
	}
	return text.Head(s, maxSignature)
}

// maxBases bounds the bases of one class.
const maxBases = 8

// extends matches the clauses of a class's head that name its bases, except Python's list
// in parentheses.
var extends = pattern.Must(`\b(?:extends|implements)\s+([^{]+?)(?:\s+(?:implements|permits)\b|$)|^\s*<\s*([\w:]+)`)

// typeArguments matches <T> and [T] after a name.
var typeArguments = pattern.Must(`<[^<>]*>|\[[^\[\]]*\]`)

// bases returns the names of what a class extends or implements, as written, without type
// arguments; none for other declarations.
func (l *language) bases(code string, c *candidate) []string {
	if c.form.Kind != "class" && c.form.Kind != "interface" || c.headEnd <= c.nameEnd {
		return nil
	}
	head := strings.TrimSpace(code[c.nameEnd:c.headEnd])
	if l.Block == "indent" {
		return named(strings.TrimSuffix(strings.TrimPrefix(strings.TrimRight(head, ": "), "("), ")"))
	}
	var out []string
	for {
		m := extends.FindStringSubmatchIndex(head)
		if m == nil || len(out) >= maxBases {
			return out[:min(len(out), maxBases)]
		}
		group := 2
		if m[2] < 0 {
			group = 4
		}
		out = append(out, named(head[m[group]:m[group+1]])...)
		head = head[m[group+1]:]
	}
}

// named returns the names in a list, without keyword arguments and calls.
func named(list string) []string {
	for typeArguments.MatchString(list) {
		list = typeArguments.ReplaceAllString(list, "")
	}
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part != "" && !strings.ContainsAny(part, "=() \n") && !slices.Contains(out, part) && len(out) < maxBases {
			out = append(out, part)
		}
	}
	return out
}
