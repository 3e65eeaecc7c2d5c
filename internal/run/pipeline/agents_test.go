package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// PL-20.
func TestIsolation(t *testing.T) {
	cases := []struct {
		name string
		d    runevents.AgentSpawned
		says []string
	}{
		{"blind challenger", runevents.AgentSpawned{Role: "challenger", Mode: "blind", DeclaredInputs: []string{"ticket"}, ContextKeys: []string{"ticket"}}, []string{"gate spawn allow "}},
		{"full challenger", runevents.AgentSpawned{Role: "challenger", Mode: "full"}, []string{"V PL-20 ISOLATION-MODE", "gate spawn deny PL-20"}},
		{
			"evaluator without a mode",
			runevents.AgentSpawned{Role: "evaluator"},
			[]string{"gate spawn allow PL-20: Agent a (taken as blind)"},
		},
		{"adversarial without a mode, declared inputs", runevents.AgentSpawned{
			Role:           "adversarial",
			DeclaredInputs: []string{"diff"}, ContextKeys: []string{"diff"},
		}, []string{"gate spawn allow "}},
		{"challenger without a mode, undeclared", runevents.AgentSpawned{
			Role:           "challenger",
			DeclaredInputs: []string{"ticket"}, ContextKeys: []string{
				"ticket",
				"notes",
			},
		}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"challenger without a mode, a conclusion", runevents.AgentSpawned{
			Role:           "challenger",
			DeclaredInputs: []string{"coding_handoff"}, ContextKeys: []string{"coding_handoff"},
		}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"reviewer with the coder's assessment", runevents.AgentSpawned{
			Role: "reviewer", Mode: "full",
			ContextKeys: []string{
				"diff",
				"coderSelfAssessment",
			},
		}, []string{"W PL-20 REVIEWER-SEES-SELF-ASSESSMENT", "gate spawn allow "}},
		{"reviewer with the author's confidence", runevents.AgentSpawned{
			Role: "code-reviewer", Mode: "custom",
			Include: []string{"author_confidence"}, ContextKeys: []string{"author_confidence"},
		}, []string{"W PL-20 REVIEWER-SEES-SELF-ASSESSMENT", "gate spawn allow "}},
		{
			"reviewer without a mode",
			runevents.AgentSpawned{Role: "reviewer", ContextKeys: []string{"diff"}},
			[]string{"W PL-20 REVIEWER-SEES-SELF-ASSESSMENT", "gate spawn allow "},
		},
		{"reviewer with the diff", runevents.AgentSpawned{
			Role: "reviewer", Mode: "task-only",
			DeclaredInputs: []string{"diff", "ticket"}, ContextKeys: []string{
				"diff",
				"ticket",
			},
		}, []string{"gate spawn allow "}},
		{"reviewer with the coding handoff", runevents.AgentSpawned{
			Role: "reviewer", Mode: "full",
			ContextKeys: []string{"coding_handoff", "review_checklist"},
		}, []string{"gate spawn allow "}},
		{"coder with its own assessment", runevents.AgentSpawned{
			Role: "coder", Mode: "full",
			ContextKeys: []string{"self_assessment"},
		}, []string{"gate spawn allow "}},
		{"adversarial, task only", runevents.AgentSpawned{Role: "Adversarial-Reviewer", Mode: "task-only"}, []string{"ISOLATION-MODE", "gate spawn deny"}},
		{"full coder", runevents.AgentSpawned{Role: "coder", Mode: "full", ContextKeys: []string{"discovery_handoff", "tier0"}}, []string{"gate spawn allow "}},
		{"blind and undeclared", runevents.AgentSpawned{Role: "challenger", Mode: "blind", DeclaredInputs: []string{"ticket"}, ContextKeys: []string{"ticket", "chat"}}, []string{"V PL-20 CONTAMINATION", "gate spawn deny"}},
		{"blind with an undeclared tier 0", runevents.AgentSpawned{Role: "challenger", Mode: "blind", ContextKeys: []string{"tier0"}}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"blind with declared tiers", runevents.AgentSpawned{Role: "challenger", Mode: "blind", DeclaredInputs: []string{"Tier 0", "tier_1"}, ContextKeys: []string{"tier-0", "tier 1"}}, []string{"gate spawn allow "}},
		{"blind with a declared conclusion", runevents.AgentSpawned{Role: "challenger", Mode: "blind", DeclaredInputs: []string{"ticket", "primary_interpretation"}}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"blind with a prior artifact", runevents.AgentSpawned{Role: "evaluator", Mode: "blind", DeclaredInputs: []string{"wr.discovery_handoff"}, ContextKeys: []string{"wr.discovery_handoff"}}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"assumption challenger", runevents.AgentSpawned{Role: "assumption_challenger", Mode: "blind", DeclaredInputs: []string{"stated_assumptions"}, ContextKeys: []string{"stated_assumptions"}}, []string{"gate spawn allow "}},
		{"evaluator with assumptions", runevents.AgentSpawned{Role: "evaluator", Mode: "blind", DeclaredInputs: []string{"statedAssumptions"}, ContextKeys: []string{"stated_assumptions"}}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"undeclared assumptions", runevents.AgentSpawned{Role: "challenger", Mode: "blind", ContextKeys: []string{"stated_assumptions"}}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"task only", runevents.AgentSpawned{Role: "coder", Mode: "task-only", ContextKeys: []string{"task", "tier0"}}, []string{"gate spawn allow "}},
		{"task only and more", runevents.AgentSpawned{Role: "coder", Mode: "task-only", ContextKeys: []string{"task", "shaping_handoff"}}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"custom", runevents.AgentSpawned{Mode: "custom", Include: []string{"shaping"}, ContextKeys: []string{"shaping"}}, []string{"gate spawn allow "}},
		{"custom beyond", runevents.AgentSpawned{Mode: "custom", Include: []string{"shaping"}, ContextKeys: []string{"shaping", "coding"}}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"custom excluded", runevents.AgentSpawned{Mode: "custom", Exclude: []string{"self_assessment"}, ContextKeys: []string{"shaping", "self_assessment"}}, []string{"CONTAMINATION", "gate spawn deny"}},
		{"starved", runevents.AgentSpawned{Role: "coder", Mode: "full", RequiredKeys: []string{"discovery", "task"}, ContextKeys: []string{"task"}}, []string{"W PL-20 STARVATION: Agent a is not given context that it requires: discovery.", "gate spawn allow_with_warning"}},
		{"fed", runevents.AgentSpawned{Role: "coder", Mode: "full", RequiredKeys: []string{"task"}, ContextKeys: []string{"task"}}, []string{"gate spawn allow "}},
		{"fed by declaration", runevents.AgentSpawned{Role: "coder", Mode: "blind", RequiredKeys: []string{"task"}, DeclaredInputs: []string{"task"}}, []string{"gate spawn allow "}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.d.AgentID = "a"
			s := newStory(t)
			lines := s.tell("run", runevents.TypeAgentSpawned, &c.d)
			require.Len(t, lines, len(c.says), "%v", lines)
			for i, says := range c.says {
				require.Contains(t, lines[i], says)
			}
			ahead := s.tell("run", runevents.TypeGateRequested, &runevents.GateRequested{Gate: "spawn", Agent: &c.d})
			require.Len(t, ahead, 1, "asked ahead nothing is done yet")
			require.Contains(t, ahead[0], " ahead: ")
			require.Equal(t, lines[len(lines)-1], removed(ahead[0], " ahead"))
		})
	}
}

