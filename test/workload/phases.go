package workload

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// piped returns a dysfunction of a pipeline: the expected report, and the near miss.
func piped(name string, says []string, sick, clean func(*pipe)) dysfunction {
	return dysfunction{name: name, says: says, pipeSick: sick, pipeClean: clean}
}

func says(list ...string) []string { return list }

// as is the part of a pipeline that a dysfunction leaves unchanged.
func as(*pipe) {}

const (
	partial  = "gate next_phase allow_with_warning PL-2"
	fallback = "gate next_phase deny PL-2"
	asksUser = "escalation pipeline handover/fallback"
)

// notes are all that shaping hands over, so many characters long.
func (p *pipe) notes(long int) {
	change(p, "shaping done", func(d *runevents.PhaseCompleted) {
		d.Workflow, d.Artifacts, d.Notes = "", nil, " "+strings.Repeat("It was looked at in full. ", 8)[:long-1]+".  "
	})
	change(p, "shaping", func(d *runevents.PhaseStarted) { d.Workflow, d.ContractRef = "", "" })
}

func (p *pipe) trigger(how func(*runevents.Trigger)) {
	change(p, "run", func(d *runevents.RunStarted) { how(d.Trigger) })
}

// again runs shaping once more, with the artifact that it owes.
func (p *pipe) again(behind string) {
	started := *p.steps[p.place("shaping")].data.(*runevents.PhaseStarted)
	done := *p.steps[p.place("shaping done")].data.(*runevents.PhaseCompleted)
	started.Attempt, done.Attempt = 2, 2
	p.insert(behind, pause, &started)
	p.insert(behind, pause, &done)
}

