// Package refetch finds reads, searches and fetches whose result is already in context
// (C1).
package refetch

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the C1 detector.
var Detector = &detect.Detector{
	ID: "C1", Name: "refetch", Class: sessionevents.ClassC,
	Title: "Re-fetching data that is in context",
	Doc:   doc, Rules: []string{"C1", "SW-12", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) {
		var c config
		if err := set.Decode("refetch", &c); err != nil {
			return nil, err
		}
		return &instance{config: c}, nil
	},
}

type config struct {
	WindowTurns int `yaml:"window_turns" range:"1..1000"`
	LogTurns    int `yaml:"log_turns" range:"1..10000"`
	Remembered  int `yaml:"remembered" range:"8..4096"`
	ShortBytes  int `yaml:"short_bytes" range:"0..100000"`
	Confidence  struct {
		Identical float64 `yaml:"identical" range:"0..1"`
		Covered   float64 `yaml:"covered" range:"0..1"`
	} `yaml:"confidence"`
	ExcludedEffects []string        `yaml:"excluded_effects"`
	MayWrite        []string        `yaml:"may_write"`
	MayWriteTools   []string        `yaml:"may_write_tools"`
	TruncationMarks []string        `yaml:"truncation_marks"`
	RereadErrors    []string        `yaml:"reread_errors"`
	LiveHosts       []string        `yaml:"live_hosts"`
	UnchangedMarks  []string        `yaml:"unchanged_marks"`
	MissingMarks    []string        `yaml:"missing_marks"`
	ContextCleared  []string        `yaml:"context_cleared"`
	ChangedWords    []string        `yaml:"changed_words"`
	MissingBytes    int             `yaml:"missing_bytes" range:"0..100000"`
	GitReads        []string        `yaml:"git_reads"`
	GitShows        []string        `yaml:"git_shows"`
	Watched         *pattern.Regexp `yaml:"watched" pattern:"long"`
	Editing         *pattern.Regexp `yaml:"editing"`
}

// Figures of C1: no code is affected, and it often stops by itself.
const (
	reworkCost  = 1
	selfCorrect = 0.5
)

type instance struct {
	config config
}

// NewState returns an empty memory of retrievals.
func (*instance) NewState() any { return &memory{} }

// Run compares each retrieval with earlier ones, in the order of the turn, and forgets
// what was written in between.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	m.begin(p)
	var findings []detect.Finding
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		d.forget(m, p, s)
		if f := d.compare(m, p, s); f != nil {
			findings = append(findings, *f)
		}
	}
	m.bound(d.config.Remembered, p.Turn.Turn+1-d.config.LogTurns)
	return findings
}

// Judge reports a signal as corrected once a turn does not retrieve the thing again, and
// as committed if one does (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	for i := range p.Turn.Segments {
		for _, r := range d.retrievals(p, &p.Turn.Segments[i]) {
			if r.subject() == s.Subject {
				return sessionevents.OutcomeCommitted, "fetched once more"
			}
		}
	}
	return sessionevents.OutcomeCorrected, "not fetched again"
}

// kindGit is Git's output about the work: a diff, a log.
const kindGit sessionevents.AccessKind = "git"

// gitReads returns the retrieval of a command that only shows what Git knows, whose
// result depends on every file.
func (d *instance) gitReads(p *detect.Pass, s *sessionevents.Segment) []retrieval {
	command, sub := d.gitCommand(s)
	if !slices.Contains(d.config.GitReads, sub) {
		return nil
	}
	return []retrieval{{
		Kind: kindGit, Query: command, Turn: p.Turn.Turn, Hash: s.Result.Hash, Input: s.Tool.InputHash, Tool: s.Tool.Canonical,
		Short: s.Result.Bytes < d.config.ShortBytes,
	}}
}

// gitCommand returns the command of a call that runs only Git, without the folder it runs
// in, and its subcommand; "" for any other call.
func (d *instance) gitCommand(s *sessionevents.Segment) (command, sub string) {
	if s.Tool == nil || s.Tool.Canonical != sessionevents.ToolShell || !slices.Equal(s.Tool.Effects, []string{"git"}) {
		return "", ""
	}
	words := strings.Fields(s.Tool.Command)
	if len(words) > 3 && words[0] == "cd" && words[2] == "&&" {
		words = words[3:]
	}
	if len(words) < 2 || words[0] != "git" || slices.ContainsFunc(words, leavesPipe) {
		return "", ""
	}
	at := slices.IndexFunc(words[1:], func(w string) bool { return !strings.HasPrefix(w, "-") })
	if at < 0 {
		return "", ""
	}
	return strings.Join(words, " "), words[1+at]
}

// onlyShows reports whether a call of Git changes nothing.
func (d *instance) onlyShows(s *sessionevents.Segment) bool {
	_, sub := d.gitCommand(s)
	return slices.Contains(d.config.GitReads, sub) || slices.Contains(d.config.GitShows, sub)
}

// leavesPipe reports whether a word ends a command that only reads and filters.
func leavesPipe(word string) bool {
	return word == "&&" || word == "||" || strings.HasSuffix(word, ";") || strings.HasPrefix(word, ">") || word == "&"
}
