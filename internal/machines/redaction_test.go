package machines

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// ids are the fields that subjects are built from: EV-3 checks them, and they
// stay as they are.
var ids = map[string]bool{"data.session": true, "data.run": true, "subject": true, "partitionkey": true, "correlationid": true}

// SW-7: whatever field of whatever input event holds a secret, no stage writes
// it: not in an event, not in a snapshot, not in the reason for passing it over.
func TestNoFieldOfAnyInputLeaks(t *testing.T) {
	core, err := New(Options{Rules: rules.Default()})
	require.NoError(t, err)
	g := secretstest.New(20)
	fields := 0
	for _, descriptor := range events.All() {
		if descriptor.Direction != events.DirectionInput {
			continue
		}
		example, err := os.ReadFile(filepath.Join("..", "..", "pkg", "events", "testdata", string(descriptor.Type)+".json"))
		require.NoError(t, err)
		var whole map[string]any
		require.NoError(t, json.Unmarshal(example, &whole))
		whole["data"].(map[string]any)["field_of_a_later_version"] = map[string]any{"deep": []any{"value"}}
		whole["laterextension"] = "value"
		for _, place := range places(whole, "") {
			if ids[place] || place == "specversion" || place == "type" || place == "time" || place == "datacontenttype" {
				continue
			}
			fields++
			secret := g.Provider("github")
			put(whole, place, secret, func() {
				for stage, text := range written(t, core, whole) {
					require.NotContains(t, text, secret, "%s, field %s, after %s", descriptor.Type, place, stage)
				}
			})
		}
	}
	require.Greater(t, fields, 300)
	t.Logf("%d fields", fields)
}

// written is all that the stages write about an event given as JSON, by stage.
func written(t *testing.T, core *Core, whole map[string]any) map[string]string {
	raw, err := json.Marshal(whole)
	require.NoError(t, err)
	ev, err := events.UnmarshalStructured(raw)
	if err != nil {
		return map[string]string{"decoding": err.Error()}
	}
	out := map[string]string{}
	in := []events.Event{ev}
	in, out["ingest"] = through(t, core.Ingest, core.Identity, in)
	in, out["evaluator"] = through(t, core.Evaluate, core.Identity, in)
	_, out["dispatcher"] = through(t, core.Dispatch, core.Identity, in)
	return out
}

// through runs events through a machine; the text holds what it writes: events,
// errors, its snapshot.
func through[S any](t *testing.T, m step.Machine[S], identity step.Identity, in []events.Event) ([]events.Event, string) {
	var out []events.Event
	var text strings.Builder
	for _, ev := range in {
		emitter := step.NewEmitter(m.Stage(), identity, ev)
		state, err := m.Step(m.New(ev.Group()), step.Input{Event: ev}, emitter)
		if err != nil {
			fmt.Fprintln(&text, err)
		}
		snapshot, err := m.Encode(state)
		require.NoError(t, err)
		text.Write(snapshot)
		out = append(out, emitter.Events()...)
	}
	for _, ev := range out {
		line, err := events.MarshalStructured(ev)
		require.NoError(t, err)
		text.Write(line)
	}
	return out, text.String()
}

// places names every string of a JSON value, in order.
func places(v any, at string) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{at}
	case []any:
		for i, item := range v {
			out = append(out, places(item, fmt.Sprintf("%s.%d", at, i))...)
		}
	case map[string]any:
		for key, item := range v {
			out = append(out, places(item, strings.TrimPrefix(at+"."+key, "."))...)
		}
		sort.Strings(out)
	}
	return out
}

// put sets the string at a place while f runs.
func put(v any, place, value string, f func()) {
	key, rest, deeper := strings.Cut(place, ".")
	switch v := v.(type) {
	case []any:
		var i int
		if _, err := fmt.Sscan(key, &i); err != nil {
			return
		}
		if deeper {
			put(v[i], rest, value, f)
			return
		}
		before := v[i]
		v[i] = value
		f()
		v[i] = before
	case map[string]any:
		if deeper {
			put(v[key], rest, value, f)
			return
		}
		before := v[key]
		v[key] = value
		f()
		v[key] = before
	}
}