// PL-1 … PL-7.
var handovers = []dysfunction{
	piped("PL-1 claimed", says("warning CLAIMED-RESULT", partial),
		func(p *pipe) {
			p.notes(51)
			change(p, "shaping done", func(d *runevents.PhaseCompleted) { d.ClaimedResult = "full" })
		},
		func(p *pipe) {
			change(p, "shaping done", func(d *runevents.PhaseCompleted) { d.ClaimedResult = "Full" })
		}),
	piped("PL-2 partial", says(partial), func(p *pipe) { p.notes(51) }, as),
	piped("PL-2 fallback", says(fallback, asksUser),
		func(p *pipe) {
			p.again("coding")
			p.insert("coding", pause, &runevents.PhaseStarted{Actor: orchestrator, Phase: "coding", Workflow: "wr.coding-task", ContractRef: "wr.coding_handoff", Cycle: 1})
			p.notes(50)
		},
		func(p *pipe) { change(p, "shaping done", func(d *runevents.PhaseCompleted) { d.Notes = "See above." }) }),
	piped("PL-2 escalate", says(fallback, "escalation pipeline handover/partial"),
		func(p *pipe) {
			p.trigger(func(t *runevents.Trigger) { t.OnPartial = "escalate" })
			p.again("coding")
			p.insert("coding", pause, &runevents.PhaseStarted{Actor: orchestrator, Phase: "coding", Workflow: "wr.coding-task", ContractRef: "wr.coding_handoff", Cycle: 1})
			p.notes(51)
		},
		func(p *pipe) { p.trigger(func(t *runevents.Trigger) { t.OnPartial = "escalate" }) }),
	piped("PL-2 retry once", says(fallback),
		func(p *pipe) {
			p.trigger(func(t *runevents.Trigger) { t.OnPartial = "retry_once" })
			p.again("coding")
			p.insert("coding", pause, &runevents.PhaseStarted{Actor: orchestrator, Phase: "coding", Workflow: "wr.coding-task", ContractRef: "wr.coding_handoff", Cycle: 1})
			p.notes(51)
		},
		func(p *pipe) {
			p.trigger(func(t *runevents.Trigger) { t.OnPartial = "retry_once" })
			p.again("shaping done")
			p.notes(51)
		}),
	piped("PL-2 without allow", says(fallback, asksUser, "violation PHASE-WITHOUT-ALLOW"),
		func(p *pipe) { p.notes(50) }, as),
	piped("PL-4 missing", says(partial, "violation MISSING_REQUIRED_ARTIFACT"),
		func(p *pipe) {
			change(p, "discovery done", func(d *runevents.PhaseCompleted) { d.Artifacts, d.Notes = nil, strings.Repeat("It is known now. ", 4) })
		},
		func(p *pipe) { change(p, "discovery done", func(d *runevents.PhaseCompleted) { d.Notes = "" }) }),
	piped("PL-4 invalid", says(fallback, asksUser, "violation INVALID_ARTIFACT_SCHEMA", "violation PHASE-WITHOUT-ALLOW"),
		func(p *pipe) { p.document("discovery", func(d map[string]any) { d["confidenceBand"] = "certain" }) },
		func(p *pipe) { p.document("discovery", func(d map[string]any) { d["confidenceBand"] = "low" }) }),
	piped("PL-4 unknown", says(partial, "violation UNKNOWN_CONTRACT_REF"),
		func(p *pipe) {
			change(p, "shaping", func(d *runevents.PhaseStarted) { d.ContractRef = "acme.shape" })
			change(p, "shaping done", func(d *runevents.PhaseCompleted) { d.Notes = strings.Repeat("It is shaped now. ", 4) })
		},
		func(p *pipe) {
			change(p, "shaping", func(d *runevents.PhaseStarted) { d.ContractRef = "acme.shape" })
			p.document("shaping", func(d map[string]any) { clear(d); d["kind"], d["version"] = "acme.shape", 1 })
			change(p, "shaping done", func(d *runevents.PhaseCompleted) { d.Workflow = "" })
			change(p, "shaping", func(d *runevents.PhaseStarted) { d.Workflow = "" })
			p.insert("ticket", pause, contract(`{"type":"object"}`, 1))
		}),
	piped("PL-5 other hash", says("violation CONTRACT-HASH-CONFLICT"),
		func(p *pipe) {
			p.insert("ticket", pause, contract(`{"type":"object"}`, 1))
			p.insert("ticket", pause, contract(`{"type":"object","required":["notes"]}`, 1))
		},
		func(p *pipe) {
			p.insert("ticket", pause, contract(`{"type":"object"}`, 1))
			p.insert("ticket", pause, contract(`{ "type": "object" }`, 1))
			p.insert("ticket", pause, contract(`{"type":"object","required":["notes"]}`, 2))
		}),
	piped("PL-5 invalid", says("violation INVALID-CONTRACT"),
		func(p *pipe) { p.insert("ticket", pause, contract(`{"type":"thing"}`, 1)) },
		func(p *pipe) { p.insert("ticket", pause, contract(`{"type":"string"}`, 1)) }),
	piped("PL-6 too many", says(fallback, asksUser, "violation INVALID_ARTIFACT_SCHEMA", "violation PHASE-WITHOUT-ALLOW"),
		func(p *pipe) {
			p.document("discovery", func(d map[string]any) { d["keyInvariants"] = texts("invariant", 13) })
		},
		func(p *pipe) {
			p.document("discovery", func(d map[string]any) { d["keyInvariants"] = texts("invariant", 12) })
		}),
	piped("PL-6 no branch", says(fallback, asksUser, "violation INVALID_ARTIFACT_SCHEMA", "violation PHASE-WITHOUT-ALLOW"),
		func(p *pipe) { p.document("coding", func(d map[string]any) { delete(d, "branchName") }) },
		func(p *pipe) {
			p.document("coding", func(d map[string]any) { delete(d, "branchName") })
			p.insert("coder", pause, &runevents.AgentStarted{Actor: runevents.Actor{Kind: runevents.ActorWaveAgent, ID: "coder-1"}, AgentID: "coder-1", CWD: "/srv/worktrees/one", Isolation: "worktree"})
		}),
	piped("PL-6 corrected", says("warning FIELD-BEFORE-FAILURE"),
		func(p *pipe) { p.document("coding", corrected2) },
		func(p *pipe) {
			p.document("coding", corrected2)
			change(p, "coding", func(d *runevents.PhaseStarted) { d.Attempt = 2 })
			change(p, "coding done", func(d *runevents.PhaseCompleted) { d.Attempt = 2 })
		}),
	piped("PL-7 final step", says(partial, "violation MISSING_REQUIRED_ARTIFACT"),
		func(p *pipe) {
			change(p, "discovery", func(d *runevents.PhaseStarted) { d.ContractRef = "" })
			change(p, "discovery done", func(d *runevents.PhaseCompleted) { d.Artifacts, d.Notes = nil, strings.Repeat("It is known now. ", 4) })
		},
		func(p *pipe) { change(p, "discovery", func(d *runevents.PhaseStarted) { d.ContractRef = "" }) }),
}

func corrected2(d map[string]any) {
	d["correctedAssumptions"] = []any{map[string]any{"assumed": "one caller", "actual": "two callers"}}
}

func contract(schema string, version int) *runevents.ContractRegistered {
	return &runevents.ContractRegistered{Actor: orchestrator, Ref: "acme.shape", Version: version, Schema: json.RawMessage(schema)}
}