func removed(text, part string) string {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i:i+len(part)] == part {
			return text[:i] + text[i+len(part):]
		}
	}
	return text
}

func TestSpawnAheadNeedsAnAgent(t *testing.T) {
	require.Contains(t, newStory(t).tell("run", runevents.TypeGateRequested, &runevents.GateRequested{Gate: "spawn"})[0], "gate spawn deny PL-20 ahead")
}

// Acting without an allow; judgements carry the mode they were made in.
func TestEvaluationsCarryTheirMode(t *testing.T) {
	s := newStory(t)
	s.tell("run", runevents.TypeAgentSpawned, &runevents.AgentSpawned{AgentID: "a", Role: "challenger", Mode: "full"})
	lines := s.tell("run", runevents.TypeAgentCompleted, &runevents.AgentCompleted{AgentID: "a", Outcome: "success", Verdict: "approved"})
	require.Equal(t, []string{"V PL-20 SPAWN-WITHOUT-ALLOW: Agent a ran though its gate was not opened: what it found is not independent. [e1, e2]"}, lines)
	s.tell("run", runevents.TypeReviewCompleted, &runevents.ReviewCompleted{Reviewer: "b", Verdict: "clean"})
	require.Equal(t, []Evaluation{
		{Agent: "a", Role: "challenger", Mode: "full", Verdict: "approved", Event: "e2"}, {Agent: "b", Mode: "undeclared", Verdict: "clean", Event: "e3"},
	}, s.groups["run"].Run.Judged)
}

