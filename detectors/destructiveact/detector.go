// Package destructiveact finds commands and writes that destroy something that may be
// missed (E3).
package destructiveact

import (
	_ "embed"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the E3 detector.
var Detector = &detect.Detector{
	ID: "E3", Name: "destructiveact", Class: sessionevents.ClassE,
	Title: "Destroying what cannot be got back",
	Doc:   doc, Rules: []string{"E3", "SW-12", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) {
		d := &instance{}
		if err := set.Decode("destructiveact", &d.config); err != nil {
			return nil, err
		}
		judge, err := guard.New(set)
		if err != nil {
			return nil, fmt.Errorf("load destructive act rules: %w", err)
		}
		d.guard, d.reader = judge, judge.Reader()
		return d, nil
	},
}

type config struct {
	Remembered   int `yaml:"remembered" range:"8..4096"`
	RequestTurns int `yaml:"request_turns" range:"1..10000"`
	Confidence   struct {
		Known   float64 `yaml:"known" range:"0..1"`
		Likely  float64 `yaml:"likely" range:"0..1"`
		Unknown float64 `yaml:"unknown" range:"0..1"`
	} `yaml:"confidence"`
	Cost struct {
		Full   int `yaml:"full" range:"1..5"`
		Part   int `yaml:"part" range:"1..5"`
		Less   int `yaml:"less" range:"1..5"`
		Little int `yaml:"little" range:"1..5"`
	} `yaml:"cost"`
	Status struct {
		Clean     []string `yaml:"clean"`
		Tracked   []string `yaml:"tracked"`
		Changed   []string `yaml:"changed"`
		Untracked string   `yaml:"untracked"`
		Ahead     []string `yaml:"ahead"`
		Compared  []string `yaml:"compared"`
		// Diffs are commands that list changed files, Line one of their lines with the file as group.
		Diffs *pattern.Regexp `yaml:"diffs"`
		Line  *pattern.Regexp `yaml:"line"`
	} `yaml:"status"`
	Nameless    []string        `yaml:"nameless"`
	NothingDone []string        `yaml:"nothing_done"`
	Refused     []string        `yaml:"refused"`
	MayWrite    []string        `yaml:"may_write"`
	Overwrote   []string        `yaml:"overwrote"`
	Starts      *pattern.Regexp `yaml:"starts"`
	Neighbours  *pattern.Regexp `yaml:"neighbours"`
	Committed   *pattern.Regexp `yaml:"committed"`
	Restores    []string        `yaml:"restores"`
	Advances    []string        `yaml:"advances"`
	Absent      struct {
		Says    *pattern.Regexp `yaml:"says"`
		Asks    *pattern.Regexp `yaml:"asks"`
		Lookers []string        `yaml:"lookers"`
	} `yaml:"absent"`
}

// selfCorrect is P(self-corrects): what is gone stays gone.
const selfCorrect = 0.2

type instance struct {
	config config
	guard  *guard.Judge
	reader *destruct.Reader
}

// NewState returns an empty memory of what the session created and saw.
func (*instance) NewState() any { return &memory{} }

// Run judges each command and write, in the order of the turn, and records what it
// created.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	var findings []detect.Finding
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Rejected {
			continue // it did not run, and a denial is not reported again (DP-24)
		}
		j := &judgement{instance: d, Pass: p, memory: m, segment: s}
		if s.Tool != nil && s.Tool.Command != "" && s.Kind == sessionevents.SegmentTool {
			findings = append(findings, j.command()...)
		} else if s.Kind == sessionevents.SegmentDiff {
			findings = append(findings, fileActs{j}.write()...)
		} else if s.Kind == sessionevents.SegmentUser {
			m.mentioned(s.Text)
		}
		sight{j}.looked()
	}
	if report := p.Report(); report != nil {
		m.Offer = text.Tail(report.Text, maxOffer)
		m.mentioned(report.Text)
	}
	m.bound(d.config.Remembered)
	return findings
}

// maxOffer bounds the stored part of a report, in bytes.
const maxOffer = 1500

// Judge reports a signal as corrected once a command restores what was lost (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	for i := range p.Turn.Segments {
		tool := p.Turn.Segments[i].Tool
		if tool != nil && contains(tool.Command, d.config.Restores) {
			return sessionevents.OutcomeCorrected, "brought back"
		}
	}
	return sessionevents.OutcomeOpen, "not brought back"
}
