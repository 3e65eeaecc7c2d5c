// Package disguisedbuild finds new functions, types and files that are a change
// of existing ones in disguise: FooV2 beside Foo, a copy with one case more (A3).
package disguisedbuild

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the A3 detector.
var Detector = &detect.Detector{
	ID: "A3", Name: "disguisedbuild", Class: sessionevents.ClassA,
	Title: "A modification disguised as a new build",
	Doc:   doc, Rules: []string{"A3", "SW-1", "SW-10", "SW-11", "SW-41a", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of A3.
const (
	cost                                  = 3
	costDuplicated                        = 4 // the new one repeats the old one's control flow or data handling
	selfCorrect                           = 0.5
	selfCorrectRead                       = 0.7
	queueFloor      sessionevents.Urgency = 20
)

// memory holds the things for which a second version was announced. It is bounded.
type memory struct {
	Announced []announced `json:"a,omitempty"`
}

type announced struct {
	Name string `json:"s"`
	Turn int    `json:"n"`
}

// NewState returns an empty memory of announcements.
func (*instance) NewState() any { return &memory{} }

// Run examines new symbols, new files, then what PLAN announces (RF05).
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	list := d.symbols(p)
	list = append(list, d.files(p, list)...)
	var out []detect.Finding
	for _, group := range d.fresh(m, p, list) {
		out = append(out, d.report(p, group))
	}
	return append(out, d.announcements(m, p, list)...)
}

// nameOnly is the reason for only logging a twin that is recognized by its name alone.
const nameOnly = "nothing but the name says so"

// otherHead is the reason for only logging a twin whose name is about more than the old
// one's.
const otherHead = "its name is about something else"

// twin is a new thing and the existing one that it varies or duplicates.
type twin struct {
	segment    int
	symbol     sessionevents.Symbol // a file has its path as name and kind "file"
	old        duplicate.Candidate
	subclass   string // variant, second, file
	mark       string // the word that marks a variant, "" if none
	confidence float64
	duplicated bool // the new one contains the old one's body
	// logOnly is the reason why the finding is only logged; "" if it may fire.
	logOnly string
}
