package wordings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// wording is one case: turns of blocks, [user, text], [say, text], [write, path, text],
// [read, path, text], [edit, path, old, new], [run, command, output]. "{+}" joins the parts of
// values that must not stand in a file in one piece.
type wording struct {
	Name   string
	Task   string
	Opened map[string]any
	Turns  [][][]string
	Missed string // why it does not hold yet: the case is to hold one day
	Want   struct {
		Said   string // detectors, "A1|A3", of which one signals with the urgency From at least
		Silent string // detectors of which none does
		From   float64
		Fire   string // a detector that interrupts at once, not from the queue
		Quiet  string // one that does not
	}
}

// begun is how each session starts before its case, past the priming turns (SW-41).
var begun = [][][]string{
	{{"say", "The shelf first."}, {
		"write", "src/desk/shelf.ts",
		"const shelf = new Map<string, Book>();\n\nexport function putBook(book: Book) {\n  shelf.set(book.id, book);\n}\n",
	}},
	{{"say", "The book."}, {"write", "src/desk/book.ts", "export interface Book {\n  id: string;\n  title: string;\n}\n"}},
	{{"run", "npx jest", "Tests: 4 passed, 4 total"}},
}

// ended is how each session continues and ends after its case.
var ended = [][][]string{
	{{"run", "npx jest --silent", "Tests: 6 passed, 6 total"}},
	{{"say", "The desk lends and shows."}},
}

// TestWordings covers A1, A2, A3, B1, D2 and SW-13a.
func TestWordings(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	list := casesIn[wording](t, "testdata/*.yaml")
	for i := range list {
		t.Run(list[i].Name, func(t *testing.T) {
			fault := judge(t, &list[i], played(t, core, &list[i]))
			if why := list[i].Missed; why != "" {
				require.NotEmpty(t, fault, "it is heard now: take the mark off")
				t.Skip("missed: " + why)
			}
			require.Empty(t, fault)
		})
	}
}

// casesIn reads the cases of some files.
func casesIn[T any](t *testing.T, files string) (all []T) {
	t.Helper()
	paths, err := filepath.Glob(files)
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var list []T
		require.NoError(t, yaml.Unmarshal(data, &list), path)
		require.NotEmpty(t, list, path)
		all = append(all, list...)
	}
	return all
}

// judge says how a case does not hold, "" if it does.
func judge(t *testing.T, w *wording, all []events.Event) string {
	t.Helper()
	require.NotZero(t, w.Want.Said+w.Want.Silent+w.Want.Fire+w.Want.Quiet, "the case wants nothing")
	var said, fired []string
	for _, e := range all {
		switch d := e.Data.(type) {
		case *sessionevents.Signal:
			require.Empty(t, detect.Faults(d.Message), d.Message)
			require.NotContains(t, d.Message, `""`, "a sentence is whole (JD-40)")
			if d.Suppressed == "" && d.Urgency >= sessionevents.Urgency(w.Want.From*10) {
				said = append(said, d.Detector)
			}
		case *sessionevents.InterruptFired:
			if !d.FromQueue {
				fired = append(fired, d.Detector)
			}
		}
	}
	anyOf := func(list []string, detectors string) bool {
		return slices.ContainsFunc(strings.Split(detectors, "|"), func(d string) bool { return slices.Contains(list, d) })
	}
	switch {
	case w.Want.Said != "" && !anyOf(said, w.Want.Said):
		return fmt.Sprintf("wants %s from %.1f, has %v", w.Want.Said, w.Want.From, said)
	case w.Want.Silent != "" && anyOf(said, w.Want.Silent):
		return fmt.Sprintf("wants nothing of %s from %.1f, has %v", w.Want.Silent, w.Want.From, said)
	case w.Want.Fire != "" && !anyOf(fired, w.Want.Fire):
		return fmt.Sprintf("wants %s at once, has %v", w.Want.Fire, fired)
	case w.Want.Quiet != "" && anyOf(fired, w.Want.Quiet):
		return fmt.Sprintf("wants no %s at once", w.Want.Quiet)
	}
	return ""
}

// played returns what the stages derive from a case.
func played(t *testing.T, core *machines.Core, w *wording) []events.Event {
	t.Helper()
	return fed(t, core, w.events(t))
}

