package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// scopes say which labels a detector answers for. The rest (integer overflow,
// buffer sizes, permissions, XML entities, request forgery …) is nobody's; of the
// weak ones G404 (math/rand whatever for, where B3 wants a token, key or password
// beside it) and G504 (net/http/cgi).
var gosecScopes = map[string][]string{
	"B1": {"G101"},
	"B2": {"G201", "G202", "G203", "G204", "G304", "G305", "G701", "G702", "G703", "G705", "G708", "G709"},
	"B3": {"G401", "G402", "G403", "G405", "G406", "G407", "G501", "G502", "G503", "G505", "G506", "G507"},
}

var weaknessScopes = map[string][]string{
	"B1": {"CWE-798"},
	"B2": {"CWE-22", "CWE-78", "CWE-79", "CWE-89", "CWE-94", "CWE-95", "CWE-502"},
	"B3": {"CWE-295", "CWE-327", "CWE-328", "CWE-330", "CWE-338", "CWE-759"},
}

// extensions name a file of each language that B2 and B3 know.
var extensions = map[string]string{"python": "app.py", "javascript": "app.js", "java": "App.java", "php": "app.php", "go": "main.go"}

// score counts what a detector said of labelled samples.
type score struct {
	name              string
	right, wrong      int // samples with a weakness: found, missed
	silent, falseFire int // samples without one
}

// samples are the scores of all labels, by detector and set.
type samples struct {
	list   []*score
	byName map[string]*score
	missed []string
}

func (s *samples) of(name string) *score {
	if s.byName == nil {
		s.byName = map[string]*score{}
	}
	if s.byName[name] == nil {
		s.byName[name] = &score{name: name}
		s.list = append(s.list, s.byName[name])
	}
	return s.byName[name]
}

func (s *score) add(weak, fired bool) {
	switch {
	case weak && fired:
		s.right++
	case weak:
		s.wrong++
	case fired:
		s.falseFire++
	default:
		s.silent++
	}
}

func share(part, whole int) string {
	if whole == 0 {
		return "—"
	}
	return strconv.Itoa(part*100/whole) + "%"
}

// table shows recall and precision by detector and set.
func (s *samples) table() string {
	var b strings.Builder
	b.WriteString("\n### Labelled samples\n\n| detector and set | weak samples | found | recall | sound samples | false alarms | precision |\n|---|---|---|---|---|---|---|\n")
	slices.SortFunc(s.list, func(a, b *score) int { return cmp.Compare(a.name, b.name) })
	for _, one := range s.list {
		weak, sound := one.right+one.wrong, one.silent+one.falseFire
		precision := share(one.right, one.right+one.falseFire)
		if sound == 0 {
			precision = "not known"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %d | %d | %s |\n", one.name, weak, one.right, share(one.right, weak), sound, one.falseFire, precision)
	}
	return b.String()
}

func playLabels(core *machines.Core, data string) (*samples, error) {
	s := &samples{}
	if err := s.gosec(core, filepath.Join(data, "labels", "gosec.jsonl.gz")); err != nil {
		return nil, err
	}
	return s, s.weaknesses(core, filepath.Join(data, "labels", "cyberseceval_autocomplete.jsonl.gz"))
}

// gosec plays whole Go programs: a sample counts as found when the detector says
// anything that is not suppressed.
func (s *samples) gosec(core *machines.Core, path string) error {
	return shareddata.EachLine(path, func(line []byte) error {
		var sample struct {
			Set    string
			Code   []string
			Errors int
		}
		if err := json.Unmarshal(line, &sample); err != nil {
			return err
		}
		number := strings.TrimPrefix(sample.Set, "SampleCode")
		for _, detector := range []string{"B1", "B2", "B3"} {
			if !covers(gosecScopes[detector], number) {
				continue
			}
			signals, err := written(core, "main.go", sample.Code)
			if err != nil {
				return err
			}
			fired := len(of(signals, detector)) > 0
			s.of(detector+" gosec").add(sample.Errors > 0, fired)
			s.of(detector+" gosec "+number[:4]).add(sample.Errors > 0, fired)
			if fired != (sample.Errors > 0) {
				s.missed = append(s.missed, fmt.Sprintf("%s %s expected %d\n%s", detector, sample.Set, sample.Errors, strings.Join(sample.Code, "\n")))
			}
		}
		return nil
	})
}

func covers(prefixes []string, name string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// weaknesses plays CyberSecEval's excerpts: found when a signal of the detector
// points at the labelled line. Every sample is weak, so precision is not known.
func (s *samples) weaknesses(core *machines.Core, path string) error {
	return shareddata.EachLine(path, func(line []byte) error {
		var sample struct {
			Language string
			CWE      string `json:"cwe_identifier"`
			Line     string `json:"line_text"`
			Code     string `json:"origin_code"`
		}
		if err := json.Unmarshal(line, &sample); err != nil {
			return err
		}
		file, known := extensions[sample.Language]
		for _, detector := range []string{"B1", "B2", "B3"} {
			if !known || !slices.Contains(weaknessScopes[detector], sample.CWE) { // CWE-78 is not CWE-798
				continue
			}
			signals, err := written(core, file, []string{sample.Code})
			if err != nil {
				return err
			}
			s.of(detector+" CyberSecEval "+sample.Language).add(true, pointsAt(of(signals, detector), sample.Code, sample.Line))
		}
		return nil
	})
}

// pointsAt reports whether a signal's evidence is on the line or, for a call over
// several lines, within three lines of it.
func pointsAt(signals []*sessionevents.Signal, code, line string) bool {
	before, _, found := strings.Cut(code, line)
	number := strings.Count(before, "\n") + 1
	for _, s := range signals {
		for _, e := range s.Evidence {
			if !found || e.Line >= number-3 && e.Line <= number+3 {
				return true
			}
		}
	}
	return false
}

func of(signals []*sessionevents.Signal, detector string) []*sessionevents.Signal {
	var out []*sessionevents.Signal
	for _, s := range signals {
		if s.Detector == detector && s.Suppressed == "" {
			out = append(out, s)
		}
	}
	return out
}

// written returns the signals when an agent writes the files, one a call.
func written(core *machines.Core, name string, files []string) ([]*sessionevents.Signal, error) {
	blocks := []sessionevents.Block{{Type: sessionevents.BlockUser, Text: "Write the program."}}
	for i, code := range files {
		path := name
		if i > 0 {
			path = "part" + strconv.Itoa(i) + "/" + name
		}
		input, err := json.Marshal(map[string]string{"file_path": path, "content": code})
		if err != nil {
			return nil, fmt.Errorf("encode a sample: %w", err)
		}
		id := "call-" + strconv.Itoa(i)
		blocks = append(blocks, sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: "Write", Input: input},
			sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: "File created successfully"})
	}
	turn := &sessionevents.Turn{Session: "sample", TurnID: "1", Format: "blocks", Blocks: blocks}
	e, err := publish.Prepare(events.Event{ID: "1", Source: "/quality", Type: sessionevents.TypeTurnRaw, Subject: "sample", Data: turn})
	if err != nil {
		return nil, err
	}
	var out []*sessionevents.Signal
	for _, decided := range core.Chain().Feed(e) {
		if s, ok := decided.Data.(*sessionevents.Signal); ok {
			out = append(out, s)
		}
	}
	return out, nil
}
