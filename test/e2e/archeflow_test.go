package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// archeflow writes lines of a log: TYPE PHASE AGENT DATA.
func archeflow(run string, lines ...string) string {
	var out strings.Builder
	for i, l := range lines {
		part := strings.SplitN(l, " ", 4)
		fmt.Fprintf(&out, `{"ts":"2026-03-02T09:%02d:00+02:00","run_id":%q,"seq":%d,"parent":[%d],"type":%q,"phase":%q,"agent":%q,"data":%s}`+"\n",
			3*i, run, i+1, i, part[0], part[1], strings.Trim(part[2], "-"), part[3])
	}
	return out.String()
}

const (
	begins = `run.start plan - {"task":"limit logins","workflow":"standard","budget_usd":1}`
	failsA = `agent.failed do maker {"archetype":"maker","reason":"crashed"}`
	timesA = `agent.timeout do maker {"archetype":"maker"}`
	doesA  = `agent.complete do creator {"archetype":"creator"}`
	endsA  = `run.complete act - {"status":"merged"}`
)

func back(cycle int) string {
	return fmt.Sprintf(`cycle.boundary act - {"cycle":%d,"decision":"cycle_back"}`, cycle)
}

func costs(usd string) string {
	return `agent.complete do creator {"archetype":"creator","estimated_cost_usd":` + usd + `}`
}

func quick(reviewer string, ms int) []string {
	return []string{
		fmt.Sprintf(`agent.complete check %s {"archetype":%q,"duration_ms":%d}`, reviewer, reviewer, ms),
		fmt.Sprintf(`review.verdict check %s {"archetype":%q,"verdict":"APPROVED","findings":[]}`, reviewer, reviewer),
	}
}

func found(ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"id":%q,"file":"a.go","category":"quality","severity":"WARNING","description":"%s is not handled"}`, id, id))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// sick and well are runs as ArcheFlow records them, with the breaks and corrections expected of them, each
// once.
var sickAndWell = []struct {
	run      string
	lines    []string
	findings []string // of each cycle
	told     string   // triggers and issues
}{
	{"failing", []string{begins, failsA, timesA, failsA, failsA}, nil, "agent_failures"},
	{"almost-failing", []string{begins, failsA, timesA, doesA, failsA, timesA, endsA}, nil, ""},
	{"broke", []string{begins, costs(`"$0.40"`), costs(`0.45`), costs(`"0.2"`)}, nil, "budget_exhausted"},
	{"thrifty", []string{begins, costs(`0.2`), costs(`0.2`), endsA}, nil, ""},
	{"oscillating", []string{begins, back(1), back(2), back(3)}, []string{found("a", "b", "c"), found("c", "d"), found("a", "b", "d")}, "oscillating_findings"},
	{"one-comes-back", []string{begins, back(1), back(2), back(3)}, []string{found("a", "b"), found("b", "c"), found("a")}, ""},
	{"the-same", []string{begins, back(1), back(2)}, []string{found("a", "b"), found("b", "a")}, "identical_findings"},
	{"nothing-twice", []string{begins, back(1), back(2), endsA}, []string{"[]", "[]"}, ""},
	{"growing", []string{begins, back(1), back(2), back(3)}, []string{found("a"), found("b", "c"), found("a", "c", "d", "e")}, "growing_findings"},
	{"grown-once", []string{begins, back(1), back(2)}, []string{found("a"), found("b", "c")}, ""},
	{"hasty", slices.Concat([]string{begins}, quick("guardian", 20_000), quick("sage", 29_000), []string{endsA}), nil, "echo_chamber"},
	{"careful", slices.Concat([]string{begins}, quick("guardian", 20_000), quick("sage", 31_000), []string{endsA}), nil, ""},
	{"reverted", []string{begins, `run.merged act - {"sha":"abc1234"}`, `decision act - {"what":"post_merge_test","chosen":"revert","sha":"abc1234"}`}, nil, "broken_suite"},
	{"unreadable", []string{begins, back(1), back(2)}, []string{"[{", found("a")}, ""},
	{"bare", []string{begins, back(1), back(2), endsA}, nil, ""},
}

// Every run is judged as it deserves, and `publish` of the same logs into a
// running system leads to the very decisions of `scan` (EV-2).
func TestArcheFlowRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	folder, want := filepath.Join(l.folder, ".archeflow"), map[string]string{}
	for _, c := range sickAndWell {
		appendTo(t, filepath.Join(folder, "events", c.run+".jsonl"), archeflow(c.run, c.lines...))
		for i, text := range c.findings {
			appendTo(t, filepath.Join(folder, "artifacts", c.run, fmt.Sprintf("findings-cycle-%d.json", i+1)), text)
		}
		if c.told != "" {
			want[c.run] = c.told
		}
	}
	appendTo(t, filepath.Join(folder, "events", "bare.jsonl"), `{"ts":"2026-03-02T10:00:00Z","run_id":"bare","se`)
	binary := filepath.Join(l.bin, "scaffoldwatch")
	cmd := l.command("scan", binary, "scan", "--output", "jsonl", folder)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &problems)

	told, ids := map[string]string{}, []string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var e struct {
			ID, Type, Subject string
			Data              struct{ Trigger, Issue string }
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		switch events.Type(e.Type) {
		case runevents.TypeWiggumBreak:
			told[e.Subject] += e.Data.Trigger
		case runevents.TypeCorrectionIssued:
			told[e.Subject] += strings.TrimPrefix(e.Data.Issue, "system/")
		default:
			continue
		}
		ids = append(ids, e.ID)
	}
	require.Equal(t, want, told)
	require.Contains(t, problems.String(), "findings-cycle-1.json does not contain a list of findings")
	require.Contains(t, problems.String(), "bare.jsonl: 3 places could not be read", "two cycles that nobody knows, and half a line")

	text, err := l.command("scan", binary, "publish", folder).CombinedOutput()
	require.NoError(t, err, "%s", text)
	decided := func() (out []string) {
		stream, err := l.broker.JetStream().Stream(t.Context(), string(events.StreamDecisions))
		require.NoError(t, err)
		for sequence := uint64(1); sequence <= stream.CachedInfo().State.LastSeq; sequence++ {
			msg, err := stream.GetMsg(t.Context(), sequence)
			if err != nil {
				continue
			}
			if typ := events.Type(msg.Header.Get("ce-type")); typ == runevents.TypeWiggumBreak || typ == runevents.TypeCorrectionIssued {
				out = append(out, msg.Header.Get("ce-id"))
			}
		}
		return out
	}
	require.Eventually(t, func() bool { return len(decided()) >= len(ids) }, patience, 200*time.Millisecond)
	require.ElementsMatch(t, ids, decided())
}
