package measure

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// ceilings bound how often a detector may speak on competent agents' sessions:
// signals that are not suppressed per 1000 turns, all of them and those that can
// reach the agent (urgency 2.0 and more). A detector without an entry is only shown.
var ceilings = map[string]struct{ all, heard float64 }{
	"B3": {all: 2, heard: 0},
	"A3": {all: 3, heard: 1.5},
	"A1": {all: 6, heard: 4},
	"A2": {all: 3, heard: 2},
	"B2": {all: 1, heard: 0.5},
	"C1": {all: 20, heard: 0},
	"C2": {all: 3, heard: 1},
	"C3": {all: 6, heard: 1},
	"D3": {all: 35, heard: 1.5},
	"C4": {all: 12, heard: 8},
	"D1": {all: 6, heard: 0.5},
	"D2": {all: 12, heard: 6},
}

// failing is the folder of sessions in which most agents failed: loops are expected there, so it does not
// count towards the ceiling.
const failing = "terminal-bench"

// Signals on the transcripts of competent sessions, by detector. SCAFFOLDWATCH_SHOW=C1,D2 (or `all`)
// with -v prints each with its evidence.
func TestSignalsOnTranscripts(t *testing.T) {
	paths, err := Transcripts(shareddata.Require(t))
	require.NoError(t, err)
	evaluator, err := NewEvaluator(all.Detectors(), rules.Default())
	require.NoError(t, err)
	files, turns := 0, 0
	fired := map[string][]Fired{}
	for _, path := range paths {
		if filepath.Base(filepath.Dir(path)) == failing {
			continue
		}
		signals, n, err := evaluator.File(path)
		require.NoError(t, err, path)
		files, turns = files+1, turns+n
		for _, f := range signals {
			fired[f.Signal.Detector] = append(fired[f.Signal.Detector], f)
		}
	}
	t.Logf("%d files, %d turns", files, turns)
	for _, d := range all.Detectors() {
		report(t, d.ID, fired[d.ID], turns)
	}
}

func report(t *testing.T, id string, fired []Fired, turns int) {
	t.Helper()
	sent, heard := 0, 0
	for _, f := range fired {
		if f.Signal.Suppressed == "" {
			sent++
			if f.Signal.Urgency >= 20 || f.Signal.Escalate {
				heard++
			}
		}
		if show := os.Getenv("SCAFFOLDWATCH_SHOW"); show == "all" || strings.Contains(show, id) {
			t.Log(describe(f))
		}
	}
	perThousand := func(n int) float64 { return 1000 * float64(n) / float64(turns) }
	t.Logf("%s: %d signals, %d not suppressed (%.2f per 1000 turns), %d of 2.0 and more (%.2f)",
		id, len(fired), sent, perThousand(sent), heard, perThousand(heard))
	if limit, ok := ceilings[id]; ok {
		require.LessOrEqual(t, perThousand(sent), limit.all, "%s speaks too often on competent sessions", id)
		require.LessOrEqual(t, perThousand(heard), limit.heard, "%s interrupts too often on competent sessions", id)
	}
}

func describe(f Fired) string {
	var b strings.Builder
	s := f.Signal
	b.WriteString(f.File + " turn " + strconv.Itoa(s.Turn) + " " + s.Detector + "/" + s.Subclass + " u=" + s.Urgency.String() + " " + s.Subject)
	if s.Suppressed != "" {
		b.WriteString(" (suppressed: " + s.Suppressed + ")")
	}
	b.WriteString("\n    " + s.Message)
	for _, e := range s.Evidence {
		b.WriteString("\n    " + string(e.Kind) + " " + e.Path + " " + strings.ReplaceAll(e.Quote, "\n", "⏎") + earlier(e.ConflictsWith))
	}
	return b.String()
}

func earlier(c *sessionevents.EarlierEvent) string {
	if c == nil {
		return ""
	}
	return "  ← turn " + strconv.Itoa(c.Turn) + " " + c.Path + " " + c.What
}
