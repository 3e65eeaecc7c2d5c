// Package demo is the sample fleet of `scaffoldwatch up --demo`, written for this project: sessions with a
// planted secret, re-reads, scope creep, raw SQL that bypasses the project's data layer, an injection and a
// stuck loop, and two clean ones; runs with a loop that fails, a rogue maker and an empty branch, and a
// clean one.
package demo

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

//go:embed fleet/*.yaml
var files embed.FS

// source is the CloudEvents source of the fleet's events.
const source = "/scaffoldwatch/demo"

type session struct {
	Session   string              `yaml:"session"`
	Agent     sessionevents.Agent `yaml:"agent"`
	Workspace string              `yaml:"workspace"`
	// Conventions are sent in session.opened, in the form that `scaffoldwatch index` prints.
	Conventions []sessionevents.Convention `yaml:"conventions"`
	Turns       []turn                     `yaml:"turns"`
	Closed      string                     `yaml:"closed"`
}

type turn struct {
	User     string `yaml:"user"`
	Text     string `yaml:"text"`
	Markdown string `yaml:"markdown"`
	Calls    []call `yaml:"calls"`
}

type call struct {
	Tool     string         `yaml:"tool"`
	Input    map[string]any `yaml:"input"`
	Output   string         `yaml:"output"`
	ExitCode *int           `yaml:"exit_code"`
}

// Sessions returns the fleet, one list of events for each session, timed from start: the sessions run
// concurrently, with a turn every thirty seconds.
func Sessions(start time.Time) ([][]events.Event, error) {
	paths, err := fs.Glob(files, "fleet/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the sample fleet: %w", err)
	}
	fleet := make([][]events.Event, 0, len(paths))
	for i, path := range paths {
		data, err := files.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the sample fleet: %w", err)
		}
		var s session
		if err := yaml.Unmarshal([]byte(PlantSecrets(string(data))), &s); err != nil {
			return nil, fmt.Errorf("sample session %s: %w", path, err)
		}
		list, err := s.events(start.Add(time.Duration(i) * time.Second))
		if err != nil {
			return nil, fmt.Errorf("sample session %s: %w", path, err)
		}
		fleet = append(fleet, list)
	}
	return fleet, nil
}

func (s session) events(at time.Time) ([]events.Event, error) {
	agent := s.Agent
	list := []events.Event{s.event(sessionevents.TypeSessionOpened, "opened", at,
		&sessionevents.SessionOpened{Session: s.Session, Agent: &agent, Workspace: s.Workspace, Conventions: s.Conventions})}
	for i, t := range s.Turns {
		raw, err := t.event(s.Session, agent, i+1)
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		list = append(list, s.event(sessionevents.TypeTurnRaw, raw.TurnID, at.Add(time.Duration(i+1)*30*time.Second), raw))
	}
	return append(list, s.event(sessionevents.TypeSessionClosed, "closed", at.Add(time.Duration(len(s.Turns)+1)*30*time.Second),
		&sessionevents.SessionClosed{Session: s.Session, Reason: s.Closed})), nil
}

func (s session) event(typ events.Type, id string, at time.Time, data any) events.Event {
	return events.Event{ID: s.Session + "-" + id, Source: source, Type: typ, Subject: s.Session, Time: at.UTC(), Data: data}
}

func (t turn) event(session string, agent sessionevents.Agent, number int) (*sessionevents.Turn, error) {
	raw := &sessionevents.Turn{Session: session, TurnID: fmt.Sprintf("turn-%d", number), Agent: agent, Format: "blocks"}
	if t.User != "" {
		raw.Blocks = append(raw.Blocks, sessionevents.Block{Type: sessionevents.BlockUser, Text: t.User})
	}
	if t.Markdown != "" {
		raw.Format, raw.Text = "markdown", t.Markdown
		return raw, nil
	}
	raw.Blocks = append(raw.Blocks, sessionevents.Block{Type: sessionevents.BlockText, Text: t.Text})
	for i, c := range t.Calls {
		input, err := json.Marshal(c.Input)
		if err != nil {
			return nil, fmt.Errorf("input of %s: %w", c.Tool, err)
		}
		id := fmt.Sprintf("call-%d-%d", number, i+1)
		raw.Blocks = append(raw.Blocks,
			sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: c.Tool, Input: input},
			sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: c.Output, ExitCode: c.ExitCode})
	}
	return raw, nil
}

// PlantSecrets fills the placeholders of planted secrets, {{stripe_key}}. The value is assembled here, so
// that the project's files contain no secret (SW-7).
func PlantSecrets(text string) string {
	key := strings.Join([]string{"sk", "live", "4eC39HqLyjWDarjt" + "T1zdp7dcQ8vNm2Kx"}, "_")
	return strings.ReplaceAll(text, "{{stripe_key}}", key)
}

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
