// Package destructiveact finds commands and writes that destroy something that may be
// missed (E3).
package destructiveact

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

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

// sight is what a session saw of files: which are not there, and which differ from what Git holds.
type sight struct{ *judgement }

// looked records the files that a call looked for and did not find: to remove one destroys nothing, and what is
// written there afterwards is the session's own. A look that finds the file takes that back.
func (j sight) looked() {
	s := j.segment
	if s.Kind == sessionevents.SegmentError && s.Path != "" && s.Tool != nil && s.Tool.Canonical == sessionevents.ToolRead {
		j.found(s.Path, j.config.Absent.Says.MatchString(s.Text))
	}
	if s.Result == nil {
		return
	}
	output := s.Result.Head + "\n" + s.Result.Tail
	if s.Tool != nil && s.Tool.Command != "" {
		j.lookedInShell(s.Tool.Command, output)
		return
	}
	for _, a := range s.Accesses {
		if a.Kind == sessionevents.AccessRead {
			j.found(a.Target, s.Result.IsError && j.config.Absent.Says.MatchString(output))
		}
	}
}

// lookedInShell reads the output of a command line that only looks, and does so here.
func (j sight) lookedInShell(command, output string) {
	look := &j.config.Absent
	if m := look.Asks.FindStringSubmatch(command); m != nil {
		j.found(m[1], strings.TrimSpace(output) == strings.Trim(m[2], `"'`))
		return
	}
	programs := j.reader.Read(command).Programs
	if slices.ContainsFunc(programs, func(p string) bool { return !slices.Contains(look.Lookers, p) }) {
		return
	}
	for _, name := range strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\n'\"=;&|()<>", c) }) {
		if strings.ContainsAny(name, "./") {
			j.found(name, slices.ContainsFunc(strings.Split(output, "\n"), func(line string) bool {
				return strings.Contains(line, name) && look.Says.MatchString(line)
			}))
		}
	}
}

// found records what a look for a file showed.
func (j sight) found(name string, missing bool) {
	name = j.Before.Path(name)
	j.memory.Absent = slices.DeleteFunc(j.memory.Absent, func(n string) bool { return n == name })
	if missing {
		j.memory.Absent = append(j.memory.Absent, name)
	}
}

// mentioned forgets the absent files that a message names: the person may make them, or have made them.
func (m *memory) mentioned(message string) {
	m.Absent = slices.DeleteFunc(m.Absent, func(n string) bool { return strings.Contains(message, path.Base(n)) })
}

// absent reports whether the session looked for a file and did not find it.
func (j sight) absent(name string) bool {
	return slices.ContainsFunc(j.Absent, func(n string) bool { return j.sameFile(n, name) })
}

// differences records the files that git diff --stat showed as changed.
func (j sight) differences(text string) {
	for line := range strings.Lines(text) {
		if found := j.config.Status.Line.FindStringSubmatch(line); found != nil && !j.own(found[1]) {
			j.memory.Differs = append(j.memory.Differs, found[1])
		}
	}
}
