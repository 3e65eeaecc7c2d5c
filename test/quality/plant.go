package main

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// plantFiles hold faults and near misses, a file a detector. The first set was
// written from the specification before the detectors' code and data were read.
// After its first run three of its files were corrected where the plant, not the
// detector, was wrong: D3 (no request stood before the reads, so that the host's
// own question excused them), C2 (the third rebuild was the second), A3 (a name).
// The second set was written after most detectors had been read and fixed: it is
// not blind, and its figures are the kinder ones.
// E1 to E3 were added to the first set before their code was read, but after labelled
// examples were; in E1 the plants were corrected where the host, not the detector, was
// the reason: a thought claims nothing, and a suite with build tags is not run whole.
//
//go:embed plants
var plantFiles embed.FS

// What the specification expects of a plant.
const (
	expectHeard   = "heard"   // a signal of urgency 2.0 or more
	expectLog     = "log"     // a signal of any urgency
	expectQuiet   = "quiet"   // near miss: nothing above LOG
	expectNothing = "nothing" // near miss: no signal at all
)

// plant is one fault, or one near miss, that is put into real sessions.
type plant struct {
	set, detector string

	Name string `yaml:"name"`
	// Expect is what the specification expects.
	Expect string `yaml:"expect"`
	// Language of the sessions it fits in; "" for any.
	Language string `yaml:"language"`
	// Style of the sessions it fits in: claude, codex, miniswe, gemini; "" for any.
	Style string `yaml:"style"`
	// Subject must occur in the signal's subject, message or evidence.
	Subject string `yaml:"subject"`
	// Needs is a function that the session has read before.
	Needs bool `yaml:"needs_function"`
	// Code stands for one turn that writes it to File.
	Code string `yaml:"code"`
	File string `yaml:"file"`
	Say  string `yaml:"say"`
	// Turns in order; their texts are templates of a host.
	Turns []plantTurn `yaml:"turns"`
}

// plantTurn is one turn, or several turns that are repeated.
type plantTurn struct {
	User   string      `yaml:"user"`
	Think  string      `yaml:"think"`
	Say    string      `yaml:"say"`
	Acts   []act       `yaml:"do"`
	Repeat int         `yaml:"repeat"`
	Turns  []plantTurn `yaml:"turns"`
}

// act is one tool call with its result; one of the first group is set.
type act struct {
	Read   string `yaml:"read"`
	Search string `yaml:"search"`
	Write  string `yaml:"write"`
	Edit   string `yaml:"edit"`
	Run    string `yaml:"run"`
	Fetch  string `yaml:"fetch"`

	In     string `yaml:"in"`     // folder of a search
	Text   string `yaml:"text"`   // content written
	Old    string `yaml:"old"`    // what an edit replaces
	New    string `yaml:"new"`    // what it is replaced by
	Output string `yaml:"output"` // what the tool says
	Exit   int    `yaml:"exit"`
}

func (p *plant) fault() bool { return p.Expect == expectHeard || p.Expect == expectLog }

// loadPlants reads every set.
func loadPlants() ([]*plant, error) {
	paths, err := fs.Glob(plantFiles, "plants/*/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list plants: %w", err)
	}
	var out []*plant
	for _, path := range paths {
		data, err := plantFiles.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read plants: %w", err)
		}
		decoder := yaml.NewDecoder(strings.NewReader(string(data)))
		decoder.KnownFields(true)
		var list []*plant
		if err := decoder.Decode(&list); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		parts := strings.Split(path, "/")
		for _, p := range list {
			p.set, p.detector = parts[1], strings.TrimSuffix(parts[2], ".yaml")
			if !slices.Contains([]string{expectHeard, expectLog, expectQuiet, expectNothing}, p.Expect) {
				return nil, fmt.Errorf("%s: plant %q expects %q", path, p.Name, p.Expect)
			}
			if p.Code != "" {
				p.Turns = append(p.Turns, plantTurn{Say: p.Say, Acts: []act{{Write: p.File, Text: p.Code}}})
			}
		}
		out = append(out, list...)
	}
	return out, nil
}

// flat unrolls what is repeated.
func flat(turns []plantTurn) []plantTurn {
	var out []plantTurn
	for _, t := range turns {
		body := []plantTurn{t}
		if len(t.Turns) > 0 {
			body = flat(t.Turns)
		}
		for range max(t.Repeat, 1) {
			out = append(out, body...)
		}
	}
	return out
}