// fed returns what is decided about events, as lines of CloudEvents.
func fed(t *testing.T, core *machines.Core, lines [][]byte) []events.Event {
	t.Helper()
	var out []events.Event
	chain := core.Chain()
	chain.Folded = func(stage string, _ events.Event, derived []events.Event, fault string) {
		require.Empty(t, fault)
		for _, made := range derived {
			if made.Source == step.Source(stage) {
				out = append(out, made)
			}
		}
	}
	for _, text := range lines {
		e, err := events.UnmarshalStructured(text)
		require.NoError(t, err)
		input, err := publish.Prepare(e)
		require.NoError(t, err)
		input.Raw, err = events.EncodeData(input)
		require.NoError(t, err)
		chain.Feed(input)
	}
	return out
}

// events returns those of the case, as a publisher sends them.
func (w *wording) events(t *testing.T) [][]byte {
	t.Helper()
	session := strings.NewReplacer("/", "-", "_", "-").Replace(w.Name)
	agent := map[string]any{"id": "a", "kind": "claude-code"}
	var out [][]byte
	add := func(kind events.Type, data map[string]any) {
		data["session"] = session
		text, err := json.Marshal(map[string]any{
			"specversion": "1.0", "id": fmt.Sprintf("w%d", len(out)+1), "source": "/wordings", "type": kind, "subject": session,
			"time": fmt.Sprintf("2026-03-01T09:%02d:00Z", len(out)), "datacontenttype": "application/json", "data": data,
		})
		require.NoError(t, err)
		out = append(out, text)
	}
	opened := map[string]any{"task": w.Task, "agent": agent}
	for key, value := range w.Opened {
		opened[key] = value
	}
	add(sessionevents.TypeSessionOpened, opened)
	turns := slices.Concat(w.Turns, ended)
	if !strings.HasPrefix(w.Name, "creep/") { // whose cases begin themselves
		turns = slices.Concat(begun, turns)
	}
	for i, turn := range turns {
		var blocks []map[string]any
		if i == 0 {
			blocks = append(blocks, map[string]any{"type": "user", "text": w.Task})
		}
		for k, b := range turn {
			blocks = append(blocks, block(t, b, fmt.Sprintf("c%d_%d", i, k))...)
		}
		stop := "tool_use"
		if i == len(turns)-1 {
			stop = "end_turn"
		}
		add(sessionevents.TypeTurnRaw, map[string]any{
			"turn_id": fmt.Sprintf("%s-%d", session, i+1), "agent": agent,
			"format": "blocks", "blocks": blocks, "stop_reason": stop,
		})
	}
	add(sessionevents.TypeSessionClosed, map[string]any{"reason": "done"})
	return out
}

// block returns one entry of a turn, a call with its result.
func block(t *testing.T, b []string, id string) []map[string]any {
	t.Helper()
	part := func(i int) string {
		if i >= len(b) {
			return ""
		}
		return strings.ReplaceAll(b[i], "{+}", "")
	}
	call := func(name string, input map[string]any, output string, more map[string]any) []map[string]any {
		result := map[string]any{"type": "tool_result", "output": output, "id": id}
		for key, value := range more {
			result[key] = value
		}
		return []map[string]any{{"type": "tool_call", "name": name, "input": input, "id": id}, result}
	}
	switch b[0] {
	case "user":
		return []map[string]any{{"type": "user", "text": part(1)}}
	case "say":
		return []map[string]any{{"type": "text", "text": part(1)}}
	case "write":
		return call("Write", map[string]any{"file_path": part(1), "content": part(2)},
			"File created successfully at: "+part(1), nil)
	case "edit":
		return call("Edit", map[string]any{"file_path": part(1), "old_string": part(2), "new_string": part(3)},
			"The file "+part(1)+" has been updated.", nil)
	case "read":
		var numbered []string
		for n, line := range strings.Split(strings.TrimRight(part(2), "\n"), "\n") {
			numbered = append(numbered, fmt.Sprintf("%6d\t%s", n+1, line))
		}
		return call("Read", map[string]any{"file_path": part(1)}, strings.Join(numbered, "\n"), nil)
	case "run":
		return call("Bash", map[string]any{"command": part(1)}, part(2), map[string]any{"exit_code": 0})
	}
	t.Fatalf("no such block: %q", b[0])
	return nil
}