func turn(session string, files ...string) *sessionevents.TurnEvaluated {
	return &sessionevents.TurnEvaluated{Session: session, Run: "run", Turn: 1, Observed: &sessionevents.Observations{FilesEdited: files}}
}

// PL-10: silence of exactly the TTL is none.
func TestOrphans(t *testing.T) {
	ttl := 30 * time.Minute
	begin := func() *story {
		s := newStory(t)
		s.tell("run", runevents.TypeRunStarted, pipelineRun())
		return s
	}
	news := func(s *story) []string { return s.tell("run", runevents.TypeSpendReported, &runevents.SpendReported{}) }

	s := begin()
	s.tell("run", sessionevents.TypeTurnEvaluated, turn("s"))
	require.Empty(t, news(s.after(ttl)))
	require.Equal(t, []string{"W PL-10 SESSION-ORPHANED about s: Session s is orphaned: silent for more than 30 minutes. Recommendation: discard it and begin again, since it made no progress yet. [e2]"}, news(s.after(time.Second)))
	require.Empty(t, news(s.after(time.Hour)), "said once")
	s.tell("run", sessionevents.TypeTurnEvaluated, turn("s", "a.go"))
	require.Contains(t, news(s.after(2 * time.Hour))[0], "Recommendation: resume it, since it changed files.")

	s = begin()
	for range 10 {
		require.Empty(t, s.after(ttl-time.Minute).tell("run", sessionevents.TypeTurnEvaluated, turn("s")), "it goes on")
	}
	require.Contains(t, news(s.after(2 * time.Hour))[0], "SESSION-ORPHANED")

	s = begin()
	s.tell("run", sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{Session: "s", Run: "run"})
	s.tell("run", runevents.TypePhaseCompleted, s.completed("discovery", "wr.discovery_handoff", "", discovery))
	require.Contains(t, news(s.after(2 * time.Hour))[0], "resume it, since it handed over an artifact")

	for name, end := range map[string]struct {
		typ  events.Type
		data any
	}{
		"closed":        {sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "s", Reason: "completed"}},
		"agent is done": {runevents.TypeAgentCompleted, &runevents.AgentCompleted{AgentID: "a", Session: "s", Outcome: "success"}},
		"run is over":   {runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"}},
	} {
		s = begin()
		s.tell("run", sessionevents.TypeTurnEvaluated, turn("s"))
		s.tell("run", end.typ, end.data)
		require.Empty(t, news(s.after(2*time.Hour)), name)
	}

	s = begin()
	s.tell("run", sessionevents.TypeTurnEvaluated, turn("s"))
	s.tell("run", sessionevents.TypeSessionClosed, &sessionevents.SessionClosed{Session: "s", Reason: "idle_timeout"})
	require.Len(t, news(s.after(2*time.Hour)), 1, "closed for its silence")

	s = begin()
	s.tell("run", sessionevents.TypeTurnEvaluated, turn("first"))
	s.tell("run", runevents.TypePhaseCompleted, s.completed("discovery", "wr.discovery_handoff", "", discovery))
	for range 4 { // another took over
		require.Empty(t, s.after(20*time.Minute).tell("run", sessionevents.TypeTurnEvaluated, turn("second")))
	}
}

