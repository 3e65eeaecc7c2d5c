package shadow

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func stepOf(data any) step.Input {
	return step.Input{Event: events.Event{ID: "e", Type: typeOf(data), Subject: "run", Data: data}}
}

// typeOf is the type that a payload is registered for.
func typeOf(data any) events.Type {
	for _, d := range events.All() {
		if reflect.TypeOf(d.New()) == reflect.TypeOf(data) {
			return d.Type
		}
	}
	return ""
}

var someTexts = []string{
	"", "x", "## Findings\n\n- [CRITICAL] a\n  Fix: b\n- b", "Consider it. Consider that. Consider all.", "| severity | text |\n|---|---|\n| CRITICAL | x |\n| low |",
	"future-proof", "By the way, `a.go`.", "\xff\xfe", "# \n#\n**\n**:**\n- \n1. \n||\n|", "The DB is down", "Is the database offline?", "critical: x", "Recommendation: y",
}

var someInts = []int{0, 1, 2, 3, 7, 16, 301, -1, math.MaxInt, math.MinInt}

// hostile draws any event that the fold reads, with senseless data.
func hostile(t *rapid.T) any {
	text := rapid.SampledFrom(someTexts)
	number := rapid.SampledFrom(someInts)
	id := rapid.SampledFrom([]string{"", "a", "b", "guardian-1", "F-1"})
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a.go", "./a.go", "/", "b_test.go", "..", "*[", "lib/**"}), -1, 8)
	archetype := rapid.SampledFrom([]string{"", "Explorer", "creator", "maker", "GUARDIAN", "skeptic", "trickster", "sage", "x:sage", "?"})
	pointer := rapid.Custom(func(t *rapid.T) *int {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		n := number.Draw(t, "n")
		return &n
	})
	yes := true
	flags := rapid.SampledFrom([]*bool{nil, &yes, new(bool)})
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) runevents.Finding {
		return runevents.Finding{
			ID: id.Draw(t, "id"), Severity: rapid.SampledFrom([]runevents.Severity{"", "CRITICAL", "warning", "nit", "?"}).Draw(t, "severity"), Category: id.Draw(t, "category"),
			File: rapid.SampledFrom([]string{"", "a.go", "/x/a.go"}).Draw(t, "file"), Line: number.Draw(t, "line"), Text: text.Draw(t, "text"), Fix: text.Draw(t, "fix"),
			InChangeset: flags.Draw(t, "in"), State: rapid.SampledFrom([]string{"", "fixed", "deferred", "Open"}).Draw(t, "state"),
		}
	}), -1, 12)
	cycle := rapid.SampledFrom([]int{0, 0, 1, 2, 3, -1, math.MaxInt})
	switch rapid.IntRange(0, 15).Draw(t, "kind") {
	case 0:
		return &runevents.RunStarted{Project: id.Draw(t, "project"), Workflow: "standard", Goal: text.Draw(t, "goal")}
	case 1:
		return &runevents.RunCompleted{}
	case 2:
		return &runevents.AgentSpawned{AgentID: id.Draw(t, "agent"), Archetype: archetype.Draw(t, "archetype"), Lessons: runevents.Tally(number.Draw(t, "lessons")), PromptTokens: number.Draw(t, "tokens"), ContextWindow: number.Draw(t, "window")}
	case 3, 4, 5:
		return &runevents.AgentCompleted{
			AgentID: id.Draw(t, "agent"), Archetype: archetype.Draw(t, "archetype"), Session: id.Draw(t, "session"), Cycle: cycle.Draw(t, "cycle"), Outcome: rapid.SampledFrom([]string{"success", "failure", ""}).Draw(t, "outcome"),
			Output: text.Draw(t, "output"), Findings: list.Draw(t, "findings"), Verdict: rapid.SampledFrom([]string{"", "approved", "rejected"}).Draw(t, "verdict"), FilesChanged: names.Draw(t, "files"),
			DiffLines: pointer.Draw(t, "lines"), Commits: pointer.Draw(t, "commits"), TestsRun: flags.Draw(t, "tests"), Addresses: names.Draw(t, "addresses"), DurationMS: int64(number.Draw(t, "ms")),
		}
	case 6, 7:
		return &runevents.ReviewCompleted{Reviewer: id.Draw(t, "reviewer"), Cycle: cycle.Draw(t, "cycle"), Verdict: rapid.SampledFrom([]string{"", "approved", "rejected"}).Draw(t, "verdict"), Findings: list.Draw(t, "findings"), DurationMS: int64(number.Draw(t, "ms")), StartedAt: id.Draw(t, "at")}
	case 8:
		return &runevents.PhaseStarted{Phase: rapid.SampledFrom([]string{"", "plan", "do", "check"}).Draw(t, "phase"), Cycle: cycle.Draw(t, "cycle")}
	case 9:
		return &runevents.PhaseCompleted{Phase: rapid.SampledFrom([]string{"", "plan", "do", "check"}).Draw(t, "phase"), Cycle: cycle.Draw(t, "cycle")}
	case 10:
		return &runevents.CycleCompleted{Cycle: cycle.Draw(t, "cycle"), Findings: list.Draw(t, "findings")}
	case 11:
		return &runevents.ProposalPublished{Files: names.Draw(t, "files"), Abstractions: pointer.Draw(t, "abstractions"), Packages: pointer.Draw(t, "packages"), Words: pointer.Draw(t, "words"), TaskWords: pointer.Draw(t, "task")}
	case 12:
		return &runevents.MemoryInjected{AgentID: id.Draw(t, "agent"), Lessons: []runevents.Lesson{{ID: id.Draw(t, "lesson"), Finding: id.Draw(t, "finding")}}}
	case 13:
		return &events.TimerExpired{Name: run.RelayProject, Details: json.RawMessage(rapid.SampledFrom([]string{"", "{", `{"run":"a","deferred":2}`, `{"run":"b","deferred":2}`, `{"run":"c","deferred":-9}`, `{"run":"d"}`}).Draw(t, "details"))}
	case 14:
		return turn(said(text.Draw(t, "said")), edit("a.go", "+x"), shellCall("git commit -m x", "git"), sessionevents.Segment{Kind: sessionevents.SegmentDiff}, readFile("a.go"))
	default:
		return &sessionevents.SessionOpened{Session: "s", Run: "run", Agent: &sessionevents.Agent{ID: id.Draw(t, "agent"), Archetype: archetype.Draw(t, "archetype")}}
	}
}

// Whatever comes, nothing panics, and a state that went through JSON at every
// step concludes the same.
func TestSnapshotsChangeNothing(t *testing.T) {
	c := defaultConfig(t)
	rapid.Check(t, func(t *rapid.T) {
		var live, kept State
		for i := range rapid.IntRange(1, 25).Draw(t, "events") {
			in := step.Input{Event: events.Event{ID: fmt.Sprint("e", i), Subject: "run", Time: time.Unix(int64(i*rapid.IntRange(0, 100).Draw(t, "wait")), 0).UTC(), Data: hostile(t)}}
			in.Event.Type = typeOf(in.Event.Data)
			first, second := run.NewContext(in), run.NewContext(in)
			c.Decide(&live, first)
			data, err := json.Marshal(kept)
			require.NoError(t, err)
			kept = State{}
			require.NoError(t, json.Unmarshal(data, &kept))
			c.Decide(&kept, second)
			want, err := json.Marshal(first.Conclusions())
			require.NoError(t, err)
			got, err := json.Marshal(second.Conclusions())
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(got))
			for _, conclusion := range first.Conclusions() {
				if s, is := conclusion.Data.(*sessionevents.Signal); is {
					require.NotEmpty(t, s.Message)
					require.NotEmpty(t, s.Conditions)
					require.True(t, s.Suppressed != "" || s.Reason != "")
				}
			}
		}
	})
}

// The state stays within its bounds however long a run goes on.
func TestStateIsBounded(t *testing.T) {
	c := defaultConfig(t)
	c.Kept = Kept{Agents: 3, Sessions: 3, Reviews: 3, Findings: 5, Lessons: 3, Files: 4, Reported: 4, Runs: 3, TextBytes: 1000, ExaminedBytes: 1000, FindingBytes: 100}
	p := newPlay(t, c)
	for i := range 200 {
		p.event(fmt.Sprintf(`agent.completed {"agent_id":"a%d","archetype":"guardian","cycle":%d,"outcome":"success","verdict":"rejected","findings":[{"id":"f%d","severity":"CRITICAL","text":%s}],"files_changed":["f%d.go"]}`, i, i/3, i, quoted(words(500)), i))
		p.event(fmt.Sprintf(`memory.injected {"agent_id":"b%d","lessons":[{"id":"l%d","finding":"f%d"}]}`, i, i, i))
		p.event(fmt.Sprintf(`ticket.received {"title":"t","text":%s}`, quoted(words(100))))
		p.data(sessionevents.TypeTurnSegmented, "s", &sessionevents.TurnSegmented{Session: fmt.Sprint("s", i), Run: "run", Segments: []sessionevents.Segment{edit(fmt.Sprint("e", i, ".go"), "+x"), said(words(1000))}})
	}
	data, err := json.Marshal(p.state)
	require.NoError(t, err)
	require.Less(t, len(data), 20_000)
	require.Positive(t, p.state.Size())
}
