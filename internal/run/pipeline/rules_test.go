package pipeline

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// handing plays a phase that hands over something, then asks for the next one.
func handing(t *testing.T, trigger *runevents.Trigger, d *runevents.PhaseCompleted) (s *story, completed, next []string) {
	s = newStory(t)
	s.tell("run", runevents.TypeRunStarted, &runevents.RunStarted{Kind: "pipeline", Trigger: trigger})
	s.tell("run", runevents.TypePhaseStarted, started("discovery", "wr.discovery_handoff"))
	completed = s.tell("run", runevents.TypePhaseCompleted, d)
	return s, completed, s.tell("run", runevents.TypePhaseStarted, started("coding", "wr.coding_handoff"))
}

func notes(n int) string { return "  " + strings.Repeat("ä", n) + "\n" }

// PL-1, PL-2: 51 trimmed characters are partial, 50 are fallback.
func TestNotesDecideWithoutArtifact(t *testing.T) {
	s := newStory(t)
	_, _, next := handing(t, nil, s.completed("discovery", "", notes(51)))
	require.Len(t, next, 1)
	require.Contains(t, next[0], "gate next_phase allow_with_warning PL-2: Phase discovery handed over no wr.discovery_handoff, notes only.")
	_, completed, next := handing(t, nil, s.completed("discovery", "", notes(50)))
	require.Len(t, completed, 2, "%v", completed)
	require.Contains(t, completed[0], "MISSING_REQUIRED_ARTIFACT")
	require.Contains(t, completed[1], "escalation to user handover/fallback")
	require.Contains(t, next[0], "gate next_phase deny PL-2: Phase discovery handed over no wr.discovery_handoff, and notes of 50 characters")
}

// PL-1: an invalid artifact counts as none, and a claim does not count.
func TestInvalidArtifactCountsAsNone(t *testing.T) {
	s := newStory(t)
	d := s.completed("discovery", "", notes(60), strings.Replace(discovery, `"high"`, `"certain"`, 1))
	d.ClaimedResult = "full"
	_, completed, next := handing(t, nil, d)
	require.Equal(t, []string{
		"V PL-4 INVALID_ARTIFACT_SCHEMA: Artifact 1 of phase discovery (wr.discovery_handoff) breaks its contract at /confidenceBand: value must be one of 'high', 'medium', 'low'. [e3 /confidenceBand]",
		"W PL-1 CLAIMED-RESULT: Phase discovery claims to hand over full; by its contract it is partial, and that counts. [e3]",
	}, completed)
	require.Contains(t, next[0], "allow_with_warning")
	d = s.completed("discovery", "", "", discovery)
	d.ClaimedResult = " Full"
	_, completed, _ = handing(t, nil, d)
	require.Empty(t, completed)
}

// PL-2: what a trigger says of partial handovers.
func TestPartialPolicies(t *testing.T) {
	s := newStory(t)
	partial := s.completed("discovery", "", notes(51))
	_, completed, next := handing(t, &runevents.Trigger{OnPartial: "escalate"}, partial)
	require.Contains(t, completed[1], "escalation to user handover/partial")
	require.Contains(t, next[0], "gate next_phase deny")

	s, completed, next = handing(t, &runevents.Trigger{OnPartial: "retry_once"}, partial)
	require.Len(t, completed, 1, "no person yet: %v", completed)
	require.Contains(t, next[0], "deny PL-2: Phase discovery handed over no wr.discovery_handoff, notes only: run it once more")
	again := s.tell("run", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "discovery", Attempt: 2, ContractRef: "wr.discovery_handoff"})
	require.Contains(t, again[0], "gate next_phase allow ")
	completed = s.tell("run", runevents.TypePhaseCompleted, partial)
	require.Contains(t, completed[1], "escalation to user handover/partial")
	require.Contains(t, s.tell("run", runevents.TypePhaseStarted, started("coding", ""))[0], "deny")
	s.tell("run", runevents.TypeOperatorAct, &runevents.OperatorAct{Act: "approve", Run: "run", By: "mara"})
	require.Contains(t, s.tell("run", runevents.TypePhaseStarted, started("coding", ""))[0], "allow_with_warning PL-2: Phase discovery handed over no wr.discovery_handoff, notes only; mara let the run go on.")
}

