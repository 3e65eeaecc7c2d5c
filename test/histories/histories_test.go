package histories

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

var (
	update = flag.Bool("update", false, "renew what the stages derive in every history")
	name   = flag.String("record", "", "record a new history of today's sample fleet under this name")
)

const renew = `this build decides otherwise than the recorded history. If that is what you want:
  go test -tags gore2regex ./test/histories -update
and write a line into CHANGELOG.md that says what changes for users.`

func newCore(t *testing.T, set *rules.Set) *machines.Core {
	t.Helper()
	core, err := machines.New(machines.Options{Rules: set, IdleTimeout: config.Default().Session.IdleTimeout})
	require.NoError(t, err)
	return core
}

func paths(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("testdata/*.jsonl.zst")
	require.NoError(t, err)
	require.NotEmpty(t, found)
	return found
}

// AU-13: every history replays to the byte.
func TestHistoriesReplay(t *testing.T) {
	core := newCore(t, rules.Default())
	if *name != "" {
		fleet, err := Fleet()
		require.NoError(t, err)
		save(t, core, fleet, filepath.Join("testdata", *name+".jsonl.zst"))
	}
	for _, path := range paths(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl.zst"), func(t *testing.T) {
			h, err := Load(path)
			require.NoError(t, err)
			stages, err := Replay(context.Background(), core, h)
			require.NoError(t, err)
			list, err := os.ReadFile(listOf(path))
			switch shown := h.Show(stages); {
			case *update && (shown != "" || err != nil):
				published, err := h.Input()
				require.NoError(t, err)
				t.Logf("renewed. What changed, of each session and run the first difference:\n%s\nCHANGELOG.md needs a line that says what changes for users.", shown)
				save(t, core, published, path)
			case shown != "":
				if h.Identity != core.Identity {
					shown += "The rules changed too: recorded under rules " + h.Identity.RulesVersion + ", now " + core.Identity.RulesVersion + "\n"
				}
				t.Fatalf("%s\n%s", shown, renew)
			default:
				require.NoError(t, err)
				seen, err := h.Seen()
				require.NoError(t, err)
				require.Equal(t, string(list), seen, "%s is stale: %s", listOf(path), renew)
				for _, s := range stages {
					require.Positive(t, s.Result.Same, s.Name)
					require.Empty(t, s.Result.Other, s.Name)
				}
			}
		})
	}
}

func listOf(path string) string { return strings.TrimSuffix(path, ".jsonl.zst") + ".txt" }

// maxBytes keeps histories small.
const maxBytes = 100_000

// save derives and writes a history.
func save(t *testing.T, core *machines.Core, published []events.Event, path string) {
	t.Helper()
	h, err := Record(core, published)
	require.NoError(t, err)
	size, err := h.Save(path)
	require.NoError(t, err)
	require.Less(t, size, maxBytes)
	seen, err := h.Seen()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(listOf(path), []byte(seen), 0o644))
	t.Logf("%s: %d bytes, %d messages of INPUT, %d of SEGMENTS, %d of SIGNALS, %d of DECISIONS", path, size, len(h.Streams[events.StreamInput]),
		len(h.Streams[events.StreamSegments]), len(h.Streams[events.StreamSignals]), len(h.Streams[events.StreamDecisions]))
}

// Without an input that changed: a history of what is published now replays, also after
// it went through a file, and the file does not hold the planted secret (SW-7).
func TestARecordedHistoryReplays(t *testing.T) {
	core := newCore(t, rules.Default())
	fleet, err := Fleet()
	require.NoError(t, err)
	h, err := Record(core, fleet)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "new.jsonl.zst")
	_, err = h.Save(path)
	require.NoError(t, err)
	again, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, h, again)
	stages, err := Replay(context.Background(), core, again)
	require.NoError(t, err)
	require.Empty(t, again.Show(stages))
	secret := []byte(demo.PlantSecrets(planted))
	for stream, messages := range h.Streams {
		held := false
		for _, m := range messages {
			held = held || bytes.Contains(m.Data, secret)
		}
		require.Equal(t, stream == events.StreamInput, held, "only INPUT holds the secret: %s", stream)
	}
}

// A changed rule that decides otherwise is found, in the stage that decides it, with its
// cause and both values; a changed rule that decides the same is not.
func TestAChangedRuleIsFound(t *testing.T) {
	h, err := Load(paths(t)[0])
	require.NoError(t, err)
	changed := func(text string) (string, map[string]engine.Rederived) {
		set, err := rules.Load("changed.yaml", []byte(text))
		require.NoError(t, err)
		stages, err := Replay(context.Background(), newCore(t, set), h)
		require.NoError(t, err)
		by := map[string]engine.Rederived{}
		for _, s := range stages {
			by[s.Name] = s.Result
		}
		return h.Show(stages), by
	}
	shown, by := changed("dispatch: {cooldown_turns: 6, thresholds: {fire: 4.9}}")
	require.Empty(t, by["ingest"].First)
	require.Empty(t, by["evaluator"].First)
	require.NotEmpty(t, by["dispatcher"].First, "interrupts are the dispatcher's")
	require.Contains(t, shown, "dispatcher decides")
	require.Contains(t, shown, "caused by: turn.evaluated")
	require.Regexp(t, `interrupt\.(?:queued|fired)|signal\.expired`, shown)

	shown, _ = changed("dispatch: {budget: 2}")
	require.Contains(t, shown, "differs in data.budget.")
	require.Contains(t, shown, "+++ derived")

	shown, by = changed("userrules: {detectors: [{id: U-always, title: T, class: A, on: turn, when: 'true', message: Look., cost: 1, p: 0.5, confidence: 0.5}]}")
	require.NotEmpty(t, by["evaluator"].First, "signals are the evaluator's")
	require.Contains(t, shown, "evaluator decides")

	shown, _ = changed("userrules: {detectors: [{id: U-never, title: T, class: A, on: turn, when: 'false', message: Look., cost: 1, p: 0.5, confidence: 0.5}]}")
	require.Empty(t, shown, "another rules version that decides the same")
}
