package codepattern

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// hole replaces a value that is not constant in a text.
const hole = "‹›"

// Limits of a value.
const (
	maxParts = 8
	maxText  = 4000 // bytes
)

// value is what is known of an expression. Without parts it is harmless.
type value struct {
	// text is the constant text with holes where known is set.
	text  string
	known bool
	parts []part
	list  bool // a list; text is its items with spaces between
}

// part is one thing that went into a value.
type part struct {
	origin Origin
	node   *syntax.Node // its node, nil for a parameter
	source string       // as it is written: request.args["q"]
	safe   []string     // categories it was made safe for
	way    *waypoint    // where it was passed on, the latest first
}

func constant(text string) value { return value{text: text, known: true} }

func single(origin Origin, node *syntax.Node, source string) value {
	return value{text: hole, known: true, parts: []part{{origin: origin, node: node, source: source}}}
}

// constant says that it is a literal or built from literals only.
func (v value) constant() bool { return len(v.parts) == 0 && v.known }

// mix is a value that may be a or b.
func mix(a, b value) value {
	out := value{parts: merge(a.parts, b.parts), list: a.list && b.list}
	switch {
	case len(out.parts) == 0:
		out.known = a.known && b.known && a.text == b.text
		if out.known {
			out.text = a.text
		}
	case len(a.parts) == 0 || len(b.parts) > 0 && len(b.text) > len(a.text):
		out.text, out.known = b.text, b.known
	default:
		out.text, out.known = a.text, a.known
	}
	return out
}

// joined is a text made of a and then b.
func joined(a, b value) value {
	return value{text: shorten(a.written() + b.written()), known: a.known || b.known, parts: merge(a.parts, b.parts), list: a.list}
}

// with is a list with one more item, or a text with more text.
func (v value) with(more value) value {
	if v.list && v.written() != "" {
		v.text, v.known = v.written()+" ", true
	}
	return joined(v, more)
}

// written is the value's text; what is constant but not known is left open.
func (v value) written() string {
	if v.known {
		return v.text
	}
	if len(v.parts) > 0 {
		return hole
	}
	return ""
}

func shorten(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "")
	}
	return text
}

// merge joins lists of parts, the most hostile kept where there are too many.
func merge(a, b []part) []part {
	if len(b) == 0 {
		return a
	}
	out := slices.Clone(a)
	for _, p := range b {
		if !slices.ContainsFunc(out, func(o part) bool { return o.origin == p.origin && o.source == p.source && len(o.safe) <= len(p.safe) }) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b part) int { return int(b.origin) - int(a.origin) })
	return out[:min(len(out), maxParts)]
}

// madeSafe is the value after a sanitizer of a category.
func (v value) madeSafe(category string) value {
	out := v
	out.parts = slices.Clone(v.parts)
	for i := range out.parts {
		out.parts[i].safe = append(slices.Clone(out.parts[i].safe), category)
	}
	return out
}

// fromClient is a value with only the parts that a client or a person gives.
func fromClient(v value) value {
	out := v
	out.parts = nil
	for _, p := range v.parts {
		if p.origin >= Input {
			out.parts = append(out.parts, p)
		}
	}
	if len(out.parts) == 0 {
		return value{}
	}
	return out
}

// element is a value taken out of v, a list or an object.
func (v value) element() value {
	if len(v.parts) == 0 {
		return value{}
	}
	return value{text: hole, known: true, parts: v.parts}
}

// fillers are what a text may hold beside its holes without being built.
var fillers = strings.NewReplacer(hole, "", `\n`, "", `\t`, "", `\r`, "")

// built reports whether the value is part of a longer text.
func (v value) built() bool {
	return v.known && strings.Trim(fillers.Replace(v.text), " \t\n\"'`") != ""
}

// Limits of a flow that is reported.
const (
	maxWay  = 6   // steps between source and sink
	maxCode = 120 // bytes of a step's line
)

// waypoint is a place where a value was assigned, collected or passed on.
type waypoint struct {
	node   *syntax.Node
	before *waypoint
}

// through is the value after a place on its way.
func (v value) through(n *syntax.Node) value {
	if len(v.parts) == 0 || n == nil {
		return v
	}
	v.parts = slices.Clone(v.parts)
	for i := range v.parts {
		v.parts[i].way = &waypoint{n, v.parts[i].way}
	}
	return v
}

// flow is the way of a hit's value: source, steps, sink, each line once. Of a long way the steps
// nearest to the sink are left out.
func (t *text) flow(h *hit, p piece, sink int) []sessionevents.FlowStep {
	var lines []int
	add := func(n *syntax.Node) {
		if i, shown := t.lineOf(n, p); shown && i != sink && !slices.Contains(lines, i) {
			lines = append(lines, i)
		}
	}
	var nodes []*syntax.Node
	for w := h.part.way; w != nil; w = w.before {
		nodes = append(nodes, w.node)
	}
	add(h.part.node)
	for _, n := range slices.Backward(nodes) {
		add(n)
	}
	lines = lines[:min(len(lines), maxWay+1)]
	var out []sessionevents.FlowStep
	for _, i := range append(lines, sink) {
		out = append(out, sessionevents.FlowStep{Role: sessionevents.FlowThrough, Line: t.lines[i].number, Code: t.shown(i)})
	}
	if len(out) == 1 { // source and sink on one line
		out = append(out, out[0])
	}
	out[0].Role, out[len(out)-1].Role = sessionevents.FlowSource, sessionevents.FlowSink
	return out
}

// lineOf is the line that a node of a piece begins in; false for what was added to the piece.
func (t *text) lineOf(n *syntax.Node, p piece) (int, bool) {
	if n == nil {
		return 0, false
	}
	return t.lineAt(n.Start), n.Start >= p.start && n.Start < p.end
}

// shown is a line's code as a step shows it.
func (t *text) shown(i int) string {
	code := strings.TrimSpace(t.code[t.lines[i].start:t.end(i)])
	if len(code) > maxCode {
		code = strings.ToValidUTF8(code[:maxCode], "") + "…"
	}
	return code
}