// PL-40.
func TestScope(t *testing.T) {
	criteria := []runevents.Criterion{
		{Criterion: "a", Status: "met", Evidence: "a.go"}, {Criterion: "b", Status: "partial", Evidence: "b.go"}, {Criterion: "c", Status: "missing"}, {Criterion: "d", Status: "unclear"},
	}
	s := newStory(t)
	require.Empty(t, s.tell("run", runevents.TypeScopeChecked, &runevents.ScopeChecked{Criteria: criteria, CriteriaSource: "ticket", MissingCount: new(2)}))
	require.Contains(t, s.tell("run", runevents.TypeScopeChecked, &runevents.ScopeChecked{Criteria: criteria, CriteriaSource: "none", MissingCount: new(1), CreepCount: new(1)})[0],
		"W PL-40 SCOPE-MISCOUNT: The scope check miscounts: 2 criteria are missing or partial, not 1; 0 changes are flagged as out of scope, not 1. Confidence in it: Low.")
	require.Empty(t, s.tell("run", runevents.TypeScopeChecked, &runevents.ScopeChecked{CriteriaSource: "none"}), "no source blocks nothing")
	require.Equal(t, []ScopeResult{
		{Event: "e1", Missing: 2, Unclear: 1, Confidence: "Medium"}, {Event: "e2", Missing: 2, Unclear: 1, Confidence: "Low"}, {Event: "e3", Confidence: "Low"},
	}, s.groups["run"].Run.Scopes)
}

func creepSignal(path string) *sessionevents.Signal {
	return &sessionevents.Signal{Session: "s", Run: "run", Detector: "D1", Class: sessionevents.ClassD, Subject: "the logger", Evidence: []sessionevents.Evidence{{Path: path}}}
}

// PL-40: one file, two sources, one finding.
func TestOneFindingOfTwoSources(t *testing.T) {
	check := &runevents.ScopeChecked{CriteriaSource: "ticket", CreepCount: new(2), Flags: []string{"src/log.go: rewrites the logger", "other/b.go"}}
	want := "W PL-40 SCOPE-CREEP: src/log.go is out of scope by two sources: D1 and scope.checked. [e1 /srv/shop/src/log.go, e2 src/log.go]"
	s := newStory(t)
	require.Empty(t, s.tell("run", sessionevents.TypeSignalDetected, creepSignal("/srv/shop/src/log.go")))
	require.Equal(t, []string{want}, s.tell("run", runevents.TypeScopeChecked, check))
	require.Empty(t, s.tell("run", runevents.TypeScopeChecked, check))
	require.Empty(t, s.tell("run", sessionevents.TypeSignalDetected, creepSignal("src/log.go")))
	require.Len(t, s.tell("run", sessionevents.TypeSignalDetected, creepSignal("/srv/shop/other/b.go")), 1, "in either order")
	suppressed := creepSignal("src/log.go")
	suppressed.Suppressed = "the user asked"
	s = newStory(t)
	s.tell("run", sessionevents.TypeSignalDetected, suppressed)
	require.Empty(t, s.tell("run", runevents.TypeScopeChecked, check))
}

func reviewed(reviewer string, cycle int, pairs ...string) *runevents.ReviewCompleted {
	d := &runevents.ReviewCompleted{Reviewer: reviewer, Cycle: cycle, Verdict: "approved"}
	for i := 0; i+1 < len(pairs); i += 2 {
		d.Checklist = append(d.Checklist, runevents.ChecklistItem{Item: pairs[i], Result: pairs[i+1]})
	}
	return d
}

// PL-41: a failed item denies the merge whatever the verdict, until it passes.
func TestFailedChecklistDeniesMerge(t *testing.T) {
	s := newStory(t)
	merge := &runevents.GateRequested{Gate: "merge"}
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	require.Empty(t, s.tell("run", runevents.TypeReviewCompleted, reviewed("sage", 1, "tests", "passed", "docs", "unverifiable")))
	require.Contains(t, s.tell("run", runevents.TypeGateRequested, merge)[0], "gate merge allow ")
	lines := s.tell("run", runevents.TypeReviewCompleted, reviewed("sage", 1, "tests", "failed", "docs", "passed"))
	require.Equal(t, []string{"gate merge deny PL-41: The review by sage (verdict approved) is blocking: 1 item of its checklist failed: tests."}, lines)
	require.Contains(t, s.tell("run", runevents.TypeGateRequested, merge)[0], "gate merge deny PL-41 ahead")
	require.Empty(t, s.tell("run", runevents.TypeReviewCompleted, reviewed("guardian", 1, "tests", "passed", "docs", "passed")), "another's word in the same cycle")
	require.Contains(t, s.tell("run", runevents.TypeWaveMergeRequested, &runevents.WaveMergeRequested{Wave: 1})[0], "gate merge deny PL-41")
	require.Contains(t, s.tell("run", runevents.TypeMergeCompleted, &runevents.MergeCompleted{})[0], "V PL-41 MERGED-WITH-FAILED-CHECKLIST")
	s.tell("run", runevents.TypeReviewCompleted, reviewed("guardian", 2, "tests", "passed", "docs", "passed"))
	require.Contains(t, s.tell("run", runevents.TypeGateRequested, merge)[0], "gate merge allow ")
	require.Empty(t, s.tell("run", runevents.TypeMergeCompleted, &runevents.MergeCompleted{}))
}

