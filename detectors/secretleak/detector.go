// Package secretleak finds acts that expose a credential: it is printed, logged, sent,
// committed or encoded (E4).
//
// Commands are parsed, code is read line by line where an edit adds it. Values are
// replaced by markers before a detector sees them (SW-7), so it relies on names, files
// and calls.
package secretleak

import (
	_ "embed"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the E4 detector.
var Detector = &detect.Detector{
	ID: "E4", Name: "secretleak", Class: sessionevents.ClassE,
	Title: "A secret leaves its place",
	Doc:   doc, Rules: []string{"E4", "SW-7", "SW-12", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) {
		d := &instance{}
		if err := set.Decode("secretleak", &d.config); err != nil {
			return nil, err
		}
		var err error
		if d.shell, err = shell.New(set); err != nil {
			return nil, fmt.Errorf("load secret leak rules: %w", err)
		}
		return d, nil
	},
}

// Figures of E4: what has been exposed cannot be recalled.
const (
	selfCorrect = 0.2
	floor       = sessionevents.Urgency(20)
)

// way is how a credential is exposed.
type way string

const (
	wayShown   way = "display"
	wayLogged  way = "log"
	waySent    way = "network"
	wayCopied  way = "copy"
	wayCommit  way = "commit"
	wayEncoded way = "encode"
)

// leak is one act that exposes a credential.
type leak struct {
	way     way
	what    string // what is exposed: a file, a variable, a header
	seen    bool   // its value was seen
	at, end int    // of the segment's text, 0, 0 for all of it
}

// NewState returns nil, since each act is judged by itself.
func (*instance) NewState() any { return nil }

// Run judges the commands and edits of a turn, one signal for each segment.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	var findings []detect.Finding
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		var found *leak
		switch {
		case s.Rejected || s.Proposed:
		case s.Kind == sessionevents.SegmentDiff && s.Diff != nil && !s.Diff.Failed:
			found = d.code(s)
		case s.Kind == sessionevents.SegmentTool && s.Tool != nil && s.Tool.Command != "":
			found = d.command(s)
		}
		if found != nil && !d.asked(p, found) {
			findings = append(findings, d.finding(s, found))
		}
	}
	return findings
}

// finding scores a leak; one that is sent or committed escalates.
func (d *instance) finding(s *sessionevents.Segment, l *leak) detect.Finding {
	c := &d.config
	e := detect.Whole(s)
	if l.end > l.at {
		e = detect.At(s, l.at, l.end-l.at)
	}
	if e.Path == "" && d.secretFile(l.what) {
		e.Path = l.what // for readers who look the finding up by its file
	}
	f := detect.Finding{
		Subclass: string(l.way), Subject: l.what, SelfCorrect: selfCorrect, ReworkCost: c.Cost.Shown, Confidence: c.Confidence.Likely,
		CWE: c.CWE[l.way], Floor: floor, Evidence: []sessionevents.Evidence{e}, Message: l.message(), Reason: reasons[l.way],
	}
	if l.seen {
		f.Confidence = c.Confidence.Shown
	}
	switch l.way {
	case waySent, wayCommit:
		f.Confidence, f.ReworkCost, f.Escalate = c.Confidence.Sent, c.Cost.Sent, true
	case wayCopied:
		f.Confidence = c.Confidence.Copied
	}
	return f
}

// Judge reports a signal as corrected once the line is removed, the commit undone or the
// secret changed (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 {
		return sessionevents.OutcomeOpen, "nothing to compare"
	}
	e := s.Evidence[0]
	for i := range p.Turn.Segments {
		segment := &p.Turn.Segments[i]
		if segment.Kind == sessionevents.SegmentDiff && e.Path != "" && segment.Path == e.Path && segment.Diff != nil && !segment.Diff.Failed && removes(segment.Diff, e.Quote) {
			return sessionevents.OutcomeCorrected, "taken out again"
		}
		if segment.Tool != nil && s.Subclass == string(wayCommit) && undoes(segment.Tool.Command) {
			return sessionevents.OutcomeCorrected, "taken out of the commit"
		}
	}
	return sessionevents.OutcomeOpen, "not taken back"
}
