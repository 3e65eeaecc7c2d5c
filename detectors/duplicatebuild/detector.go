// Package duplicatebuild finds symbols and files that are built although the session or
// the codebase already has them (A1).
package duplicatebuild

import (
	_ "embed"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the A1 detector.
var Detector = &detect.Detector{
	ID: "A1", Name: "duplicatebuild", Class: sessionevents.ClassA,
	Title: "Building what is there already",
	Doc:   doc, Rules: []string{"A1", "SW-1", "SW-10", "SW-11", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of A1.
const (
	costInSession    = 2
	costCodebase     = 3
	costArchitecture = 4
	// inSessionFloor applies to what this session, or another of its run, built.
	inSessionFloor sessionevents.Urgency = 20
)

// memory holds what was announced, so that it is reported once, and when code was said to
// move. It is bounded.
type memory struct {
	Announced []string `json:"a,omitempty"` // normalised names, oldest first
	// Moving is the turn whose plan last said that code is being moved.
	Moving int `json:"m,omitempty"`
	// Passages are the places of the newest edits with their statements, Pasted the
	// reported fragments.
	Passages []passage `json:"p,omitempty"`
	Pasted   []string  `json:"f,omitempty"`
	// Constants are the named literals of the newest edits.
	Constants []constant `json:"c,omitempty"`
	// Extractions are announced moves that are only copies so far.
	Extractions []extraction `json:"x,omitempty"`
	// Lookup is a search that the plan announced and that has not happened yet.
	Lookup *lookup `json:"l,omitempty"`
}

// bounded appends an item and drops the oldest beyond the limit.
func bounded[T any](list []T, item T, limit int) []T {
	list = append(list, item)
	return slices.Clone(list[max(0, len(list)-limit):])
}

// NewState returns an empty memory of announcements.
func (*instance) NewState() any { return &memory{} }

// Run examines the symbols that DIFFs create, the files, then what PLAN announces.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	d.noteMoving(p, m)
	repeats := slices.Concat(d.symbols(p), d.createdFiles(p), d.constants(p, m))
	var out []detect.Finding
	for _, group := range grouped(repeats) {
		out = append(out, d.report(p, group))
		d.noteExtraction(p, m, group)
	}
	out = append(out, d.unfinished(p, m)...)
	out = append(out, d.copies(p, m)...)
	out = append(out, d.fragments(p, m, repeats)...)
	if found := d.lookups(p, m); len(repeats) == 0 { // what exists is already named
		out = append(out, found...)
	}
	return append(out, d.announcements(p, m)...)
}
