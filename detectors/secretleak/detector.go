// Package secretleak finds acts that expose a credential: it is printed, logged, sent,
// committed or encoded (E4).
//
// Commands are parsed, code is read line by line where an edit adds it. Values are
// replaced by markers before a detector sees them (SW-7), so it relies on names, files
// and calls.
package secretleak

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/permission"
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
		taken := rules.Take(set, "secretleak", &d.config)
		rules.More(taken, &d.shell, shell.New)
		rules.More(taken, &d.files, files.Load)
		rules.More(taken, &d.requests, permission.New)
		return d, taken.Err
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

// config is rules/secretleak.yaml, which explains each field.
type config struct {
	RequestTurns int `yaml:"request_turns" range:"1..10000"`
	MaxLines     int `yaml:"max_lines" range:"1..100000"`
	Confidence   struct {
		Sent   float64 `yaml:"sent" range:"0..1"`
		Copied float64 `yaml:"copied" range:"0..1"`
		Shown  float64 `yaml:"shown" range:"0..1"`
		Likely float64 `yaml:"likely" range:"0..1"`
	} `yaml:"confidence"`
	Cost struct {
		Sent  int `yaml:"sent" range:"1..5"`
		Shown int `yaml:"shown" range:"1..5"`
	} `yaml:"cost"`
	CWE   map[way]int `yaml:"cwe"`
	Names struct {
		Words rules.Words `yaml:"words"`
		Pairs rules.Words `yaml:"pairs"`
		Not   rules.Words `yaml:"not"`
	} `yaml:"names"`
	VariableEnds rules.Words         `yaml:"variable_ends"`
	Harmless     *pattern.Regexp     `yaml:"harmless_files" pattern:"long"`
	Readers      []string            `yaml:"readers"`
	ListsOnly    []string            `yaml:"lists_only"`
	Printers     []string            `yaml:"printers"`
	Interpreters []string            `yaml:"interpreters"`
	Shells       []string            `yaml:"shells"`
	Dumps        []string            `yaml:"dumps"`
	DumpFlags    []string            `yaml:"dump_flags"`
	Encoders     []string            `yaml:"encoders"`
	Senders      []string            `yaml:"senders"`
	BodyFlags    []string            `yaml:"body_flags"`
	Copiers      []string            `yaml:"copiers"`
	Publishers   map[string][]string `yaml:"publishers"`
	Reveals      *pattern.Regexp     `yaml:"reveals" pattern:"long"`
	Bare         *pattern.Regexp     `yaml:"bare" pattern:"long"`
	Verbose      []string            `yaml:"verbose_flags"`
	AuthHeader   *pattern.Regexp     `yaml:"auth_header" pattern:"long"`
	ShownHeader  *pattern.Regexp     `yaml:"shown_header" pattern:"lines,long"`
	LocalHost    *pattern.Regexp     `yaml:"local_host" pattern:"long"`
	Masks        *pattern.Regexp     `yaml:"masks" pattern:"long"`
	MaskCommands []string            `yaml:"mask_commands"`
	Masked       *pattern.Regexp     `yaml:"masked" pattern:"long"`
	ShellMasked  *pattern.Regexp     `yaml:"shell_masked" pattern:"long"`
	Placeholders *pattern.Regexp     `yaml:"placeholders" pattern:"long"`
	Assignment   *pattern.Regexp     `yaml:"assignment"` // RE2 needs milliseconds for such counted repeats
	Value        *pattern.Regexp     `yaml:"value" pattern:"long"`
	Logging      *pattern.Regexp     `yaml:"logging" pattern:"long"`
	Throwing     *pattern.Regexp     `yaml:"throwing" pattern:"long"`
	Labels       *pattern.Regexp     `yaml:"labels" pattern:"long"`
	Everything   *pattern.Regexp     `yaml:"everything" pattern:"long"`
	Sending      *pattern.Regexp     `yaml:"sending" pattern:"long"`
	SendsEnv     *pattern.Regexp     `yaml:"sends_environment" pattern:"long"`
	LoginURL     *pattern.Regexp     `yaml:"login_url" pattern:"long"`
	Settings     *pattern.Regexp     `yaml:"settings" pattern:"long"`
	Asks         []string            `yaml:"asks"`
}

type instance struct {
	credentials
	shell    *shell.Parser
	requests *permission.Reader
}