// PL-8 … PL-10.
var loops = []dysfunction{
	piped("PL-8 stopped", says("warning LOOP-STOPPED-WITH-FINDINGS"),
		func(p *pipe) { p.found(false) },
		func(p *pipe) { p.found(true) }),
	piped("PL-8 continued", says("warning LOOP-CONTINUED-CLEAN"),
		func(p *pipe) { change(p, "cycle", func(d *runevents.CycleCompleted) { d.Decision = "continue" }) },
		func(p *pipe) { change(p, "cycle", func(d *runevents.CycleCompleted) { d.Decision = "" }) }),
	piped("PL-8 unexplained", says("warning CLEAN-STOP-UNEXPLAINED"),
		func(p *pipe) { change(p, "cycle", func(d *runevents.CycleCompleted) { d.Checked = nil }) },
		func(p *pipe) { change(p, "cycle", func(d *runevents.CycleCompleted) { d.Checked = d.Checked[:1] }) }),
	piped("PL-9 too large", says("warning CONTEXT-TOO-LARGE"),
		func(p *pipe) { change(p, "context", func(d *runevents.ContextAssembled) { d.Bytes = 8193 }) },
		func(p *pipe) { change(p, "context", func(d *runevents.ContextAssembled) { d.Bytes = 8192 }) }),
	piped("PL-9 cut", says("warning CONTEXT-SECTION-CUT"),
		func(p *pipe) {
			change(p, "context", func(d *runevents.ContextAssembled) { d.Sections[2].Status = "cut" })
		},
		func(p *pipe) {
			change(p, "context", func(d *runevents.ContextAssembled) { d.Sections[2].Status = "dropped" })
		}),
	{name: "PL-10 in progress", says: says("warning RUN-IN-PROGRESS"), tellSick: overlapping(false), tellClean: overlapping(true)},
	piped("PL-10 restarted", says("gate next_phase deny PL-10", "violation COMPLETED-PHASE-RESTARTED"),
		func(p *pipe) {
			p.resumes()
			p.insert("shaping done", pause, &runevents.PhaseStarted{Actor: orchestrator, Phase: "discovery", Workflow: "wr.discovery", ContractRef: "wr.discovery_handoff"})
		},
		(*pipe).resumes),
	piped("PL-10 not kept", says("escalation pipeline context/persist_failed", "gate next_phase deny PL-10"),
		func(p *pipe) {
			p.insert("shaping done", pause, &runevents.ContextPersistFailed{Actor: orchestrator, Phase: "shaping", Why: "disk full"})
			p.again("coding")
			p.insert("coding", pause, &runevents.PhaseStarted{Actor: orchestrator, Phase: "coding", Workflow: "wr.coding-task", ContractRef: "wr.coding_handoff", Cycle: 1})
		},
		as),
	{
		name: "PL-10 orphaned", says: says("warning SESSION-ORPHANED"), offline: true,
		pipeSick:  func(p *pipe) { p.silent(30*time.Minute + time.Second) },
		pipeClean: func(p *pipe) { p.silent(30 * time.Minute) },
	},
}

// found has the cycle stop with a finding, at its limit or below it.
func (p *pipe) found(limit bool) {
	change(p, "cycle", func(d *runevents.CycleCompleted) {
		d.Findings = []runevents.Finding{finding("F1", runevents.SeverityWarning, "quality", p.choice.file, "The limit is written down twice.")}
		d.LimitReached = limit
		if limit {
			d.Residual = runevents.TextList{"The limit is written down twice."}
		}
	})
}

// resumes has a person resume the run behind shaping.
func (p *pipe) resumes() {
	p.insert("shaping done", pause, &runevents.RunResumed{Actor: human, RestoredPhases: []string{"discovery", "shaping"}, By: "ada", Why: "The host restarted."})
}

// silent has the coder's session pause for so long.
func (p *pipe) silent(long time.Duration) {
	p.touched["coder turn 3"] = true
	p.steps[p.place("coder turn 3")].after = long
}

// overlapping returns two runs of one workspace, one after the other or not.
func overlapping(after bool) telling {
	return func(run string, random *rand.Rand, start time.Time) []events.Event {
		first, second := soundPipe(run+"-before", random), soundPipe(run, random)
		for _, p := range []*pipe{first, second} {
			change(p, "run", func(d *runevents.RunStarted) { d.Workspace = "/srv/" + run })
		}
		if after {
			return append(first.tell(start.Add(-time.Hour)), second.tell(start)...)
		}
		list := append(first.tell(start.Add(-time.Minute)), second.tell(start)...)
		slices.SortStableFunc(list, func(a, b events.Event) int { return a.Time.Compare(b.Time) })
		return list
	}
}
