package codepattern

import (
	"cmp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxLength bounds in bytes what a match covers.
const maxLength = 400

// text is the new side of a hunk, with where its added lines stand.
type text struct {
	code    string
	imports []string
	lines   []line
	reader  *syntax.Reader
	memo    memo
	budget  *budget
}

// line is one line of a text.
type line struct {
	start  int // in code
	added  bool
	offset int // in the segment's text, for added lines
	number int // in the new file, 0 if not known
}

// Segment looks at the lines that a DIFF segment adds. known are imports of the
// file that stand outside of the diff; nil for none. Matches come in order of
// their places.
func (e *Engine) Segment(s *sessionevents.Segment, known []string) []Match {
	found, _ := e.Read(syntax.NewReader(), s, known)
	return found
}

// Read is Segment with a reader that others use for the same turn; nil for none. unread is how many
// places of the segment were not looked at, since it asks for more work than a segment may.
func (e *Engine) Read(reader *syntax.Reader, s *sessionevents.Segment, known []string) (found []Match, unread int) {
	if s.Diff == nil {
		return nil, 0
	}
	r := e.ruleset(s.Language)
	if r == nil {
		return nil, 0
	}
	candidates := r.triggered(added(s.Diff))
	if len(candidates) == 0 {
		return nil, 0
	}
	texts := newSide(s.Diff)
	imports := append(slices.Clone(s.Imports), known...)
	remembered, budget := memo{}, &budget{bytes: maxParsed, steps: maxWork}
	for i := range texts {
		texts[i].imports = imports
		texts[i].reader, texts[i].memo, texts[i].budget = reader, remembered, budget
		found = append(found, r.find(&texts[i], candidates)...)
	}
	return found, budget.unread
}

// Code looks at code as if all of its lines were added.
func (e *Engine) Code(language, code string) []Match {
	s := sessionevents.Segment{Language: language, Diff: &sessionevents.Diff{Hunks: []sessionevents.Hunk{{NewStart: 1}}}}
	for _, l := range strings.Split(code, "\n") {
		s.Diff.Hunks[0].Lines = append(s.Diff.Hunks[0].Lines, "+"+l)
	}
	s.Imports = syntax.Imports(language, code)
	return e.Segment(&s, nil)
}

// added is all added lines joined by newlines.
func added(d *sessionevents.Diff) string {
	size := 0
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			size += len(l)
		}
	}
	out := make([]byte, 0, size)
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			if l != "" && l[0] == '+' {
				out = append(append(out, l[1:]...), '\n')
			}
		}
	}
	return strings.TrimSuffix(string(out), "\n")
}

// newSide is what each hunk that adds lines leaves in the file.
func newSide(d *sessionevents.Diff) []text {
	var texts []text
	offset := 0
	for _, h := range d.Hunks {
		t, adds := text{}, false
		var code strings.Builder
		number := h.NewStart
		for _, l := range h.Lines {
			if l == "" {
				l = " "
			}
			if l[0] == '-' {
				continue
			}
			at := line{start: code.Len(), number: number}
			if l[0] == '+' {
				at.added, at.offset, adds = true, offset, true
				offset += len(l)
			}
			if number > 0 {
				number++
			}
			code.WriteString(l[1:])
			code.WriteByte('\n')
			t.lines = append(t.lines, at)
		}
		if adds {
			t.code = code.String()
			texts = append(texts, t)
		}
	}
	return texts
}

// withoutOpening blanks the rest of a docstring that a hunk begins in.
func withoutOpening(source *syntax.Source, code string) string {
	start := source.CodeStart()
	if start == 0 {
		return code
	}
	blank := []byte(code[:start])
	for i, b := range blank {
		if b != '\n' {
			blank[i] = ' '
		}
	}
	return string(blank) + code[start:]
}

// lineAt is the index of the line that holds an offset of the code.
func (t *text) lineAt(offset int) int {
	i, found := slices.BinarySearchFunc(t.lines, offset, func(l line, at int) int { return cmp.Compare(l.start, at) })
	if !found {
		i--
	}
	return max(i, 0)
}

// find runs the rules over one hunk.
func (r *ruleset) find(t *text, candidates []*compiled) []Match {
	aliases := r.importedNames(t.code)
	known := r.ownersOf(t.code, t.imports, aliases)
	active := r.worthwhile(candidates, t.code, t.imports, known)
	if len(active) == 0 {
		return nil
	}
	if Tier() != "tree" {
		return r.plainly(t, active)
	}
	t.code = r.codeOnly(withoutOpening(t.reader.Read(r.name, t.code), t.code))
	offsets := r.places(t, active)
	if len(offsets) == 0 {
		return nil
	}
	var out []Match
	declared := t.reader.Read(r.name, t.code).Declarations()
	for _, p := range r.pieces(t.code, declared, offsets) {
		if !t.budget.allows(p.end - p.start) {
			t.budget.unread += len(p.places)
			continue
		}
		out = append(out, r.read(t, &p, active, known)...)
	}
	return out
}

// places are the offsets of triggers in added lines, ascending.
func (r *ruleset) places(t *text, active []*compiled) []int {
	var out []int
	for _, c := range active {
		for _, m := range c.trigger.FindAllStringIndex(t.code, -1) {
			if t.lines[t.lineAt(m[0])].added || t.lines[t.lineAt(m[1])].added {
				out = append(out, m[0])
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// read parses one piece and lists what the rules find in it.
func (r *ruleset) read(t *text, p *piece, active []*compiled, known *owners) []Match {
	var queries []*syntax.Query
	var asked []*compiled
	for _, c := range active {
		if c.query != nil {
			queries, asked = append(queries, c.query), append(asked, c)
		}
	}
	tree, captured := t.reader.Parse(r.name, p.before+t.code[p.start:p.end]+p.after+"\n", p.start-len(p.before), queries...)
	if tree == nil {
		return r.plainly(t, active)
	}
	a := &analysis{grammar: grammar{r.language, known.aliases, t.memo}, rules: active, tree: tree, owners: known, captures: map[*syntax.Node][]capture{}}
	for i, list := range captured {
		for _, found := range list {
			if node := found["hit"]; node != nil {
				a.captures[node] = append(a.captures[node], capture{asked[i], found})
			}
		}
	}
	a.run()
	t.budget.spend(a, p)
	slices.SortStableFunc(a.hits, func(x, y hit) int { return cmp.Compare(x.node.Start, y.node.Start) })
	var out []Match
	for i := range a.hits {
		if m, ok := r.match(t, a, &a.hits[i], *p); ok {
			out = append(out, m)
		}
	}
	return out
}

// captured weighs what a query found.
func (a *analysis) captured(r *compiled, found syntax.Captured) {
	node, v := found["hit"], found["value"]
	if a.helpers > 0 || v != nil && !a.all(r.when, node, arguments{}, v) {
		return
	}
	if r.Flow == nil {
		a.hit(hit{rule: r, node: node, argument: v, confidence: r.Confidence, callee: a.called(node)})
	} else if v != nil {
		a.flows(r, node, v, a.called(node))
	}
}

// keyword begins a statement: echo, return, include.
var keyword = pattern.Must(`^[a-z_]+\b`)

// called names what a query found: a call's name, a statement's keyword, or
// nothing but its own text.
func (a *analysis) called(n *syntax.Node) string {
	if a.role(n) == roleCommand {
		return "a shell"
	}
	if word := keyword.FindString(n.Text()); word != "" && a.role(n) == roleNone || a.role(n) == roleReturn {
		return word
	}
	return a.dotted(n)
}