// Acting without an allow is itself a violation; a gate asked ahead changes nothing.
func TestDeniedPhaseThatRuns(t *testing.T) {
	s := newStory(t)
	s, _, next := handing(t, nil, s.completed("discovery", "", "short"))
	require.Contains(t, next[0], "deny")
	require.Contains(t, s.tell("run", runevents.TypePhaseCompleted, s.completed("coding", "", "", coding))[0], "V PL-2 PHASE-WITHOUT-ALLOW")

	s, _, _ = handing(t, nil, s.completed("discovery", "", "", discovery))
	before, err := json.Marshal(s.groups["run"])
	require.NoError(t, err)
	require.Contains(t, s.tell("run", runevents.TypeGateRequested, &runevents.GateRequested{Gate: "next_phase", Phase: "review"})[0], "gate next_phase allow PL-2 ahead")
	after, err := json.Marshal(s.groups["run"])
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

// A run that builds without a pipeline is left alone.
func TestOtherRunsAreLeftAlone(t *testing.T) {
	for _, kind := range []string{"build", "saw", ""} {
		s := newStory(t)
		var all []string
		for _, phase := range []string{"plan", "do", "check"} {
			all = append(all, s.tell("run", runevents.TypeRunStarted, &runevents.RunStarted{Kind: kind, Workspace: "shop"})...)
			all = append(all, s.tell("run", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: phase})...)
			all = append(all, s.tell("run", sessionevents.TypeTurnEvaluated, &sessionevents.TurnEvaluated{Session: "s", Run: "run", Turn: 1, Observed: &sessionevents.Observations{FilesEdited: []string{"a.go"}}})...)
			all = append(all, s.tell("run", runevents.TypeAgentSpawned, &runevents.AgentSpawned{AgentID: "m", Archetype: "maker"})...)
			all = append(all, s.tell("run", runevents.TypeGitCommit, &runevents.GitCommit{Files: []string{"README.md"}})...)
			all = append(all, s.tell("run", runevents.TypePhaseCompleted, &runevents.PhaseCompleted{Phase: phase, Notes: "done"})...)
			all = append(all, s.tell("run", runevents.TypeMergeCompleted, &runevents.MergeCompleted{})...)
		}
		all = append(all, s.tell("run", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"})...)
		require.Empty(t, all, kind)
	}
}

// PL-1: of a run that never said what it is, notes show it.
func TestNotesOfARunOfNoKind(t *testing.T) {
	s := newStory(t)
	require.Empty(t, s.tell("bare", runevents.TypePhaseCompleted, &runevents.PhaseCompleted{Phase: "plan"}))
	require.Empty(t, s.tell("bare", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "do"}))
	s.tell("run", runevents.TypePhaseCompleted, &runevents.PhaseCompleted{Phase: "plan", Notes: strings.Repeat("n", 50)})
	require.Contains(t, s.tell("run", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "do"})[0], "gate next_phase deny PL-2")
	s.tell("other", runevents.TypePhaseCompleted, &runevents.PhaseCompleted{Phase: "plan", Notes: strings.Repeat("n", 51)})
	require.Contains(t, s.tell("other", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "do"})[0], "gate next_phase allow_with_warning PL-2")
}

