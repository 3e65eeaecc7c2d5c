package contract

import (
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

func exampleJudged() *runevents.RunJudged {
	return &runevents.RunJudged{
		Breaks: []runevents.BreakJudged{{
			Break:   "example-wiggum.break",
			Resumed: &runevents.Resume{Event: "example-run.resumed", Time: time.Date(2026, 11, 20, 13, 45, 0, 0, time.UTC), By: "mara", Why: "the wave runs again"},
			Recovery: &runevents.Recovery{
				Event: "example-recovery.selected", Option: 1, By: "mara", Why: "safest",
			},
			Reverted: "example-git.commit",
			Warrant: runevents.Warrant{
				Verdict: runevents.Warranted, Basis: runevents.BasisTakenBack, Why: "The merge that broke the suite was reverted.", Evidence: []string{"example-git.commit"},
			},
		}},
		Cycle:        &runevents.CycleJudged{Open: 2, Critical: 1, Compared: true, Resolved: 3, New: 1, Persistent: 1, Regressed: 1, Score: ptr(0.6)},
		Degradations: []runevents.Degradation{{Phase: "plan", Cycle: 1, Quality: runevents.HandoverPartial, Event: "example-phase.completed", Findings: 2, FixLoops: 1}},
		Leftovers:    []runevents.Leftover{{Cycle: 3, Event: "example-cycle.completed", Findings: []string{"F-1"}, Residual: []string{"slow path is untested"}}},
		Evaluations:  []runevents.Evaluation{{Agent: "guardian-1", Role: "evaluator", Mode: "blind", Verdict: "needs_changes", Event: "example-review.completed"}},
		ScopeChecks:  []runevents.ScopeResult{{Event: "example-scope.checked", Missing: 1, Unclear: 1, Creep: 2, Confidence: runevents.ConfidenceMedium}},
		Isolation: &runevents.IsolationJudged{
			Layers: []runevents.IsolationLayer{{Layer: 0, Name: "Pre-commit hook", Absent: 1, Failed: 1, Caught: 1}},
			Incidents: []runevents.IsolationIncident{{
				Number: 1, Wave: 1, Letter: "A", What: "commit to main", Event: "example-git.commit",
				Layers:   []runevents.LayerState{runevents.LayerAbsent, runevents.LayerFailed, runevents.LayerFailed, runevents.LayerPassed, runevents.LayerCaught},
				CaughtBy: []runevents.CaughtBy{runevents.CaughtByLayer4}, Observer: true,
			}},
			Tainted: []int{1},
		},
		Conformance: []runevents.Clause{{
			ID: "E4", Title: "five isolation layers", Conformity: runevents.ConformityBroken, Violations: 1, Warnings: 1, Events: []string{"example-git.commit"},
		}},
		RulesBroken: []runevents.Clause{{ID: "WP-4", Conformity: runevents.ConformityBroken, Violations: 1, Events: []string{"example-git.commit"}}},
		Calibration: &runevents.Calibration{
			Tally: runevents.CalibrationTally{TicketsA: 1, ContradictedB: 1, RecordedA: 1, RecordedB: 1, Unclassified: 1},
			Entries: []runevents.CalibrationEntry{{
				Event: "example-calibration.recorded", What: runevents.CalibrationResult, Level: "uncertain", Self: "clear", Breakdown: []byte(`{"level":"clear"}`),
				Option: "B", Text: "retry in the client", Outcome: "corrected", Verdict: "misread", Subtype: "A", Findings: []string{"F-1"},
			}},
			Misread: []string{"F-1"},
		},
	}
}
