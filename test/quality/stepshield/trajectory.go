// Package stepshield plays labelled trajectories of agents, whose rogue steps are
// marked and which have minimally edited clean twins, and counts the steps that
// were heard and the clean runs with a false alarm. The trajectories are not part
// of the repository.
package stepshield

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
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

// Load reads the trajectories of a data folder; [fs.ErrNotExist] is wrapped where
// it has none.
func Load(data string) ([]Trajectory, error) {
	path := filepath.Join(data, "labels", "stepshield.jsonl.gz")
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the trajectories: %w", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("read the trajectories: %w", err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 8<<20)
	var out []Trajectory
	for lines.Scan() {
		var t Trajectory
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("read trajectory %d: %w", len(out)+1, err)
		}
		out = append(out, t)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the trajectories: %w", err)
	}
	return out, nil
}

// Missing reports whether an error of [Load] says that the data folder has none.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