// PL-4, PL-5: contracts from outside.
func TestRegisteredContracts(t *testing.T) {
	s := newStory(t)
	schema := json.RawMessage(`{"type":"object","required":["tag"],"additionalProperties":false,"properties":{"kind":{},"version":{},"tag":{"type":"string"}}}`)
	register := func(ref string, version int, schema json.RawMessage, hash string) []string {
		return s.tell("run", runevents.TypeContractRegistered, &runevents.ContractRegistered{Ref: ref, Version: version, Schema: schema, Hash: hash})
	}
	phase := func(ref, document string) []string {
		return s.tell("run", runevents.TypePhaseCompleted, s.completed("release", ref, notes(60), document))
	}
	require.Contains(t, phase("acme.release", `{"kind":"acme.release","tag":"v1"}`)[0], "V PL-4 UNKNOWN_CONTRACT_REF")
	require.Empty(t, register("acme.release", 1, schema, ""))
	require.Empty(t, phase("acme.release", `{"kind":"acme.release","tag":"v1"}`))
	require.Empty(t, phase("acme.contracts.release", `{"kind":"acme.release","tag":"v1"}`))
	require.Contains(t, phase("acme.release", `{"kind":"acme.release","tag":1}`)[0], "breaks its contract at /tag: got number, want string")
	require.Contains(t, phase("acme.release", `{"kind":"acme.release","version":3,"tag":"v1"}`)[0], "breaks its contract at /version: version 3 is not registered (known: 1)")
	require.Contains(t, phase("acme.release", `{"kind":"wr.loop_control","decision":"stop"}`)[0], "V PL-4 MISSING_REQUIRED_ARTIFACT")
	require.Contains(t, phase("acme.release", `7`)[0], "at /kind")

	spaced := json.RawMessage("{ \"additionalProperties\" : false, \"required\":[\"tag\"],\"type\":\"object\",\n\"properties\":{\"kind\":{},\"version\":{},\"tag\":{\"type\":\"string\"}}}")
	require.Empty(t, register("acme.release", 1, spaced, ""), "the same but for order and white space")
	require.Contains(t, register("acme.release", 1, json.RawMessage(`{}`), "")[0], "V PL-5 CONTRACT-HASH-CONFLICT")
	require.Empty(t, phase("acme.release", `{"kind":"acme.release","tag":"v1"}`), "the first one stands")
	require.Empty(t, register("acme.release", 2, json.RawMessage(`{"required":["notes"]}`), ""))
	require.Contains(t, phase("acme.release", `{"kind":"acme.release","version":2,"tag":"v1"}`)[0], "at /notes: is missing")
	require.Contains(t, register("wr.contracts.coding_handoff", 1, json.RawMessage(`{}`), "")[0], "CONTRACT-HASH-CONFLICT", "built-ins are no exception")
	require.Contains(t, register("acme.other", 1, schema, strings.Repeat("0", 64))[0], "W PL-5 CONTRACT-HASH-CLAIMED")
	require.Empty(t, register("acme.named", 1, schema, "r1"), "a label is no digest")
	require.Contains(t, register("acme.named", 1, schema, "r2")[0], "CONTRACT-HASH-CONFLICT")
	for _, bad := range []string{`{"$ref":"https://example.org/x"}`, `{"type":"objekt"}`, `{`, ``} {
		require.Contains(t, register("acme.bad", 1, json.RawMessage(bad), "")[0], "V PL-5 INVALID-CONTRACT")
	}
	require.Contains(t, register("acme.bad", 0, schema, "")[0], "versions count from 1")
	require.Contains(t, register(" ", 1, schema, "")[0], "INVALID-CONTRACT")
}

func TestContractsAreBounded(t *testing.T) {
	s := newStory(t)
	for i := range 40 {
		d := &runevents.ContractRegistered{Ref: "acme.c", Version: i + 1, Schema: json.RawMessage(`{"title":"` + strings.Repeat("x", 16000) + `"}`)}
		lines := s.tell("run", runevents.TypeContractRegistered, d)
		require.Equal(t, i >= 16, len(lines) > 0, "%d: %v", i, lines)
	}
	require.Len(t, s.groups["run"].Run.Contracts, 16)
}

