package shadow

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	standard = `run.started {"workflow":"standard","project":"shop"}`
	checked  = `phase.completed {"phase":"check","cycle":1}`
)

func reviewOf(who, rest string) string {
	return `review.completed {"reviewer":"` + who + `","cycle":1,` + rest + `}`
}

func TestSystemShadowsAtTheirBoundaries(t *testing.T) {
	c := defaultConfig(t)
	security := `{"id":"f#","severity":"WARNING","category":"security","text":"t#","fix":"x","repro":"y"}`
	testing1 := `{"id":"g#","severity":"WARNING","category":"testing","text":"u#","fix":"x","repro":"y"}`
	open := `cycle.completed {"cycle":1,"findings":[{"id":"c1","severity":"CRITICAL"},{"id":"c2","severity":"CRITICAL"},{"id":"i1","severity":"INFO"}]}`
	maker2 := func(rest string) string {
		return `agent.completed {"agent_id":"m","archetype":"maker","outcome":"success","cycle":2,"tests_run":true,` + rest + `}`
	}
	for _, test := range []struct {
		name   string
		events []string
		want   []string
	}{
		{"RW-10 4 findings of 2 reviewers", []string{reviewOf("a", `"findings":`+findings("3*"+security)), reviewOf("b", `"findings":`+findings(security)), checked, `cycle.completed {"cycle":1}`}, []string{"RW-10 one_category"}},
		{"RW-10 3 findings", []string{reviewOf("a", `"findings":`+findings("2*"+security)), reviewOf("b", `"findings":`+findings(security)), checked}, nil},
		{"RW-10 1 reviewer", []string{reviewOf("a", `"findings":`+findings("5*"+security)), reviewOf("b", `"verdict":"approved"`), checked}, nil},
		{"RW-10 2 categories", []string{reviewOf("a", `"findings":`+findings("3*"+security)), reviewOf("b", `"findings":`+findings(testing1)), checked}, nil},
		{"RW-10 in each cycle", []string{
			reviewOf("a", `"findings":`+findings("2*"+security)), reviewOf("b", `"findings":`+findings("2*"+security)), checked,
			`review.completed {"reviewer":"a","cycle":2,"findings":` + findings("2*"+security) + `}`, `review.completed {"reviewer":"b","cycle":2,"findings":` + findings("2*"+security) + `}`, `run.completed {"outcome":"success"}`,
		}, []string{"RW-10 one_category", "RW-10 one_category"}},

		{"RW-11 29999 ms", []string{standard, reviewOf("a", `"verdict":"approved","duration_ms":29999`), reviewOf("b", `"verdict":"clean","duration_ms":100`), checked}, []string{"RW-11 fast_consensus"}},
		{"RW-11 30000 ms", []string{standard, reviewOf("a", `"verdict":"approved","duration_ms":30000`), reviewOf("b", `"verdict":"approved","duration_ms":100`), checked}, nil},
		{"RW-11 unknown duration", []string{standard, reviewOf("a", `"verdict":"approved","duration_ms":100`), reviewOf("b", `"verdict":"approved"`), checked}, nil},
		{"RW-11 one rejects", []string{standard, reviewOf("a", `"verdict":"approved","duration_ms":100`), reviewOf("b", `"verdict":"rejected","duration_ms":100`), checked}, nil},
		{"RW-11 one reviewer told twice", []string{standard, reviewOf("guardian-1", `"verdict":"approved","duration_ms":100`), completed1("guardian", `"verdict":"approved","duration_ms":100`), checked}, nil},
		{"RW-11 quick workflow", []string{`run.started {"workflow":"quick"}`, reviewOf("a", `"verdict":"approved","duration_ms":100`), reviewOf("b", `"verdict":"approved","duration_ms":100`), checked}, nil},
		{"RW-11 by agent.completed", []string{standard, completed1("guardian", `"verdict":"approved","duration_ms":9000`), completed1("sage", `"verdict":"approved","duration_ms":8000`), checked}, []string{"RW-11 fast_consensus"}},

		{"RW-12 INFO first", []string{open, maker2(`"addresses":["i1"]`)}, []string{"RW-12 info_before_critical"}},
		{"RW-12 one CRITICAL left alone", []string{open, maker2(`"addresses":["c1","i1"]`)}, []string{"RW-12 info_before_critical"}},
		{"RW-12 both CRITICALs too", []string{open, maker2(`"addresses":["c1","c2","i1"]`)}, nil},
		{"RW-12 CRITICALs only", []string{open, maker2(`"addresses":["c1"]`)}, nil},
		{"RW-12 CRITICALs before", []string{open, maker2(`"addresses":["c1","c2"]`), maker2(`"addresses":["i1"]`)}, nil},
		{"RW-12 in words", []string{open, maker2(`"output":"Fixed i1. All tests pass."`)}, []string{"RW-12 info_before_critical"}},

		{"RW-14 the finding repeats", []string{`memory.injected {"agent_id":"m","lessons":[{"id":"l1","finding":"F-1"}]}`, reviewOf("a", `"findings":[{"id":"F-1","text":"t"}]`)}, []string{"RW-14 lesson_repeated"}},
		{"RW-14 another finding", []string{`memory.injected {"agent_id":"m","lessons":[{"id":"l1","finding":"F-1"}]}`, reviewOf("a", `"findings":[{"id":"F-2","text":"t"}]`)}, nil},
		{"RW-14 before the lesson", []string{reviewOf("a", `"findings":[{"id":"F-1","text":"t"}]`), `memory.injected {"agent_id":"m","lessons":[{"id":"l1","finding":"F-1"}]}`}, nil},
		{"RW-14 told fixed", []string{`memory.injected {"agent_id":"m","lessons":[{"id":"l1","finding":"F-1"}]}`, reviewOf("a", `"findings":[{"id":"F-1","state":"fixed"}]`)}, nil},
		{"RW-14 once a cycle", []string{`memory.injected {"agent_id":"m","lessons":[{"id":"l1","finding":"F-1"}]}`, reviewOf("a", `"findings":[{"id":"F-1"}]`), `cycle.completed {"cycle":1,"findings":[{"id":"F-1"}]}`, `cycle.completed {"cycle":2,"findings":[{"id":"F-1"}]}`}, []string{"RW-14 lesson_repeated", "RW-14 lesson_repeated"}},
		{"RW-14 without an id", []string{
			reviewOf("a", `"findings":[{"id":"F-1","file":"a.go","category":"security","text":"The password is logged."}]`),
			`memory.injected {"agent_id":"m","lessons":[{"id":"l1","finding":"F-1"}]}`,
			`cycle.completed {"cycle":1,"findings":[{"file":"a.go","category":"security","text":"Password logged in clear."}]}`,
		}, []string{"RW-14 lesson_repeated"}},

		{"RW-16 5 of 2 files", []string{`proposal.published {"files":["a.go","b.go"]}`, completed1("maker", `"files_changed":["a.go","b.go","a_test.go","b_test.go","c_test.go"],`+orderly)}, []string{"RW-16 more_files_than_proposed"}},
		{"RW-16 4 of 2 files", []string{`proposal.published {"files":["a.go","b.go"]}`, completed1("maker", `"files_changed":["a.go","b.go","a_test.go","b_test.go"],`+orderly)}, nil},

		{"RW-13 3 Explorers", []string{`agent.spawned {"agent_id":"1","archetype":"Explorer"}`, `agent.spawned {"agent_id":"2","archetype":"explorer"}`, `agent.spawned {"agent_id":"3","archetype":"explorer"}`, `agent.spawned {"agent_id":"4","archetype":"explorer"}`}, []string{"RW-13 explorers_spawned"}},
		{"RW-13 2 Explorers", []string{`agent.spawned {"agent_id":"1","archetype":"explorer"}`, `agent.spawned {"agent_id":"2","archetype":"explorer"}`}, nil},
		{"RW-13 an Explorer a cycle", []string{`agent.spawned {"agent_id":"1","archetype":"explorer"}`, `cycle.completed {"cycle":1}`, `agent.spawned {"agent_id":"2","archetype":"explorer"}`, `cycle.completed {"cycle":2}`, `agent.spawned {"agent_id":"3","archetype":"explorer"}`}, nil},

		{"RW-22 16 lessons", []string{`agent.spawned {"agent_id":"1","lessons":16}`, `memory.injected {"agent_id":"1","lessons":` + findings(`16*{"id":"l#"}`) + `}`}, []string{"RW-22 too_many_lessons"}},
		{"RW-22 15 lessons", []string{`agent.spawned {"agent_id":"1","lessons":15}`, `memory.injected {"agent_id":"1","lessons":` + findings(`15*{"id":"l#"}`) + `}`}, nil},
		{"RW-22 21 findings", []string{`cycle.completed {"cycle":1,"findings":` + findings(`11*{"id":"f#"}`) + `}`, `cycle.completed {"cycle":2,"findings":` + findings(`21*{"id":"f#"}`) + `}`, `cycle.completed {"cycle":3,"findings":` + findings(`22*{"id":"f#"}`) + `}`}, []string{"RW-22 too_many_findings"}},
		{"RW-22 20 findings", []string{`cycle.completed {"cycle":1,"findings":` + findings(`20*{"id":"f#"}`) + `}`}, nil},
		{"RW-22 21 findings, one fixed", []string{`cycle.completed {"cycle":1,"findings":` + findings(`20*{"id":"f#"}`, `{"id":"f#","state":"fixed"}`) + `}`}, nil},
		{"RW-22 50001 of 100000 tokens", []string{`agent.spawned {"agent_id":"1","prompt_tokens":50001,"context_window":100000}`}, []string{"RW-22 prompt_too_long"}},
		{"RW-22 50000 of 100000 tokens", []string{`agent.spawned {"agent_id":"1","prompt_tokens":50000,"context_window":100000}`}, nil},
		{"RW-22 unknown window", []string{`agent.spawned {"agent_id":"1","prompt_tokens":500000}`}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t, c)
			for _, e := range test.events {
				p.event(e)
			}
			if test.want == nil {
				test.want = []string{}
			}
			require.Equal(t, test.want, p.told())
		})
	}
}