// PL-41: every item is reported.
func TestChecklistIsReported(t *testing.T) {
	warns := func(lines []string, says string) {
		require.Len(t, lines, 1, "%v", lines)
		require.Contains(t, lines[0], "W PL-41 CHECKLIST-NOT-REPORTED: "+says)
	}
	s := newStory(t)
	warns(s.tell("run", runevents.TypeReviewCompleted, reviewed("sage", 1, "tests", "passed", "docs", "")), "The review by sage does not report 1 item of the checklist: docs.")
	require.Empty(t, s.tell("run", runevents.TypeReviewCompleted, reviewed("sage", 2, "Tests ", "passed")), "docs never had a result: it is known to nobody")
	s.tell("run", runevents.TypeReviewCompleted, reviewed("sage", 3, "tests", "passed", "docs", "passed"))
	warns(s.tell("run", runevents.TypeReviewCompleted, reviewed("sage", 4, "tests", "passed")), "The review by sage does not report 1 item of the checklist: docs.")
	warns(s.tell("run", runevents.TypeReviewCompleted, reviewed("sage", 5)), "The review by sage does not report 2 items")
	require.Empty(t, s.tell("run", runevents.TypeReviewCompleted, reviewed("guardian", 5)), "it has no checklist")
	require.Empty(t, s.tell("run", runevents.TypeReviewCompleted, reviewed("guardian", 5, "exploits", "passed")), "another checklist")
	warns(s.tell("run", runevents.TypeReviewCompleted, reviewed("skeptic", 6, "docs", "passed")), "The review by skeptic does not report 1 item of the checklist: tests.")

	s = newStory(t)
	s.config.Checklist = []string{"licence"}
	warns(s.tell("run", runevents.TypeReviewCompleted, reviewed("sage", 1)), "The review by sage does not report 1 item of the checklist: licence.")

	s = newStory(t)
	s.tell("run", runevents.TypePhaseCompleted, s.completed("shaping", "wr.shaping_handoff", "", shaping))
	warns(s.tell("run", runevents.TypeReviewCompleted, reviewed("sage", 1, "charges once", "passed")), "The review by sage does not report 1 item of the checklist: \"gives up after three\".")
	require.Empty(t, s.tell("run", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"}), "said when the review left it out")

	s = newStory(t)
	s.tell("run", runevents.TypePhaseCompleted, s.completed("shaping", "wr.shaping_handoff", "", shaping))
	warns(s.tell("run", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"}), "No review reported 2 items that shaping laid down: \"charges once\", \"gives up after three\".")
}

// PL-42: source edited while a plan is made.
func TestPlanPhaseEdits(t *testing.T) {
	s := newStory(t)
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	s.tell("run", runevents.TypePhaseStarted, started("planning", ""))
	require.Empty(t, s.tell("run", sessionevents.TypeTurnEvaluated, turn("s", "docs/plan.go", "implementation_plan.md", "notes.txt", "spec.json")))
	lines := s.tell("run", sessionevents.TypeTurnEvaluated, turn("s", "src/pay.go", "plan.md"))
	require.Equal(t, []string{"interrupt about s PL-42: Phase planning makes a plan, yet you edited src/pay.go. Take the edit back and finish the plan; building begins in its own phase."}, lines)
	require.Empty(t, s.tell("run", sessionevents.TypeTurnEvaluated, turn("s", "src/pay.go")), "once a file")
	require.Len(t, s.tell("run", sessionevents.TypeTurnEvaluated, turn("s", "go.mod")), 1)
	s.tell("run", runevents.TypePhaseCompleted, s.completed("planning", "", notes(60)))
	require.Empty(t, s.tell("run", sessionevents.TypeTurnEvaluated, turn("s", "src/other.go")), "between phases")
	s.tell("run", runevents.TypePhaseStarted, started("implement", ""))
	require.Empty(t, s.tell("run", sessionevents.TypeTurnEvaluated, turn("s", "src/other.go")))
	s.tell("run", runevents.TypePhaseStarted, started("re-plan", ""))
	require.Empty(t, s.tell("run", sessionevents.TypeTurnEvaluated, turn("s", "src/other.go")), "beside a phase that builds")
}

// PL-42: one slice in an iteration.
func TestSlices(t *testing.T) {
	cases := []struct {
		name  string
		notes string
		tasks []string
		done  runevents.TextList
		cycle int
		want  int
	}{
		{name: "one by name", tasks: []string{"slice-1", "slice 1 review"}, cycle: 1},
		{name: "two by name", tasks: []string{"slice-1", "Slice 2: errors", "slice-3"}, cycle: 1, want: 1},
		{name: "two, no iteration said", tasks: []string{"slice-1", "slice-2"}},
		{name: "two as given", done: runevents.TextList{"2", "3"}, want: 1},
		{name: "one as given", done: runevents.TextList{"2", "2"}},
		{name: "two in notes", notes: "Implemented slices 2 and 3 with their tests.", want: 1},
		{name: "both in notes", notes: "Both slices are done.", want: 1},
		{name: "next in notes", notes: "Slice 2 is done. Slices 3 and 4 are next."},
		{name: "not done in notes", notes: "Slices 2 and 3 are not done"},
		{name: "slices of bread", notes: "Done: the parser slices 3 fields"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStory(t)
			s.tell("run", runevents.TypeRunStarted, pipelineRun())
			s.tell("run", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "implement", Cycle: c.cycle, ContractRef: "wr.coding_handoff"})
			var lines []string
			for _, task := range c.tasks {
				lines = append(lines, s.tell("run", runevents.TypeTaskCompleted, &runevents.TaskCompleted{Task: task, Outcome: "success"})...)
			}
			d := s.completed("implement", "", c.notes, coding)
			d.Slices = c.done
			lines = append(lines, s.tell("run", runevents.TypePhaseCompleted, d)...)
			require.Len(t, lines, c.want, "%v", lines)
			if c.want > 0 {
				require.Contains(t, lines[0], "W PL-42 SEVERAL-SLICES")
			}
		})
	}
}

// PL-42: Markdown that nobody asked for.
func TestMarkdown(t *testing.T) {
	commit := func(files ...string) *runevents.GitCommit {
		return &runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorInfra}, Files: files}
	}
	s := newStory(t)
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	require.Empty(t, s.tell("run", runevents.TypeGitCommit, commit("pay.go")))
	require.Equal(t, []string{"W PL-42 MARKDOWN-COMMITTED: Markdown was committed that nobody asked for: notes/design.md. [e3 notes/design.md]"}, s.tell("run", runevents.TypeGitCommit, commit("pay.go", "notes/design.md")))
	blocked := commit("design.md")
	blocked.Blocked = true
	require.Empty(t, s.tell("run", runevents.TypeGitCommit, blocked))
	s.tell("run", runevents.TypeProposalPublished, &runevents.ProposalPublished{Files: []string{"notes/design.md"}})
	require.Empty(t, s.tell("run", runevents.TypeGitCommit, commit("notes/design.md")))
	require.Len(t, s.tell("run", runevents.TypeGitCommit, commit("RUNBOOK.md")), 1)
	s.tell("run", runevents.TypeTicketReceived, &runevents.TicketReceived{Title: "Retry", Text: "Add it to the runbook too."})
	require.Empty(t, s.tell("run", runevents.TypeGitCommit, commit("RUNBOOK.md")))
	require.Len(t, s.tell("run", runevents.TypeGitCommit, commit("x.md")), 1)
	s.tell("run", runevents.TypeTicketReceived, &runevents.TicketReceived{Title: "Update the documentation"})
	require.Empty(t, s.tell("run", runevents.TypeGitCommit, commit("x.md")))
}
