package obs

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// series counts the samples of all metrics, and the text of their labels.
func series(t *testing.T, r *prometheus.Registry) (n int, labels string) {
	t.Helper()
	families, err := r.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "scaffoldwatch_") {
			continue
		}
		for _, m := range family.GetMetric() {
			n++
			labels += m.String()
		}
	}
	return n, labels
}

// Whatever publishers, agents and people write, the number of series does not grow with
// it, and none of it is a label.
func TestHostileEventsMakeNoSeries(t *testing.T) {
	r := Registry("v", "r")
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	detectors := Detectors(rules.Default())
	observer, stage := StageObserver(r, "dispatcher", detectors, log, func(error) {})
	derived := observer.Listener()
	reader := NewReaderMetrics(r, log)
	hooks := NewHookMetrics(r, []string{"claude-code"}, []string{"stop"})
	preflight := NewPreflightMetrics(r, detectors)
	found := NewVitalsMetrics(r, topology.Topology{})
	var totals []InterruptTotal
	NewInterruptMetrics(r, detectors, func() []InterruptTotal { return totals })

	hostile := func(i int) {
		word := fmt.Sprintf("hostile-%d", i)
		for _, reason := range []string{
			fmt.Sprintf("ce-id %q is not usable", word), word, word + ": bad", "step panics at " + word, "type " + word + " on a subject of turn.raw",
			"event about " + word + " of group g on a subject of h in i", "what came in group " + word + " earlier expired", `nats subject "` + word + `": bad`,
			"derives an event that cannot be written: " + word,
		} {
			stage.DeadLettered(0, reason)
		}
		reader.Skipped(word, 0, word, 1)
		hooks.Answered(word, word, time.Millisecond, true, true)
		hooks.Failed(word)
		preflight.Answered(word, word, word, time.Millisecond)
		found.Found(vitals.Found{Streams: []vitals.Stream{{Name: "INPUT"}}, Faults: []vitals.Fault{
			{Kind: vitals.Kind(word), Stream: word}, {Kind: vitals.Kind(word + "x"), Stream: word + "x"},
		}})
		totals = append(totals, InterruptTotal{Detector: word, Outcome: word, Count: 1})
		derived([]events.Event{
			{Source: step.Source("ingest"), Data: &sessionevents.InputRefused{EventType: word, Code: word}},
			{Source: step.Source("dispatcher"), Type: events.Type("signal." + word), Data: &sessionevents.Disposition{Detector: word, Code: sessionevents.DispositionCode(word)}},
			{Source: step.Source("dispatcher"), Data: &sessionevents.InterruptQueued{Detector: word, Reason: sessionevents.QueueReason(word)}},
			{Source: step.Source("dispatcher"), Data: &sessionevents.InterruptFired{Detector: word, Layer: sessionevents.Layer(word)}},
			{Source: step.Source("dispatcher"), Data: &sessionevents.InterruptDelivery{State: sessionevents.DeliveryState(word)}},
		})
	}
	hostile(0)
	first, _ := series(t, r)
	for i := range 20_000 {
		hostile(i)
	}
	last, labels := series(t, r)
	require.Equal(t, first, last, "series made by what others write")
	require.NotContains(t, labels, "hostile")
	t.Logf("%d series", last)
}

// What is known keeps its name: a closed set must not swallow what it is for.
func TestLabelsKeepWhatIsKnown(t *testing.T) {
	set, err := rules.Load("house.yaml", []byte("userrules:\n  detectors:\n    - id: U-no-print\n"))
	require.NoError(t, err)
	known := Detectors(set)
	for _, id := range []string{"A1", "E5", "U-no-print", "RW-33", "WP-4", "PL-42"} {
		require.Contains(t, known, id)
	}
	for reason, kind := range map[string]string{
		"step panics at fold.go:3": "panic", "step exceeds its budget of 10s": "too_slow", "derives 901 events": "output",
		"ce-id: empty": "refused", "event about s of group g": "wrong_subject",
	} {
		require.Equal(t, kind, deadKind(reason))
	}
}