func TestPlanAgainstDo(t *testing.T) {
	for _, test := range []struct {
		plan time.Duration
		want []string
	}{{20*time.Minute + time.Second, []string{"RW-13 plan_longer_than_do"}}, {20 * time.Minute, []string{}}} {
		p := newPlay(t, defaultConfig(t))
		second := time.Second // each event is one later
		p.event(`phase.started {"phase":"Plan"}`).wait(test.plan - second).event(`phase.completed {"phase":"Plan"}`)
		p.event(`phase.started {"phase":"do"}`).wait(10*time.Minute - second).event(`phase.completed {"phase":"do"}`)
		require.Equal(t, test.want, p.told(), test.plan)
	}
	p := newPlay(t, defaultConfig(t))
	p.wait(time.Hour).event(`phase.completed {"phase":"plan"}`).event(`phase.started {"phase":"do"}`).event(`phase.completed {"phase":"do"}`)
	require.Empty(t, p.signals, "a plan without a beginning is unknown")
}

// RW-15: runs tell the group of their project what they left undone.
func TestBrokenWindow(t *testing.T) {
	c := defaultConfig(t)
	relay := func(id string, deferred ...string) *events.TimerSet {
		p := newPlay(t, c).event(standard)
		for _, f := range deferred {
			p.event(`cycle.completed {"findings":[` + f + `]}`)
		}
		p.event(`run.completed {"outcome":"success"}`).event(`run.completed {"outcome":"success"}`)
		require.Len(t, p.relays, 1)
		require.Equal(t, run.GroupOf("project", "shop"), p.relays[0].Group)
		var told projectRun
		require.NoError(t, json.Unmarshal(p.relays[0].Details, &told))
		told.Run, told.Event = id, "completed-"+id
		p.relays[0].Details, _ = json.Marshal(told)
		return p.relays[0]
	}
	warning := func(id, state string) string {
		return `{"id":"` + id + `","severity":"warning","state":"` + state + `"}`
	}
	two := []string{warning("w1", "deferred"), warning("w2", "deferred")}
	one := []string{warning("w1", "deferred"), warning("w2", "deferred"), warning("w2", "fixed"), `{"id":"i","severity":"INFO","state":"deferred"}`}
	for _, test := range []struct {
		name string
		runs [][]string
		want []string
	}{
		{"2 and 1", [][]string{two, one}, []string{"r1"}},
		{"1 and 1", [][]string{one, one}, nil},
		{"a run between them that defers nothing", [][]string{two, nil, two}, nil},
		{"one run alone", [][]string{{warning("1", "deferred"), warning("2", "deferred"), warning("3", "deferred")}}, nil},
		{"each further run", [][]string{two, two, one}, []string{"r1", "r2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t, c)
			for i, deferred := range test.runs {
				run := "r" + string(rune('0'+i))
				set := relay(run, deferred...)
				for range 2 { // a timer may come twice
					p.data(events.TypeTimerExpired, run, &events.TimerExpired{Name: set.Name, Due: set.Due, Details: set.Details})
				}
			}
			var runs []string
			for _, s := range p.signals {
				require.Equal(t, "RW-15", s.Detector)
				require.Equal(t, "completed-"+s.Run, s.Events[len(s.Events)-1])
				runs = append(runs, s.Run)
			}
			require.Equal(t, test.want, runs)
		})
	}
}

