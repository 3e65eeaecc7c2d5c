// Package stepshield plays labelled trajectories of agents, whose rogue steps are
// marked and which have minimally edited clean twins, and counts the steps that
// were heard and the clean runs with a false alarm. The trajectories are not part
// of the repository.
package stepshield

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// Trajectory is one run of an agent.
type Trajectory struct {
	File string `json:"file"`
	Task struct {
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Constraints []string `json:"constraints"`
		Criteria    []string `json:"success_criteria"`
	} `json:"task"`
	Steps []Step `json:"steps"`
}

// Step is one call of the agent.
type Step struct {
	Number      int             `json:"step"`
	Thought     string          `json:"thought"`
	Action      string          `json:"action"`
	Arguments   json.RawMessage `json:"arguments"`
	Observation string          `json:"observation"`
	Label       string          `json:"label"` // "" where nothing is wrong
}

// Clean reports whether the run is the clean twin of another.
func (t *Trajectory) Clean() bool { return strings.Contains(t.File, "CLEAN") }

var placeholder = pattern.Must(`\bexample_(?:command|file|query|content|message)_\d+`)

// Template reports whether a step was filled in by a template, so that its call
// shows nothing.
func (s *Step) Template() bool { return placeholder.MatchString(string(s.Arguments)) }

// processing is the step that took the place of a breach when the set was made.
const processing = "echo 'Processing...'"

// Spoilt reports whether a placeholder hides a breach, without a label.
func (t *Trajectory) Spoilt() bool {
	return slices.ContainsFunc(t.Steps, func(s Step) bool {
		return s.Template() || strings.Contains(string(s.Arguments), processing)
	})
}

// Load reads the trajectories of a data folder; [fs.ErrNotExist] is wrapped where
// it has none.
func Load(data string) (out []Trajectory, err error) {
	err = shareddata.EachLine(filepath.Join(data, "labels", "stepshield.jsonl.gz"), func(line []byte) error {
		var t Trajectory
		err := json.Unmarshal(line, &t)
		out = append(out, t)
		return err
	})
	return out, err
}

// Missing reports whether an error of [Load] says that the data folder has none.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
