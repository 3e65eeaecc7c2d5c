package demo

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

//go:embed runs/*.yaml
var runFiles embed.FS

type run struct {
	Run    string        `yaml:"run"`
	Every  time.Duration `yaml:"every"` // interval between two events
	Events []runEvent    `yaml:"events"`
}

type runEvent struct {
	Type events.Type    `yaml:"type"`
	By   string         `yaml:"by"` // the actor's kind
	Data map[string]any `yaml:"data"`
}

// Runs returns the runs of the fleet, one list of events for each run, timed from start: a loop that fails
// until it is halted, a maker that heeds a correction, a wave whose merge is denied, and a clean one.
func Runs(start time.Time) ([][]events.Event, error) {
	paths, err := fs.Glob(runFiles, "runs/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the sample runs: %w", err)
	}
	list := make([][]events.Event, 0, len(paths))
	for i, path := range paths {
		data, err := runFiles.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the sample runs: %w", err)
		}
		var r run
		if err := yaml.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("sample run %s: %w", path, err)
		}
		told, err := r.told(start.Add(time.Duration(i) * time.Second))
		if err != nil {
			return nil, fmt.Errorf("sample run %s: %w", path, err)
		}
		list = append(list, told)
	}
	return list, nil
}

func (r run) told(at time.Time) ([]events.Event, error) {
	list := make([]events.Event, 0, len(r.Events))
	for i, e := range r.Events {
		e.Data["actor"] = map[string]any{"kind": e.By}
		text, err := json.Marshal(e.Data)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i+1, err)
		}
		data, err := events.DecodeData(e.Type, text)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i+1, err)
		}
		list = append(list, events.Event{
			ID: fmt.Sprintf("%s-%d", r.Run, i+1), Source: source, Type: e.Type, Subject: r.Run, Correlation: r.Run,
			Time: at.Add(time.Duration(i) * r.Every).UTC(), Data: data,
		})
	}
	return list, nil
}
