package pipeline

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// hostile draws data of any type that the layer reads, with whatever fields.
func hostile(t *rapid.T) (events.Type, any) {
	all := []events.Type{
		runevents.TypeRunStarted, runevents.TypeRunResumed, runevents.TypeRunCompleted, runevents.TypePhaseStarted, runevents.TypePhaseCompleted,
		runevents.TypeContractRegistered, runevents.TypeCycleCompleted, runevents.TypeContextAssembled, runevents.TypeContextPersistFailed,
		runevents.TypeAgentSpawned, runevents.TypeAgentStarted, runevents.TypeWorktreeCreated, runevents.TypeAgentCompleted, runevents.TypeReviewCompleted,
		runevents.TypeTaskCompleted, runevents.TypeScopeChecked, runevents.TypeTicketReceived, runevents.TypeProposalPublished, runevents.TypeGitCommit,
		runevents.TypeWaveMergeRequested, runevents.TypeMergeCompleted, runevents.TypeWaveMerged, runevents.TypePlanApproved, runevents.TypeGateRequested,
		sessionevents.TypeSignalDetected, sessionevents.TypeTurnEvaluated, sessionevents.TypeSessionOpened, sessionevents.TypeSessionClosed, runevents.TypeOperatorAct,
		events.TypeTimerExpired, runevents.TypeSpendReported,
	}
	typ := rapid.SampledFrom(all).Draw(t, "type")
	known, _ := events.Lookup(typ)
	data := known.New()
	fill(t, reflect.ValueOf(data).Elem(), 0)
	switch d := data.(type) {
	case *runevents.ContractRegistered:
		d.Schema = json.RawMessage(rapid.SampledFrom(schemas).Draw(t, "schema"))
	case *runevents.PhaseCompleted:
		d.Artifacts = nil
		for _, text := range rapid.SliceOfN(rapid.SampledFrom(documents), 0, 3).Draw(t, "artifacts") {
			d.Artifacts = append(d.Artifacts, artifact(t, text))
		}
		d.Notes = strings.Repeat("n", rapid.IntRange(48, 53).Draw(t, "notes"))
	case *events.TimerExpired:
		d.Name = rapid.SampledFrom([]string{run.RelayWorkspace, pointerTimer, overlapTimer + ".one", silenceTimer + "one", silenceTimer, ""}).Draw(t, "timer")
		d.Details = json.RawMessage(rapid.SampledFrom([]string{"", "{", "null", `{"what":"started","run":"one"}`, `{"what":"completed","run":"two"}`, `{"what":"resumed","run":"one","prior":"two","event":"e1"}`, `{"event":"e1"}`, `{"what":"overlap","run":"one","met":[{"run":"two"}]}`, `{"space":"two","ask":[{"run":"one"}]}`, `{"space":"two","ask":[{"run":""},null]}`, `{"count":1}`, `{"count":-9}`}).Draw(t, "details"))
	}
	return typ, data
}

var (
	schemas   = []string{"", "{", "{}", "true", `{"required":["a"]}`, `{"$ref":"#"}`, `{"pattern":"("}`, `{"properties":{"one":{"maxLength":2}}}`}
	documents = []string{"7", "null", "{}", `{"kind":"one"}`, `{"kind":"one","version":2,"one":"abc"}`, discovery, shaping, coding, review, `{"kind":"wr.loop_control","decision":"stop"}`, `{"kind":"wr.contracts.coding_handoff","version":-1}`}
	names     = []string{
		"", "one", "two", "plan", "fix", "implement", "phase-0-x", "wr.coding-task", "wr.discovery", "mr-review", "wr.coding_handoff", "wr.contracts.shaping_handoff",
		"pipeline", "build", "saw", "retry_once", "escalate", "full", "partial", "blind", "custom", "task-only", "challenger", "tier0", "stated_assumptions", "conclusion",
		"merge", "spawn", "next_phase", "stop", "continue", "passed", "failed", "missing", "met", "fixed", "none", "a.go", "README.md", "approve", "success", "idle_timeout", "slice-2",
		"\xff\xfe", strings.Repeat("long ", 100), "D",
	}
)

