package intent

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func said(t *rapid.T, name string) string {
	return rapid.SampledFrom([]string{"", " ", "A", "b", "It should be fast.", "interpretation", "challenger", "users.go", "notes.md", "clear", "ambiguous", strings.Repeat("é~`", 400), "\xff\x00"}).Draw(t, name)
}

func list(t *rapid.T, name string) []string {
	var out []string
	for i := range rapid.IntRange(0, 4).Draw(t, name) {
		out = append(out, said(t, fmt.Sprint(name, i)))
	}
	return out
}

// hostile draws an event of any kind, with missing, wrong and huge values.
func hostile(t *rapid.T, known []string) (events.Type, any) {
	number := rapid.SampledFrom([]int{-1, 0, 1, 3, 4, 7, math.MaxInt}).Draw(t, "number")
	level := said(t, "level")
	id := rapid.SampledFrom(append([]string{"", "x"}, known...)).Draw(t, "id")
	switch rapid.IntRange(0, 17).Draw(t, "kind") {
	case 0:
		return runevents.TypeRunStarted, &runevents.RunStarted{Kind: said(t, "k"), Trigger: &runevents.Trigger{RequireIntentConfirmation: rapid.SampledFrom([]string{"", "never", "always", "x"}).Draw(t, "c"), SkipIntent: rapid.Bool().Draw(t, "skip")}}
	case 1:
		return runevents.TypeTicketReceived, &runevents.TicketReceived{Title: said(t, "title"), Text: said(t, "text"), AcceptanceCriteria: list(t, "criteria")}
	case 2:
		half := float64(number) / 2
		return runevents.TypeIntentCheckpoint, &runevents.IntentCheckpoint{
			Session: said(t, "s"), Turn: number, TaskType: rapid.SampledFrom([]string{"", "refactor", "architectural", "x"}).Draw(t, "task"),
			Interpretation: said(t, "i"), RivalInterpretations: list(t, "r"), UnresolvedAssumptions: list(t, "u"), AmbiguityLevel: rapid.SampledFrom([]string{"", "clear", "uncertain", "ambiguous", level}).Draw(t, "l"),
			ConfidenceBreakdown:    rapid.SampledFrom([]any{nil, 3.0, "x", map[string]any{"tier0Injected": false, "TIER0_INJECTED": true, "unresolvedAssumptionCount": math.NaN()}, []any{}}).Draw(t, "b"),
			InterpretationClusters: []int{number, rapid.IntRange(-3, 5).Draw(t, "n")}, QuestionSpecificity: &half,
		}
	case 3:
		return runevents.TypeAssumptionsStated, &runevents.AssumptionsStated{Session: said(t, "s"), Assumptions: []runevents.Assumption{{Assumption: said(t, "a"), Evidence: said(t, "e"), Status: rapid.SampledFrom([]string{"", "unchecked", "confirmed", "contradicted", "x"}).Draw(t, "st")}}}
	case 4, 5:
		return runevents.TypeCouncilCompleted, &runevents.CouncilCompleted{
			RevisedAmbiguityLevel: rapid.SampledFrom([]string{"", "clear", "uncertain", "ambiguous"}).Draw(t, "l"), FailureMode: rapid.SampledFrom([]string{"", "vague", "ambiguous", "unanswerable"}).Draw(t, "m"),
			WinningInterpretation: &runevents.Interpretation{Text: said(t, "w"), Basis: said(t, "ba")}, Dissents: list(t, "d"), DefenceTurns: number,
			Members: []runevents.CouncilMember{{AgentID: said(t, "a"), Role: said(t, "r"), ModelFamily: said(t, "f"), Mode: said(t, "mo"), Turns: number}},
		}
	case 6:
		return runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{RequestID: id, Option: said(t, "o"), Text: said(t, "t")}
	case 7:
		return runevents.TypeOperatorAct, &runevents.OperatorAct{Act: "answer", Target: id, Details: json.RawMessage(rapid.SampledFrom([]string{"", "{", `{"option":"A"}`, "null"}).Draw(t, "j"))}
	case 8, 9:
		return events.TypeTimerExpired, &events.TimerExpired{Name: timerPrefix + id}
	case 10:
		return sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: said(t, "s"), Run: "r", Turn: number, Observed: &sessionevents.Observations{FilesEdited: list(t, "f")}}
	case 11:
		return runevents.TypeContextAssembled, &runevents.ContextAssembled{
			Sections:       []runevents.ContextSection{{Name: said(t, "n"), Tier: &number, Tokens: number, Status: rapid.SampledFrom([]string{"", "failed", "empty", "dropped"}).Draw(t, "st")}},
			Contradictions: []runevents.Contradiction{{What: said(t, "w"), Between: list(t, "b"), ResolvedTo: said(t, "r")}},
		}
	case 12:
		return runevents.TypeAgentSpawned, &runevents.AgentSpawned{AgentID: said(t, "a"), Role: "challenger", ContextKeys: list(t, "k"), MaxTurns: number, MaxSubagentDepth: number}
	case 13:
		return runevents.TypePhaseCompleted, &runevents.PhaseCompleted{OpenQuestions: []runevents.OpenQuestion{{Question: said(t, "q"), ChangesImplementation: true}}, Observations: []runevents.Observation{{Text: said(t, "o"), Disposition: said(t, "d")}}}
	case 14:
		return runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "implementation"}
	case 15:
		return runevents.TypeCalibrationRecorded, &runevents.CalibrationRecorded{Outcome: said(t, "o"), Breakdown: map[string]any{"overallAmbiguityLevel": level}, Subtype: said(t, "s")}
	case 16:
		return runevents.TypeReviewCompleted, &runevents.ReviewCompleted{Findings: []runevents.Finding{{ID: said(t, "f"), Category: "intent"}}}
	}
	return runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: said(t, "o")}
}

