// Package leftbehind finds what a session started and has not stopped when it reports to
// be done, and endless loads (E5).
package leftbehind

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the E5 detector.
var Detector = &detect.Detector{
	ID: "E5", Name: "leftbehind", Class: sessionevents.ClassE,
	Title: "What the session leaves running",
	Doc:   doc, Rules: []string{"E5", "SW-12", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) {
		d := &instance{}
		taken := rules.Take(set, "leftbehind", &d.config)
		rules.More(taken, &d.shell, shell.New)
		rules.More(taken, &d.files, files.Load)
		return d, taken.Err
	},
}

// Figures of E5: nothing is lost, and half of it is stopped in time.
const (
	cost        = 2
	selfCorrect = 0.5
	floor       = sessionevents.Urgency(20)
)

// Run records what is started and stopped, judges loads at once and everything else when
// the response ends.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	var findings []detect.Finding
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		switch {
		case s.Rejected || s.Proposed:
		case s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed:
			d.edited(m, p, s)
			if f := d.codeLoad(p, s); f != nil {
				findings = append(findings, *f)
			}
		case s.Kind == sessionevents.SegmentTool && s.Tool != nil:
			d.commanded(m, s)
			if f := d.load(p, s); f != nil {
				findings = append(findings, *f)
			}
		}
	}
	if f := d.end(m, p); f != nil {
		findings = append(findings, *f)
	}
	m.bound(d.config.Remembered)
	return findings
}

// end returns the finding about what is left when the primary says that it is done.
func (d *instance) end(m *memory, p *detect.Pass) *detect.Finding {
	at, text := -1, ""
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Tool != nil && slices.Contains(d.config.Submits, s.Tool.Name) {
			at = i
		}
		if s.Kind == sessionevents.SegmentPlan && !s.Thinking {
			text += s.Text + "\n"
		}
	}
	if report := p.Report(); report != nil && at < 0 {
		at = slices.IndexFunc(p.Turn.Segments, func(s sessionevents.Segment) bool { return s.Index == report.Index })
	}
	if at < 0 && p.Ledger != nil && p.Ledger.Final {
		at = len(p.Turn.Segments) - 1 // a command hands the work over
	}
	if at < 0 || len(m.Started) == 0 || d.config.SaysRunning.MatchString(text) {
		return nil
	}
	asked := d.asked(p, d.config.AsksCleanup)
	var left []string
	for i := range m.Started {
		t := &m.Started[i]
		if t.Said || (t.Kind == kindTemporary || t.Unsure) && !asked || t.Kind != kindTemporary && t.Kind != kindDebug && d.wanted(p, t) {
			continue
		}
		t.Said = true
		left = append(left, t.Name)
	}
	if len(left) == 0 {
		return nil
	}
	f := &detect.Finding{
		Subclass: "left", Subject: left[0], Confidence: d.config.Confidence.Left, ReworkCost: cost, SelfCorrect: selfCorrect, Final: true,
		Evidence: []sessionevents.Evidence{detect.Whole(&p.Turn.Segments[at])},
		Message:  "The work ends while this session's " + listed(left) + " remains. Stop or remove it, or say that it stays and why.",
		Reason:   "This session started it, and nothing since stopped or removed it.",
	}
	if asked {
		f.Floor = floor
	}
	return f
}

