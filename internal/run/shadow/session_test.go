package shadow

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn is a turn of the session "s" of agent "m".
func turn(segments ...sessionevents.Segment) *sessionevents.TurnSegmented {
	return &sessionevents.TurnSegmented{Session: "s", Turn: 1, Run: "run", Agent: sessionevents.Agent{ID: "m"}, Segments: segments}
}

func edit(path string, lines ...string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentDiff, Path: path, Diff: &sessionevents.Diff{Op: sessionevents.DiffUpdate, Hunks: []sessionevents.Hunk{{Lines: lines}}}}
}

func shellCall(command string, effects ...string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Canonical: sessionevents.ToolShell, Command: command, Effects: effects}}
}

func readFile(path string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentTool, Tool: &sessionevents.ToolCall{Canonical: sessionevents.ToolRead}, Accesses: []sessionevents.Access{{Kind: sessionevents.AccessRead, Target: path}}}
}

func said(text string) sessionevents.Segment {
	return sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: text}
}

// Where no fields are given, the Maker's session tells files, commits and tests.
func TestMakerIsReadFromItsSession(t *testing.T) {
	for _, test := range []struct {
		name  string
		turns []*sessionevents.TurnSegmented
		want  []string
	}{
		{"no test, no run", []*sessionevents.TurnSegmented{turn(edit("a.go", "+x"), edit("b.go", "+x"), edit("c.go", "+x"))}, []string{"RW-3 no_test_files no_test_run"}},
		{"test and run", []*sessionevents.TurnSegmented{turn(edit("a.go", "+x"), edit("b.go", "+x"), edit("a_test.go", "+x"), shellCall("go test ./...", "test"))}, []string{}},
		{"one big commit", []*sessionevents.TurnSegmented{turn(edit("a.go", make300()...)), turn(shellCall("go test && git commit -m x", "test", "git"))}, []string{"RW-3 monolithic_commit"}},
		{"two commits", []*sessionevents.TurnSegmented{turn(edit("a.go", make300()...)), turn(shellCall("go test; git commit -m x; git commit -m y", "test", "git"))}, []string{}},
		{"amended", []*sessionevents.TurnSegmented{turn(edit("a.go", "+x")), turn(shellCall("go test; git commit --amend", "test", "git"))}, []string{}},
		{"refused and failed edits", []*sessionevents.TurnSegmented{turn(rejected(edit("a.go", "+x")), failed(edit("b.go", "+x")), said("Nothing changed."))}, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t, defaultConfig(t))
			for _, turn := range test.turns {
				p.data(sessionevents.TypeTurnSegmented, "s", turn)
			}
			p.event(`agent.completed {"agent_id":"m","archetype":"maker","outcome":"success"}`)
			require.Equal(t, test.want, p.told())
			for _, s := range p.signals {
				require.InDelta(t, 0.7, s.Confidence, 0)
				require.Equal(t, "s", s.Session)
			}
			p.event(`agent.completed {"agent_id":"m","archetype":"maker","outcome":"success"}`)
			require.Equal(t, test.want, p.told(), "what was done is judged once")
		})
	}
}

func make300() []string {
	var out []string
	for range 300 {
		out = append(out, "+x")
	}
	return out
}

func rejected(s sessionevents.Segment) sessionevents.Segment {
	s.Rejected = true
	return s
}

func failed(s sessionevents.Segment) sessionevents.Segment {
	s.Diff.Failed = true
	return s
}

// An Explorer's files are those that its session read, its output what it said
// last.
func TestExplorerIsReadFromItsSession(t *testing.T) {
	for n, want := range map[int][]string{16: {"RW-1 files_without_patterns"}, 15: {}} {
		p := newPlay(t, defaultConfig(t))
		p.event(`agent.spawned {"agent_id":"m","archetype":"explorer"}`)
		for i := range n {
			p.data(sessionevents.TypeTurnSegmented, "s", turn(readFile(fmt.Sprint("/w/f", i, ".go")), readFile("/w/f0.go"), said("I look on.")))
		}
		p.event(`agent.completed {"agent_id":"m","outcome":"success"}`)
		require.Equal(t, want, p.told())
	}
	p := newPlay(t, defaultConfig(t))
	p.data(sessionevents.TypeSessionOpened, "s", &sessionevents.SessionOpened{Session: "s", Run: "run", Agent: &sessionevents.Agent{ID: "m", Archetype: "Explorer"}})
	p.data(sessionevents.TypeTurnSegmented, "s", turn(said(words(500))))
	p.event(`agent.completed {"agent_id":"m","session":"s","outcome":"success"}`)
	require.Equal(t, []string{"RW-1 no_synthesis"}, p.told())
}

// Reviewers' edits of scratch files are no diff under review.
func TestReviewersEditNoDiff(t *testing.T) {
	p := newPlay(t, defaultConfig(t))
	p.data(sessionevents.TypeTurnSegmented, "s", turn(edit("notes.md", "+x"), said(words(100))))
	p.event(`agent.completed {"agent_id":"m","archetype":"sage","outcome":"success"}`)
	require.Empty(t, p.told())
}

// A session without a run has no state at all.
func TestSessionsWithoutARunCostNothing(t *testing.T) {
	p := newPlay(t, defaultConfig(t))
	one := turn(said("x"))
	one.Run = ""
	p.data(sessionevents.TypeTurnSegmented, "s", one)
	p.data(sessionevents.TypeSessionOpened, "s", &sessionevents.SessionOpened{Session: "s"})
	p.data(events.TypeTimerExpired, "s", &events.TimerExpired{Name: "session.idle"})
	require.Equal(t, State{}, p.state)
	event := run.NewContext(stepOf(one))
	require.Zero(t, testing.AllocsPerRun(10, func() { p.config.Decide(&p.state, event) }))
}