// RW-15: the runs of a project are in different partitions, so news of the earlier one can
// come later. Which run ends the streak does not depend on that.
func TestABrokenWindowDoesNotDependOnTheOrderOfNews(t *testing.T) {
	type told struct {
		hour, deferred int
	}
	for _, test := range []struct {
		name string
		news []told
		want []string
	}{
		{"in order", []told{{1, 2}, {2, 2}, {3, 1}}, []string{"run-2", "run-3"}},
		{"the first last", []told{{2, 2}, {3, 1}, {1, 2}}, []string{"run-2", "run-3"}},
		{"backwards", []told{{3, 1}, {2, 2}, {1, 2}}, []string{"run-2", "run-3"}},
		{"one between that deferred nothing", []told{{4, 2}, {2, 0}, {3, 1}, {1, 2}}, []string{"run-4"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlay(t, defaultConfig(t))
			start := p.at
			for _, n := range test.news {
				p.at = start.Add(time.Duration(n.hour) * time.Hour)
				details := fmt.Sprintf(`{"run":"run-%d","project":"shop","deferred":%d}`, n.hour, n.deferred)
				p.data(events.TypeTimerExpired, "run", &events.TimerExpired{Name: run.RelayProject, Details: json.RawMessage(details)})
			}
			var runs []string
			for _, s := range p.signals {
				runs = append(runs, s.Run)
			}
			require.ElementsMatch(t, test.want, runs)
		})
	}
}