// PL-6: the built-in contracts at their bounds.
func TestBuiltins(t *testing.T) {
	many := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"x",`, n), ",") + "]" }
	cases := []struct{ ref, document, path string }{
		{"wr.coding_handoff", coding, ""},
		{"wr.coding_handoff", strings.Replace(coding, `"branchName":"retry",`, "", 1), "/branchName"},
		{"wr.coding_handoff", strings.Replace(coding, `"branchName":"retry",`, `"branchName":"",`, 1), "/branchName"},
		{"wr.coding_handoff", strings.Replace(coding, `"version":1,`, "", 1), ""},
		{"wr.coding_handoff", strings.Replace(coding, `"version":1`, `"version":"1"`, 1), "/version"},
		{"wr.coding_handoff", strings.Replace(coding, `"testsAdded":["TestRetry"],`, "", 1), "/testsAdded"},
		{"wr.coding_handoff", strings.Replace(coding, `{`, `{"extra":1,`, 1), "/extra"},
		{"wr.discovery_handoff", strings.Replace(discovery, `["one charge a payment"]`, many(12), 1), ""},
		{"wr.discovery_handoff", strings.Replace(discovery, `["one charge a payment"]`, many(13), 1), "/keyInvariants"},
		{"wr.discovery_handoff", strings.Replace(discovery, `{`, `{"rejectedDirections":[{"direction":"a"}],`, 1), "/rejectedDirections/0/reason"},
		{"wr.discovery_handoff", strings.Replace(discovery, `{`, `{"implementationConstraints":`+many(9)+`,`, 1), "/implementationConstraints"},
		{"wr.discovery_handoff", strings.Replace(discovery, `{`, `{"keyCodebaseLocations":[{"path":"a","relevance":"b"}],`, 1), ""},
		{"wr.shaping_handoff", strings.Replace(shaping, `"keyConstraints":[]`, `"keyConstraints":`+many(9), 1), "/keyConstraints"},
		{"wr.shaping_handoff", strings.Replace(shaping, `"rabbitHoles":[]`, `"rabbitHoles":`+many(7), 1), "/rabbitHoles"},
		{"wr.shaping_handoff", strings.Replace(shaping, `"outOfScope":[]`, `"outOfScope":`+many(6), 1), ""},
		{"wr.shaping_handoff", strings.Replace(shaping, `["charges once","gives up after three"]`, many(11), 1), "/validationChecklist"},
		{"wr.review_verdict", review, ""},
		{"wr.review_verdict", strings.Replace(review, `"clean"`, `"approved"`, 1), "/verdict"},
		{"wr.review_verdict", strings.Replace(review, `"findings":[]`, `"findings":[{"severity":"major","summary":"x","findingCategory":"y"}]`, 1), ""},
		{"wr.review_verdict", strings.Replace(review, `"findings":[]`, `"findings":[{"severity":"CRITICAL","summary":"x"}]`, 1), "/findings/0/severity"},
		{"wr.loop_control", `{"kind":"wr.loop_control","decision":"stop"}`, ""},
		{"wr.loop_control", `{"kind":"wr.contracts.loop_control","version":1,"decision":"pause"}`, "/decision"},
	}
	for _, c := range cases {
		s := newStory(t)
		lines := s.tell("run", runevents.TypePhaseCompleted, s.completed("p", c.ref, notes(60), c.document))
		if c.path == "" {
			require.Empty(t, lines, c.document)
			continue
		}
		require.Len(t, lines, 1, c.document)
		require.Contains(t, lines[0], "INVALID_ARTIFACT_SCHEMA", c.document)
		require.Contains(t, lines[0], " at "+c.path+":", c.document)
	}
}

// PL-6: an owned worktree tells the branch; corrections come from a fix or retry.
func TestContractsBeyondTheirSchema(t *testing.T) {
	branchless := strings.Replace(coding, `"branchName":"retry",`, "", 1)
	s := newStory(t)
	s.tell("run", runevents.TypeWorktreeCreated, &runevents.WorktreeCreated{Path: "w", Branch: "w"})
	require.Empty(t, s.tell("run", runevents.TypePhaseCompleted, s.completed("coding", "wr.coding_handoff", "", branchless)))

	corrected := strings.Replace(coding, `{`, `{"correctedAssumptions":[{"assumed":"a","actual":"b"}],`, 1)
	cases := []struct {
		started runevents.PhaseStarted
		warns   bool
	}{
		{runevents.PhaseStarted{Phase: "coding"}, true},
		{runevents.PhaseStarted{Phase: "coding", Attempt: 1, Cycle: 1}, true},
		{runevents.PhaseStarted{Phase: "coding", Attempt: 2}, false},
		{runevents.PhaseStarted{Phase: "coding", Cycle: 2}, false},
		{runevents.PhaseStarted{Phase: "fix-review"}, false},
	}
	for _, c := range cases {
		s := newStory(t)
		s.tell("run", runevents.TypeRunStarted, pipelineRun())
		s.tell("run", runevents.TypePhaseStarted, &c.started)
		lines := s.tell("run", runevents.TypePhaseCompleted, s.completed(c.started.Phase, "wr.coding_handoff", "", corrected))
		require.Equal(t, c.warns, len(lines) == 1, "%+v: %v", c.started, lines)
	}
}

// PL-7: final steps, by their name and by the end of their workflow.
func TestFinalSteps(t *testing.T) {
	s := newStory(t)
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	s.tell("run", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "phase-8-retrospective", Workflow: "wr.coding-task"})
	lines := s.tell("run", runevents.TypePhaseCompleted, s.completed("phase-8-retrospective", "", notes(60)))
	require.Contains(t, lines[0], "V PL-7 MISSING_REQUIRED_ARTIFACT: Phase phase-8-retrospective completed without the wr.coding_handoff artifact")
	require.Empty(t, s.tell("run", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"}), "said once")

	s = newStory(t)
	s.tell("run", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "phase-0-understand", Workflow: "wr.discovery"})
	require.Empty(t, s.tell("run", runevents.TypePhaseCompleted, s.completed("phase-0-understand", "", "")), "a step owes nothing")
	lines = s.tell("run", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "shaping", Workflow: "wr.shaping"})
	require.Equal(t, "V PL-7 MISSING_REQUIRED_ARTIFACT: Workflow wr.discovery ended with phase phase-0-understand and emitted no wr.discovery_handoff. [e2, e3]", lines[0])
	require.Contains(t, lines[1], "gate next_phase allow ")
}

// PL-8.
func TestLoops(t *testing.T) {
	one := []runevents.Finding{{ID: "f1", State: "open"}}
	cases := []struct {
		name string
		d    runevents.CycleCompleted
		says string
	}{
		{"goes on with findings", runevents.CycleCompleted{Findings: one, Decision: "continue"}, ""},
		{"stops with findings", runevents.CycleCompleted{Cycle: 2, Findings: one, Decision: "stop"}, "W PL-8 LOOP-STOPPED-WITH-FINDINGS: Cycle 2 stops with 1 finding open, below the limit of its loop: f1."},
		{"stops at the limit", runevents.CycleCompleted{Findings: one, Decision: "stop", LimitReached: true, Residual: runevents.TextList{"slow"}}, ""},
		{"stops with fixed findings", runevents.CycleCompleted{Findings: []runevents.Finding{{ID: "f", State: "fixed"}}, Decision: "stop", Checked: runevents.TextList{"all"}}, ""},
		{"goes on clean", runevents.CycleCompleted{Decision: "continue"}, "LOOP-CONTINUED-CLEAN"},
		{"stops clean", runevents.CycleCompleted{Decision: "stop"}, "CLEAN-STOP-UNEXPLAINED"},
		{"stops clean with blanks", runevents.CycleCompleted{Decision: "stop", Checked: runevents.TextList{" "}}, "CLEAN-STOP-UNEXPLAINED"},
		{"stops clean and says so", runevents.CycleCompleted{Decision: "stop", Checked: runevents.TextList{"edge cases"}}, ""},
		{"decides nothing", runevents.CycleCompleted{Findings: one}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStory(t)
			s.tell("run", runevents.TypeRunStarted, pipelineRun())
			lines := s.tell("run", runevents.TypeCycleCompleted, &c.d)
			if c.says == "" {
				require.Empty(t, lines)
				return
			}
			require.Len(t, lines, 1)
			require.Contains(t, lines[0], c.says)
		})
	}
	s := newStory(t)
	s.tell("run", runevents.TypeCycleCompleted, &cases[2].d)
	require.Equal(t, []Leftover{{Event: "e1", Findings: []string{"f1"}, Residual: []string{"slow"}}}, s.groups["run"].Run.Leftovers)
}

// PL-9: 8192 bytes without Tier 0 are enough, 8193 too many.
func TestContextBudget(t *testing.T) {
	section := func(tier, bytes int, status string) runevents.ContextSection {
		return runevents.ContextSection{Name: "s", Tier: &tier, Bytes: bytes, Status: status}
	}
	cases := []struct {
		name string
		d    runevents.ContextAssembled
		says []string
	}{
		{"full", runevents.ContextAssembled{Bytes: 8192}, nil},
		{"one more", runevents.ContextAssembled{Bytes: 8193}, []string{"CONTEXT-TOO-LARGE"}},
		{"summed", runevents.ContextAssembled{Sections: []runevents.ContextSection{section(1, 8000, ""), section(2, 193, "included")}}, []string{"has 8193 bytes"}},
		{"tier 0 apart", runevents.ContextAssembled{Sections: []runevents.ContextSection{section(0, 9000, ""), section(1, 8192, "")}}, nil},
		{"tier 0 within the claim", runevents.ContextAssembled{Bytes: 9100, Sections: []runevents.ContextSection{section(0, 9000, ""), section(1, 100, "")}}, nil},
		{"a larger claim", runevents.ContextAssembled{Bytes: 8193, Sections: []runevents.ContextSection{section(1, 100, "")}}, []string{"CONTEXT-TOO-LARGE"}},
		{"dropped whole", runevents.ContextAssembled{Sections: []runevents.ContextSection{section(1, 9000, "dropped"), section(1, 10, "")}}, nil},
		{"cut", runevents.ContextAssembled{Sections: []runevents.ContextSection{section(1, 10, "cut")}}, []string{"CONTEXT-SECTION-CUT"}},
		{"no sizes at all", runevents.ContextAssembled{Bytes: -5, Sections: []runevents.ContextSection{section(1, -7, "")}}, nil},
		{"beyond integers", runevents.ContextAssembled{Sections: []runevents.ContextSection{section(1, 1<<62, ""), section(1, 1<<62, ""), section(1, 1<<62, "")}}, []string{"CONTEXT-TOO-LARGE"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			lines := newStory(t).tell("run", runevents.TypeContextAssembled, &c.d)
			require.Len(t, lines, len(c.says), "%v", lines)
			for i, says := range c.says {
				require.Contains(t, lines[i], says)
			}
		})
	}
}

// PL-3: what came of handovers that were not full.
func TestDegradationsAreCounted(t *testing.T) {
	s := newStory(t)
	s, _, _ = handing(t, nil, s.completed("discovery", "", notes(51)))
	s.tell("run", runevents.TypeReviewCompleted, &runevents.ReviewCompleted{Reviewer: "r", Verdict: "minor", Findings: []runevents.Finding{
		{Text: "Built without context of the retry helper"}, {Category: "missing_context"}, {Text: "typo"},
	}})
	s.tell("run", runevents.TypePhaseStarted, started("fix", ""))
	s.tell("run", runevents.TypePhaseStarted, started("release", ""))
	require.Equal(t, []Degradation{{Phase: "discovery", Quality: "partial", Event: "e3", Findings: 2, FixLoops: 1}}, s.groups["run"].Run.Degraded)
}

// PL-10: a context that was not kept.
func TestUnsavedContext(t *testing.T) {
	s := newStory(t)
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	s.tell("run", runevents.TypePhaseCompleted, s.completed("discovery", "wr.discovery_handoff", "", discovery))
	require.Contains(t, s.tell("run", runevents.TypeContextPersistFailed, &runevents.ContextPersistFailed{Phase: "discovery", Why: "disk full"})[0], "escalation to user context/persist_failed")
	require.Contains(t, s.tell("run", runevents.TypePhaseStarted, started("coding", ""))[0], "gate next_phase deny PL-10: The context of phase discovery could not be kept (disk full)")
	require.Contains(t, s.tell("run", runevents.TypePhaseStarted, started("discovery", "wr.discovery_handoff"))[0], " allow ")
	s.tell("run", runevents.TypePhaseCompleted, s.completed("discovery", "", "", discovery))
	require.Contains(t, s.tell("run", runevents.TypePhaseStarted, started("coding", ""))[0], " allow ")
}

func resumeOf(prior string, restored ...string) *runevents.RunResumed {
	return &runevents.RunResumed{Actor: runevents.Actor{Kind: runevents.ActorHuman}, PriorRunID: prior, RestoredPhases: restored, By: "mara", Why: "crash"}
}

// PL-10: what was completed before a resume need not run again.
func TestResume(t *testing.T) {
	s := newStory(t)
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	s.tell("run", runevents.TypePhaseCompleted, s.completed("discovery", "wr.discovery_handoff", "", discovery))
	s.tell("run", runevents.TypeRunResumed, resumeOf("run"))
	lines := s.tell("run", runevents.TypePhaseStarted, started("discovery", ""))
	require.Contains(t, lines[0], "V PL-10 COMPLETED-PHASE-RESTARTED: Phase discovery was completed before the run was resumed")
	require.Contains(t, lines[1], "gate next_phase deny PL-10")
	require.Len(t, s.tell("run", runevents.TypePhaseStarted, &runevents.PhaseStarted{Phase: "discovery", Cycle: 2}), 1, "another cycle is another phase")
	require.Len(t, s.tell("run", runevents.TypePhaseStarted, started("shaping", "")), 1)

	s = newStory(t)
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	s.tell("run", runevents.TypeRunResumed, resumeOf("crashed", "discovery"))
	require.Contains(t, s.tell("run", runevents.TypePhaseStarted, started("discovery", ""))[0], "V PL-10")

	s = newStory(t)
	s.tell("run", runevents.TypeRunStarted, pipelineRun())
	s.tell("run", runevents.TypePhaseCompleted, s.completed("discovery", "wr.discovery_handoff", "", discovery))
	s.tell("run", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"})
	s.tell("run", runevents.TypeRunResumed, resumeOf("run", "discovery"))
	require.Empty(t, loud(s.tell("run", runevents.TypePhaseStarted, started("discovery", ""))), "a completed pointer is ignored")
}

// PL-10: runs of a workspace.
func TestWorkspace(t *testing.T) {
	in := func(workspace string) *runevents.RunStarted {
		return &runevents.RunStarted{Kind: "pipeline", Workspace: workspace}
	}
	s := newStory(t)
	require.Empty(t, s.tell("one", runevents.TypeRunStarted, in("shop")))
	require.Empty(t, s.tell("other", runevents.TypeRunStarted, in("blog")))
	require.Equal(t, []string{"W PL-10 RUN-IN-PROGRESS about two: Run two begins while one is in progress in the same workspace: resume that one, or end it. [e5, e1]"},
		s.tell("two", runevents.TypeRunStarted, in("shop")))
	s.tell("one", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "failure"})
	s.tell("two", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: "success"})
	require.Empty(t, s.tell("three", runevents.TypeRunStarted, in("shop")))
	require.Empty(t, s.tell("three", runevents.TypeRunStarted, in("shop")), "the same run")

	// A pointer to a run that completed restores nothing.
	s.tell("three", runevents.TypeRunResumed, resumeOf("two", "discovery"))
	require.Empty(t, loud(s.tell("three", runevents.TypePhaseStarted, started("discovery", ""))))
	// One to a run that crashed does, and that run is in progress no more.
	s.tell("three", runevents.TypeRunResumed, resumeOf("lost", "discovery"))
	require.NotEmpty(t, loud(s.tell("three", runevents.TypePhaseStarted, started("discovery", ""))))
	s.tell("four", runevents.TypeRunResumed, resumeOf("three"))
	s.after(8 * 24 * time.Hour)
	require.Empty(t, s.tell("five", runevents.TypeRunStarted, in("shop")), "a run of last week is forgotten")
}