// Whatever comes: no panic; a state that went through JSON at every step gives
// the same conclusions; the state is bounded; at most one question is open, and
// each default comes once.
func TestHostileSequences(t *testing.T) {
	config, err := LoadConfig(rules.Default())
	require.NoError(t, err)
	config.Kept = Kept{Text: 60, List: 3, Sessions: 4, Requests: 3, Log: 5}
	rapid.Check(t, func(t *rapid.T) {
		var live, stored State
		var known []string
		defaults := map[string]bool{}
		for n := range rapid.IntRange(1, 40).Draw(t, "steps") {
			typ, data := hostile(t, known)
			in := step.Input{Event: events.Event{
				ID: fmt.Sprint("e", n), Source: "test", Type: typ, Subject: "r", Time: noon.Add(time.Duration(n) * time.Hour), Data: data,
				Credential: rapid.SampledFrom([]events.Role{"", events.RoleOperator, events.RolePublisher}).Draw(t, "role"),
			}}
			v, w := run.NewContext(in), run.NewContext(in)
			config.Decide(&live, v)
			config.Decide(&stored, w)
			config.Signal(v)
			config.Signal(w)
			require.Equal(t, written(t, v.Conclusions()), written(t, w.Conclusions()))
			data2, err := json.Marshal(stored)
			require.NoError(t, err)
			stored = State{}
			require.NoError(t, json.Unmarshal(data2, &stored))
			require.Less(t, len(data2), 16_000, "bounded")
			for _, c := range v.Conclusions() {
				switch d := c.Data.(type) {
				case *runevents.ClarificationRequested:
					known = append(known, d.RequestID)
				case *runevents.ClarificationDefaulted:
					require.False(t, defaults[d.RequestID])
					defaults[d.RequestID] = true
				}
			}
			waiting := 0
			for _, r := range live.Requests {
				if r.Status == open {
					waiting++
				}
			}
			require.LessOrEqual(t, waiting, 1)
		}
	})
}

func written(t *rapid.T, list []run.Conclusion) string {
	data, err := json.Marshal(list)
	require.NoError(t, err)
	return string(data)
}

// A clear ticket and a run that keeps to the order are silent, whatever else
// they have.
func TestCleanRunsAreSilent(t *testing.T) {
	config, err := LoadConfig(rules.Default())
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		var state State
		n := 0
		say := func(typ events.Type, data any) {
			n++
			in := step.Input{Event: events.Event{ID: fmt.Sprint("e", n), Source: "test", Type: typ, Subject: "r", Time: noon.Add(time.Duration(n) * time.Minute), Data: data, Credential: events.RolePublisher}}
			v := run.NewContext(in)
			config.Decide(&state, v)
			config.Signal(v)
			require.Empty(t, v.Conclusions(), "%s %s", typ, written(t, v.Conclusions()))
		}
		clean(t, say)
	})
}

