package workload

import (
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const (
	doubt    = "warning INTENT-UNCERTAIN"
	question = "clarification"
	onHold   = "gate next_phase hold PL-33"
	unheld   = "violation PHASE-WITHOUT-ALLOW"
)

// unsure has the agent say how ambiguous the task is, where two readings are known.
func (p *pipe) unsure(level string) {
	change(p, "checkpoint", func(d *runevents.IntentCheckpoint) {
		d.AmbiguityLevel, d.RivalInterpretations = level, runevents.TextList{"Leave it and log a line."}
	})
	change(p, "calibration", func(d *runevents.CalibrationRecorded) { d.Breakdown = nil })
}

// typed makes the task one of a larger type, with the rival reading that such a type asks for (PL-32).
func (p *pipe) typed(kind string) {
	change(p, "checkpoint", func(d *runevents.IntentCheckpoint) {
		d.TaskType, d.RivalInterpretations = kind, runevents.TextList{"Leave it and log a line."}
	})
}

func (p *pipe) confirm(when string) {
	p.trigger(func(t *runevents.Trigger) { t.RequireIntentConfirmation = when })
}

// council is held after the checkpoint, as required; only the way it is held varies.
func (p *pipe) council(level string, how func(*runevents.CouncilCompleted)) {
	held := &runevents.CouncilCompleted{
		Actor: orchestrator, RevisedAmbiguityLevel: level, FailureMode: "ambiguous", PrimaryInterpretationSurvived: true, Dissents: runevents.TextList{"Leave it and log a line."},
		WinningInterpretation: &runevents.Interpretation{Text: p.choice.reading, Basis: "first criterion of the ticket"},
		Members: []runevents.CouncilMember{
			{AgentID: "scout-1", Role: "primary", ModelFamily: "claude"}, {AgentID: "c1", Role: "challenger", ModelFamily: "gpt", Mode: "blind", Turns: 15}, {AgentID: "c2", Role: "challenger", ModelFamily: "gemini", Mode: "blind", Turns: 10},
		},
	}
	how(held)
	p.insert("assumptions", pause, held)
}

func held(*runevents.CouncilCompleted) {}

// vague makes the ticket one that only its author can complete.
func (p *pipe) vague() {
	change(p, "ticket", func(d *runevents.TicketReceived) {
		d.Title, d.Text, d.AcceptanceCriteria = "Improve error handling in auth module", "", nil
	})
}

// councils returns a fault of a council, beside one that found the task clear.
func councils(name, code string, how func(*runevents.CouncilCompleted)) dysfunction {
	tell := func(how func(*runevents.CouncilCompleted)) func(*pipe) {
		return func(p *pipe) { p.council("clear", how) }
	}
	return piped("PL-35 "+name, says(code), tell(how), tell(held))
}

// PL-30 … PL-36.
var intents = []dysfunction{
	piped("PL-30 vague", says(question, "warning TICKET-SUBTYPE-A"),
		(*pipe).vague,
		func(p *pipe) {
			change(p, "ticket", func(d *runevents.TicketReceived) { d.AcceptanceCriteria = d.AcceptanceCriteria[:1] })
		}),
	piped("PL-31 words", says(doubt),
		func(p *pipe) {
			change(p, "ticket", func(d *runevents.TicketReceived) {
				d.AcceptanceCriteria = append(d.AcceptanceCriteria, "The answer should name the id", "The log should name the caller")
			})
			p.council("clear", held)
		},
		func(p *pipe) {
			change(p, "ticket", func(d *runevents.TicketReceived) {
				d.AcceptanceCriteria = append(d.AcceptanceCriteria, "The answer should name the id")
			})
		}),
	piped("PL-31 ambiguous", says("warning INTENT-AMBIGUOUS"),
		func(p *pipe) { p.unsure("ambiguous"); p.council("clear", held) },
		func(p *pipe) { p.unsure("clear") }),
	piped("PL-31 architectural", says(doubt),
		func(p *pipe) {
			p.typed("architectural")
			p.council("clear", held)
		},
		func(p *pipe) {
			p.typed("refactor")
		}),
	piped("PL-31 tier 0 empty", says(doubt),
		func(p *pipe) {
			change(p, "context", func(d *runevents.ContextAssembled) { d.Sections = d.Sections[1:] })
			p.council("clear", held)
		},
		func(p *pipe) {
			change(p, "context", func(d *runevents.ContextAssembled) { d.Sections = d.Sections[:1] })
		}),
	piped("PL-31 samples", says(doubt),
		func(p *pipe) {
			change(p, "checkpoint", func(d *runevents.IntentCheckpoint) { d.InterpretationClusters = []int{19, 1} })
			p.council("clear", held)
		},
		func(p *pipe) {
			change(p, "checkpoint", func(d *runevents.IntentCheckpoint) { d.InterpretationClusters = []int{20} })
		}),
	piped("PL-32 early", says("warning CHECKPOINT-TURN"),
		func(p *pipe) { change(p, "checkpoint", func(d *runevents.IntentCheckpoint) { d.Turn = 2 }) },
		func(p *pipe) { change(p, "checkpoint", func(d *runevents.IntentCheckpoint) { d.Turn = 3 }) }),
	piped("PL-32 late", says("warning CHECKPOINT-TURN"),
		func(p *pipe) { change(p, "checkpoint", func(d *runevents.IntentCheckpoint) { d.Turn = 6 }) },
		func(p *pipe) { change(p, "checkpoint", func(d *runevents.IntentCheckpoint) { d.Turn = 5 }) }),
	piped("PL-32 edited before", says("interrupt pipeline Source edited in the plan phase", "violation EDIT-BEFORE-CHECKPOINT", "warning ASSUMPTIONS-LATE"),
		func(p *pipe) { p.write("scout turn 2", "scout", 8, "src/early.go") },
		func(p *pipe) { p.write("scout turn 2", "scout", 8, "docs/notes.md") }),
	piped("PL-33 skipped", says(doubt, "warning COUNCIL-SKIPPED"),
		func(p *pipe) { p.unsure("uncertain") },
		func(p *pipe) { p.unsure("clear") }),
	piped("PL-33 never", says(doubt, "warning INTENT-UNCONFIRMED"),
		func(p *pipe) { p.unsure("uncertain"); p.confirm("never"); p.council("uncertain", held) },
		func(p *pipe) { p.confirm("never") }),
	piped("PL-33 uncertain", says(question, doubt),
		func(p *pipe) { p.unsure("uncertain"); p.council("uncertain", held) },
		func(p *pipe) { p.confirm("uncertain") }),
	piped("PL-33 paused", says(question, onHold, onHold, onHold, "violation EDIT-WHILE-PAUSED", unheld, unheld, unheld, "warning INTENT-AMBIGUOUS"),
		func(p *pipe) {
			p.confirm("always")
			p.unsure("ambiguous")
			p.council("ambiguous", held)
		},
		func(p *pipe) { p.confirm("always") }),
	piped("PL-33 unanswerable", says(doubt, "escalation pipeline intent/unanswerable"),
		func(p *pipe) {
			p.unsure("uncertain")
			p.council("uncertain", func(d *runevents.CouncilCompleted) { d.FailureMode = "unanswerable" })
		},
		func(p *pipe) { p.council("clear", held) }),
	piped("PL-34 vague", says(question, "violation COUNCIL-FOR-VAGUE", "warning TICKET-SUBTYPE-A"),
		func(p *pipe) { p.vague(); p.council("clear", held) },
		func(p *pipe) { p.council("clear", held) }),
	councils("size", "violation COUNCIL-SIZE", func(d *runevents.CouncilCompleted) { d.Members = d.Members[:2] }),
	councils("families", "violation COUNCIL-FAMILIES", func(d *runevents.CouncilCompleted) { d.Members[2].ModelFamily = "GPT" }),
	councils("not blind", "violation COUNCIL-NOT-BLIND", func(d *runevents.CouncilCompleted) { d.Members[1].Mode = "full" }),
	councils("turns", "violation COUNCIL-TURNS", func(d *runevents.CouncilCompleted) { d.Members[2].Turns = 16 }),
	councils("defence", "violation COUNCIL-DEFENCE", func(d *runevents.CouncilCompleted) { d.DefenceTurns = 1 }),
	councils("output", "violation COUNCIL-OUTPUT", func(d *runevents.CouncilCompleted) {
		d.PrimaryInterpretationSurvived, d.WinningInterpretation = false, nil
	}),
	councils("confidence", "warning COUNCIL-BY-CONFIDENCE", func(d *runevents.CouncilCompleted) {
		d.WinningInterpretation.Basis = "two of three were most confident"
	}),
	councils("routed", "violation COUNCIL-ROUTED-BY-MODEL", func(d *runevents.CouncilCompleted) {
		d.Members = append(d.Members, runevents.CouncilMember{AgentID: "j", Role: "judge"})
	}),
	piped("PL-35 depth", says("violation COUNCIL-DEPTH"),
		func(p *pipe) { p.challenger(func(d *runevents.AgentSpawned) { d.MaxSubagentDepth = 2 }) },
		func(p *pipe) { p.challenger(func(d *runevents.AgentSpawned) { d.MaxSubagentDepth = 1 }) }),
	{
		name: "PL-36 not the operator", says: says("violation ANSWER-WITHOUT-OPERATOR"),
		pipeSick:  func(p *pipe) { p.answer(runevents.Actor{Kind: runevents.ActorOrchestrator, ID: "archeflow"}) },
		pipeClean: as,
	},
	piped("PL-36 unasked", says("warning ANSWER-UNKNOWN"),
		func(p *pipe) { p.answer(human) }, as),
}

func (p *pipe) challenger(how func(*runevents.AgentSpawned)) {
	spawned := &runevents.AgentSpawned{Actor: orchestrator, AgentID: "c1", Role: "challenger", Mode: "blind", ModelFamily: "gpt", MaxTurns: 15}
	how(spawned)
	p.insert("assumptions", pause, spawned)
}

func (p *pipe) answer(by runevents.Actor) {
	p.insert("assumptions", pause, &runevents.ClarificationAnswered{Actor: by, RequestID: "nobody-asked", Option: "A", By: by.ID})
}
