package demo

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

//go:embed sources
var sourceFiles embed.FS

// sources are what four orchestrators write down themselves, read as it is: a plan of Scout-and-Wave, the
// context of a WorkRail pipeline, a log of ArcheFlow and of a Ralph loop.
var sources = []string{
	"plan/IMPL-label-export.yaml", "pipeline/stock-sync-context.json", "archeflow/events/login-limit.jsonl",
	"loop/ralph.log",
}

// Sources returns a run of each orchestrator as its own file is read, with nothing in between (IN-10 …
// IN-13), one list of events for each, timed from start: a plan with two owners of one file, a phase that
// hands nothing over, a shadow that is found three times in a cycle, a loop that is complete with an item open.
func Sources(start time.Time) ([][]events.Event, error) {
	list := make([][]events.Event, 0, len(sources))
	for i, name := range sources {
		told, err := readSource(name)
		if err != nil {
			return nil, fmt.Errorf("sample file %s: %w", name, err)
		}
		for k := range told {
			told[k].Time = start.Add(time.Duration(i)*time.Second + time.Duration(k)*15*time.Second).UTC()
		}
		list = append(list, told)
	}
	return list, nil
}

func readSource(name string) ([]events.Event, error) {
	data, err := fs.ReadFile(sourceFiles, path.Join("sources", name))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	folder := path.Dir(name)
	beside, err := fs.Sub(sourceFiles, path.Join("sources", path.Dir(folder)))
	if err != nil {
		return nil, fmt.Errorf("open its folder: %w", err)
	}
	source, err := agents.Formats().Open(
		bytes.NewReader(data),
		transcript.Options{Beside: beside, Here: path.Base(folder), Project: "depot"},
	)
	if err != nil {
		return nil, fmt.Errorf("recognise: %w", err)
	}
	var list []events.Event
	for {
		e, err := source.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read: %w", err)
		}
		list = append(list, e)
	}
	if problems, n := source.Problems(); n > 0 {
		return nil, fmt.Errorf("%d places were not read, first %s", n, problems[0])
	}
	return list, nil
}

// Add adds runs to the play.
func (p *Play) Add(runs [][]events.Event) {
	for _, list := range runs {
		p.Events = append(p.Events, list...)
		p.open[list[len(list)-1].ID] = true
	}
	slices.SortStableFunc(p.Events, func(a, b events.Event) int { return a.Time.Compare(b.Time) })
}