// fill sets a value's fields to small, known and wild values.
func fill(t *rapid.T, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(t, v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		if depth < 4 && rapid.Bool().Draw(t, "set") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := rapid.IntRange(0, 3).Draw(t, "length"); n > 0 && depth < 4 && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(t, v.Index(i), depth+1)
			}
		}
	case reflect.String:
		v.SetString(rapid.SampledFrom(names).Draw(t, "text"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.SampledFrom([]int64{0, 1, 2, 3, -1, 8193, math.MaxInt64, math.MinInt64}).Draw(t, "number"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	}
}

type told struct {
	typ   events.Type
	run   string
	data  any
	after time.Duration
}

func drawHistory(t *rapid.T) []told {
	var out []told
	for range rapid.IntRange(1, 40).Draw(t, "events") {
		typ, data := hostile(t)
		after := rapid.SampledFrom([]time.Duration{0, time.Second, 31 * time.Minute, 200 * time.Hour}).Draw(t, "after")
		out = append(out, told{typ, rapid.SampledFrom([]string{"one", "two"}).Draw(t, "run"), data, after})
	}
	return out
}

// Nothing panics, and a state that went through its snapshot decides alike.
func TestSnapshotsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := drawHistory(t)
		live, stored := newStory(t), newStory(t)
		stored.snapshots = true
		for i, one := range history {
			first := live.after(one.after).tell(one.run, one.typ, one.data)
			second := stored.after(one.after).tell(one.run, one.typ, one.data)
			require.Equal(t, first, second, "event %d, %s", i, one.typ)
		}
	})
}

// What is remembered stays within bounds, and each gate asked for is answered once.
func TestStateIsBoundedAndGatesAreAnswered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStory(t)
		s.config.Kept = Kept{Contracts: 2, ContractBytes: 1024, Phases: 3, Agents: 3, Sessions: 2, Files: 4, Items: 3, WorkspaceRuns: 2, TextBytes: 100}
		for range 3 {
			for _, one := range drawHistory(t) {
				gates := 0
				for _, said := range s.tell(one.run, one.typ, one.data) {
					if strings.HasPrefix(said, "gate ") {
						gates++
					}
				}
				require.LessOrEqual(t, gates, 1)
				if asked, is := one.data.(*runevents.GateRequested); is && (asked.Gate == "merge" || asked.Gate == "spawn" || asked.Gate == "next_phase") {
					require.Equal(t, 1, gates)
				}
			}
		}
		for group, state := range s.groups {
			text, err := json.Marshal(state)
			require.NoError(t, err)
			require.Less(t, len(text), 40_000, "%s: %s", group, text)
		}
	})
}

// A clean run, whatever its shape, is silent but for its gates.
func TestCleanRunsAreSilent(t *testing.T) {
	type step struct{ phase, workflow, contract, document string }
	steps := []step{
		{"discovery", "wr.discovery", "wr.discovery_handoff", discovery},
		{"shaping", "wr.shaping", "wr.contracts.shaping_handoff", strings.Replace(shaping, `["charges once","gives up after three"]`, "[]", 1)},
		{"coding", "wr.coding-task", "wr.coding_handoff", coding},
		{"review", "mr-review", "wr.review_verdict", review},
	}
	rapid.Check(t, func(t *rapid.T) {
		s := newStory(t)
		var all []string
		tell := func(typ events.Type, data any) { all = append(all, s.tell("run", typ, data)...) }
		tell(runevents.TypeRunStarted, &runevents.RunStarted{Kind: "pipeline", Workspace: "w", Goal: "Retry"})
		for cycle := range rapid.IntRange(1, 3).Draw(t, "cycles") {
			for i, step := range steps {
				session := fmt.Sprintf("s-%d-%d", cycle, i)
				started := &runevents.PhaseStarted{Phase: step.phase, Cycle: cycle + 1}
				if rapid.Bool().Draw(t, "by contract") {
					started.ContractRef = step.contract
				} else {
					started.Workflow = step.workflow
				}
				tell(runevents.TypePhaseStarted, started)
				tell(sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{Session: session, Run: "run"})
				for range rapid.IntRange(0, 4).Draw(t, "turns") {
					s.after(time.Duration(rapid.IntRange(1, 1800).Draw(t, "seconds")) * time.Second)
					file := "docs/notes.md"
					if step.phase == "coding" {
						file = "pay.go"
					}
					tell(sessionevents.TypeTurnEvaluated, turn(session, file))
				}
				tell(runevents.TypeContextAssembled, &runevents.ContextAssembled{Bytes: rapid.IntRange(0, 8192).Draw(t, "bytes")})
				tell(runevents.TypePhaseCompleted, s.completed(step.phase, "", rapid.SampledFrom([]string{"", "short", notes(80)}).Draw(t, "notes"), step.document))
			}
			tell(runevents.TypeCycleCompleted, &runevents.CycleCompleted{Cycle: cycle + 1, Decision: "stop", Checked: runevents.TextList{"all"}})
			tell(runevents.TypeReviewCompleted, reviewed("sage", cycle+1, "tests", "passed"))
		}
		tell(runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"})
		require.Empty(t, loud(all))
	})
}