func clean(t *rapid.T, say func(events.Type, any)) {
	maybe := func(name string) bool { return rapid.Bool().Draw(t, name) }
	pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	say(runevents.TypeRunStarted, &runevents.RunStarted{Kind: "pipeline", Trigger: &runevents.Trigger{RequireIntentConfirmation: pick("confirm", "", "never", "uncertain", "always")}})
	say(runevents.TypeTicketReceived, &runevents.TicketReceived{
		Title:              pick("title", "Return 404 for unknown users", "Export orders as CSV", "Add a `--dry-run` flag to the import command", "The importer should skip blank lines"),
		Text:               pick("text", "", "`GET /users/{id}` answers 500 today.", "## Background\n\nIt was slow for many users and should have been fast."),
		AcceptanceCriteria: []string{pick("criterion", "GET /users/unknown answers 404", "One row per order", "The command exits 0 and writes no file")},
	})
	if maybe("context") {
		say(runevents.TypeContextAssembled, &runevents.ContextAssembled{Bytes: 4096, Sections: []runevents.ContextSection{
			{Name: "adr", Tier: new(0)}, {Name: "epic", Tier: new(1)}, {Name: "design", Tier: new(2), Tokens: rapid.IntRange(0, 4096).Draw(t, "tokens")}, {Name: "chat", Tier: new(2), Status: pick("status", "dropped", "unconfigured")},
		}})
	}
	first := rapid.IntRange(3, 5).Draw(t, "turn")
	for turn := 1; turn < first; turn++ {
		say(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Run: "r", Turn: turn, Observed: &sessionevents.Observations{FilesEdited: []string{"docs/notes.md"}[:rapid.IntRange(0, 1).Draw(t, "notes")]}})
	}
	say(runevents.TypeIntentCheckpoint, &runevents.IntentCheckpoint{
		Session: "s", Turn: first, TaskType: pick("task", "targeted_fix", "feature"), Interpretation: "As it says.", AmbiguityLevel: "clear",
		RivalInterpretations: []string{"Only for signed-in users."}, PlanConsistency: []any{
			nil, "consistent",
			true,
		}[rapid.IntRange(0, 2).Draw(t, "plans")],
		UnresolvedAssumptions: []string{"one", "two"}[:rapid.IntRange(0, 2).Draw(t, "assumptions")], InterpretationClusters: []int{rapid.IntRange(0, 7).Draw(t, "samples")},
	})
	if maybe("assumptions stated") {
		say(runevents.TypeAssumptionsStated, &runevents.AssumptionsStated{Session: "s", Assumptions: []runevents.Assumption{{Assumption: "one caller", Evidence: "api.go:12", FalsificationQuery: "grep", Status: pick("st", "", "confirmed")}}})
	}
	if maybe("plan") {
		say(runevents.TypePhaseCompleted, &runevents.PhaseCompleted{Phase: "plan", OpenQuestions: []runevents.OpenQuestion{{Question: "q", ChangesImplementation: true, Resolution: "no"}, {Question: "p"}}})
		say(runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "implementation"})
	}
	say(sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Run: "r", Turn: first + 1, Observed: &sessionevents.Observations{FilesEdited: []string{"users.go", "users_test.go"}}})
	say(runevents.TypeReviewCompleted, &runevents.ReviewCompleted{Reviewer: "r", Verdict: "clean"})
	if maybe("record") {
		say(runevents.TypeCalibrationRecorded, &runevents.CalibrationRecorded{Outcome: "merged", Correction: "none"})
	}
	say(runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success", Observations: []runevents.Observation{{Text: "o", Disposition: pick("d", "filed", "accepted", "fixed")}}})
}

// Most traffic is turns of runs that have nothing to do with intent.
func BenchmarkTurnOfAnotherRun(b *testing.B) {
	config, err := LoadConfig(rules.Default())
	require.NoError(b, err)
	in := step.Input{Event: events.Event{ID: "e", Type: sessionevents.TypeTurnEvaluated, Data: &sessionevents.TurnEvaluated{Session: "s", Run: "r", Turn: 9, Observed: &sessionevents.Observations{FilesEdited: []string{"a.go"}}}}}
	var state State
	b.ReportAllocs()
	for b.Loop() {
		config.Decide(&state, run.NewContext(in))
	}
}