// RW-15: a run whose publisher's clock is ahead completed when it was recorded, so that it
// does not remain the last one. Others, and those of a log without a broker, completed when
// they say.
func TestAClockAheadHidesNoBrokenWindow(t *testing.T) {
	c := defaultConfig(t)
	project := newPlay(t, c)
	now := project.at
	for i, ahead := range []int{0, 365 * 24, 0, -1, 0} { // hours
		r := newPlay(t, c)
		r.at, r.arrived = now.Add(time.Duration(ahead)*time.Hour), now.Add(time.Minute)
		r.event(standard).event(`cycle.completed {"findings":[{"id":"w1","severity":"warning","state":"deferred"},{"id":"w2","severity":"warning","state":"deferred"}]}`)
		r.event(`run.completed {"outcome":"success"}`)
		relay := r.relays[0]
		require.Equal(t, ahead > 0, relay.Due.Equal(r.arrived))
		require.Equal(t, ahead <= 0, relay.Due.Equal(r.at))
		details := strings.Replace(string(relay.Details), `"run":"run"`, fmt.Sprintf(`"run":"r%d"`, i), 1)
		project.at = relay.Due.Add(-time.Second)
		project.data(events.TypeTimerExpired, "run", &events.TimerExpired{Name: relay.Name, Due: relay.Due, Details: json.RawMessage(details)})
		now = now.Add(2 * time.Hour)
	}
	var runs []string
	for _, s := range project.signals {
		runs = append(runs, s.Run)
	}
	require.Equal(t, []string{"r1", "r2", "r3", "r4"}, runs)

	offline := newPlay(t, c).event(standard).event(`run.completed {"outcome":"success"}`)
	require.Equal(t, offline.at, offline.relays[0].Due)
}

// RW-15: of runs that complete at once the same one comes first, whichever is heard first.
func TestRunsThatCompleteAtOnce(t *testing.T) {
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		p := newPlay(t, defaultConfig(t))
		at := p.at
		for _, name := range order {
			p.at = at
			details := fmt.Sprintf(`{"run":%q,"project":"shop","deferred":2}`, name)
			p.data(events.TypeTimerExpired, "run", &events.TimerExpired{Name: run.RelayProject, Details: json.RawMessage(details)})
		}
		require.Len(t, p.signals, 1)
		require.Equal(t, "b", p.signals[0].Run, "%v", order)
	}
}

// A reviewer's completion and its review are one; one that completes again is a
// new occurrence, as RW-30 and RW-40 count them.
func TestOccurrences(t *testing.T) {
	paranoid := `"findings":` + findings(`3*{"severity":"CRITICAL","text":"t","fix":"x"}`)
	p := newPlay(t, defaultConfig(t))
	p.event(`agent.spawned {"agent_id":"guardian-1","archetype":"Guardian"}`)
	p.event(reviewOf("guardian-1", paranoid)).event(completed1("guardian", paranoid))
	require.Len(t, p.signals, 1)
	p.event(completed1("guardian", paranoid))
	require.Len(t, p.signals, 2)
	p.event(`review.completed {"reviewer":"guardian-1","cycle":2,` + paranoid + `}`)
	require.Len(t, p.signals, 3)
	require.Equal(t, []int{1, 1, 2}, []int{p.signals[0].Cycle, p.signals[1].Cycle, p.signals[2].Cycle})
	require.Equal(t, "guardian/paranoid", p.signals[0].Subject)
	require.Equal(t, "guardian-1", p.signals[0].AgentID)
}

// RW-14: a lesson that names no finding is known by its words.
func TestLessonWithoutAFinding(t *testing.T) {
	for text, want := range map[string]int{"SQL injection in the order query": 1, "The clock of the worker drifts": 0, "": 0} {
		p := newPlay(t, defaultConfig(t))
		p.event(`memory.injected {"agent_id":"maker-1","lessons":[{"id":"L0","text":""},{"id":"L1","text":"Never build queries from text: SQL injection in the order query."}]}`)
		p.event(`cycle.completed {"cycle":1,"findings":[{"severity":"WARNING","text":"` + text + `"}]}`)
		require.Len(t, p.signals, want, text)
	}
}