// listed returns the first names of a list.
func listed(names []string) string {
	const most = 3
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// asked reports whether the task contains words of a kind.
func (d *instance) asked(p *detect.Pass, words *pattern.Regexp) bool {
	b := p.Baseline()
	return slices.ContainsFunc(b.Requests, func(r registryRequest) bool { return words.MatchString(r.Text) }) ||
		slices.ContainsFunc(b.Constraints, words.MatchString) || words.MatchString(b.Task)
}

// wanted reports whether a person asked for a running thing, by a word of its name.
func (d *instance) wanted(p *detect.Pass, t *thing) bool {
	requests := p.Baseline().Requests
	if n := len(requests); n > 0 && d.config.AsksCleanup.MatchString(requests[n-1].Text) {
		return false // the last word
	}
	for _, r := range requests {
		text := strings.ToLower(r.Text)
		if !d.config.AsksRunning.MatchString(text) {
			continue
		}
		for _, w := range []string{"server", "service", "app", "container", "cluster", "stack", "monitor", "watcher", "daemon", "tunnel", "database"} {
			if strings.Contains(text, w) && !d.config.AsksCleanup.MatchString(text) {
				return true
			}
		}
		for _, w := range strings.FieldsFunc(strings.ToLower(t.Name), func(c rune) bool { return strings.ContainsRune(" ./-_:=\"'", c) }) {
			if len(w) > 4 && strings.Contains(text, w) && !d.config.AsksCleanup.MatchString(text) {
				return true
			}
		}
	}
	return false
}

// Judge reports a signal as corrected once something is stopped or removed (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		if segment.Tool == nil {
			continue
		}
		for _, step := range d.shell.Steps(segment.Tool.Command) {
			if len(d.stopped(line(&step))) > 0 {
				return sessionevents.OutcomeCorrected, "stopped or removed"
			}
		}
	}
	return sessionevents.OutcomeOpen, "nothing is stopped"
}

// config is rules/leftbehind.yaml, which explains each field.
type config struct {
	Remembered int `yaml:"remembered" range:"8..4096"`
	Confidence struct {
		Left     float64 `yaml:"left" range:"0..1"`
		Endless  float64 `yaml:"endless" range:"0..1"`
		Parallel float64 `yaml:"parallel" range:"0..1"`
		Load     float64 `yaml:"load" range:"0..1"`
	} `yaml:"confidence"`
	ParallelRounds   int                      `yaml:"parallel_rounds" range:"2..100000"`
	RequestRounds    int                      `yaml:"request_rounds" range:"2..10000000"`
	Servers          *pattern.Regexp          `yaml:"servers" pattern:"long"`
	Containers       *pattern.Regexp          `yaml:"containers" pattern:"long"`
	RemovedItself    *pattern.Regexp          `yaml:"removed_itself" pattern:"long"`
	Services         *pattern.Regexp          `yaml:"services" pattern:"long"`
	Forwards         *pattern.Regexp          `yaml:"forwards" pattern:"long"`
	Schedules        *pattern.Regexp          `yaml:"schedules" pattern:"long"`
	Stops            map[kind]*pattern.Regexp `yaml:"stops" pattern:"long"`
	StopTools        []string                 `yaml:"stop_tools"`
	BackgroundFields []string                 `yaml:"background_fields"`
	Debug            *pattern.Regexp          `yaml:"debug" pattern:"long"`
	Temporary        *pattern.Regexp          `yaml:"temporary" pattern:"long"`
	Scripts          *pattern.Regexp          `yaml:"scripts" pattern:"long"`
	Loads            []string                 `yaml:"loads"`
	LoadWords        *pattern.Regexp          `yaml:"load_words" pattern:"long"`
	Requesters       []string                 `yaml:"requesters"`
	Endless          *pattern.Regexp          `yaml:"endless" pattern:"long"`
	Ends             *pattern.Regexp          `yaml:"ends" pattern:"long"`
	AsksCleanup      *pattern.Regexp          `yaml:"asks_cleanup" pattern:"long"`
	AsksRunning      *pattern.Regexp          `yaml:"asks_running" pattern:"long"`
	SaysRunning      *pattern.Regexp          `yaml:"says_running" pattern:"long"`
	Submits          []string                 `yaml:"submits"`
}

type instance struct {
	config config
	shell  *shell.Parser

	files *files.Table
}

// aside reports whether a file is a test, a test fixture, or a document.
func (d *instance) aside(path string) bool {
	return d.files.Is(path, files.AnyTest|files.Document)
}
