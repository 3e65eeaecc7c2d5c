package codepattern

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
