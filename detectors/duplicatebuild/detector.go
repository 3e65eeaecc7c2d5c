// Package duplicatebuild finds symbols and files that are built although the
// session or the codebase has them (A1).
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

// Detector is A1 as a value.
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
	// inSessionFloor holds for what this session, or another of its run, built.
	inSessionFloor sessionevents.Urgency = 20
)

// memory keeps what was announced, so that it is signaled once, and when code was
// said to move. It is bounded.
type memory struct {
	Announced []string `json:"a,omitempty"` // normalised names, oldest first
	// Moving is the turn whose plan last said that code changes its place.
	Moving int `json:"m,omitempty"`
	// Passages are the newest edits' places with their statements, Pasted the fragments signaled.
	Passages []passage `json:"p,omitempty"`
	Pasted   []string  `json:"f,omitempty"`
	// Constants are the newest named literals of edits.
	Constants []constant `json:"c,omitempty"`
	// Extractions are what was announced as moved and only copied so far.
	Extractions []extraction `json:"x,omitempty"`
	// Lookup is a search that the plan announced and nothing made yet.
	Lookup *lookup `json:"l,omitempty"`
}

// bounded appends an item; the oldest leave.
func bounded[T any](list []T, item T, limit int) []T {
	list = append(list, item)
	return slices.Clone(list[max(0, len(list)-limit):])
}

// NewState is the memory of the session's announcements.
func (*instance) NewState() any { return &memory{} }

// Run looks at the symbols that DIFFs create, at the files, then at what PLAN
// announces.
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
	if found := d.lookups(p, m); len(repeats) == 0 { // what exists is named already
		out = append(out, found...)
	}
	return append(out, d.announcements(p, m)...)
}
