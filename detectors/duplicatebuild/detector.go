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

// NewState returns an empty memory of announcements.
func (*instance) NewState() any { return &memory{} }

// Run examines the symbols that DIFFs create, the files, then what PLAN announces.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	t := &turn{d, p, p.State.(*memory)}
	t.noteMoving()
	x, moved := &doubles{t}, &extractions{t}
	repeats := slices.Concat(x.symbols(), x.createdFiles(), x.constants())
	var out []detect.Finding
	for _, group := range grouped(repeats) {
		out = append(out, x.report(group))
		moved.noteExtraction(group)
	}
	out = append(out, moved.unfinished()...)
	out = append(out, (&copying{t}).copies()...)
	out = append(out, (&pastes{t}).fragments(repeats)...)
	if found := (&searches{t}).lookups(); len(repeats) == 0 { // what exists is already named
		out = append(out, found...)
	}
	return append(out, (&plans{t}).announcements()...)
}
