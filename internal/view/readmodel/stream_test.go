package readmodel_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// begin is when the streams of the tests begin.
var begin = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// writer makes a stream like DECISIONS: batches that end with their anchor.
type writer struct {
	records []readmodel.Record
	at      time.Time
	next    uint64
}

func newWriter() *writer { return &writer{at: begin} }

func (w *writer) add(typ events.Type, session string, data any) {
	w.next++
	w.at = w.at.Add(7 * time.Second)
	anchor := w.next / 5 * 5
	w.records = append(w.records, readmodel.Record{Sequence: w.next, Anchor: anchor, Event: events.Event{
		ID: fmt.Sprint("e", w.next), Source: "/test", Type: typ, Subject: session, Time: w.at, Data: data,
	}})
}

func (w *writer) skipDay() { w.at = w.at.Add(24 * time.Hour) }

func (w *writer) opened(session, kind string) {
	w.add(sessionevents.TypeSessionOpened, session, &sessionevents.SessionOpened{Session: session, Agent: &sessionevents.Agent{ID: "a", Kind: kind}})
}

func (w *writer) turn(session string, number int) {
	w.add(sessionevents.TypeTurnEvaluated, session, &sessionevents.TurnEvaluated{Session: session, Turn: number, Observed: &sessionevents.Observations{
		Usage: &sessionevents.Usage{InputTokens: 100, OutputTokens: 10, CostUSD: 0.25},
	}})
}

func (w *writer) signal(session, id, detector string, turn int) {
	w.add(sessionevents.TypeSignalDetected, session, &sessionevents.Signal{
		Session: session, ID: id, Detector: detector, Class: sessionevents.Class(detector[:1]), Turn: turn, Subject: "thing " + id, Message: "A message.", Urgency: 45,
		Evidence: []sessionevents.Evidence{{Path: "src/a.go", Line: 3}},
	})
}

func (w *writer) fired(session, id, detector string, turn int, signals ...string) {
	w.add(sessionevents.TypeInterruptFired, session, &sessionevents.InterruptFired{
		Session: session, ID: id, Detector: detector, Class: sessionevents.Class(detector[:1]), Turn: turn, Signals: signals, Urgency: 45, UrgencyLabel: "4.5",
		Message: "Stop.", Budget: sessionevents.BudgetChange{Before: 3, After: 2},
	})
}

func (w *writer) ended(typ events.Type, session, signal, detector string, turn int) {
	w.add(typ, session, &sessionevents.Disposition{Session: session, Signal: signal, Detector: detector, Turn: turn, Reason: "because", Urgency: 15})
}

func (w *writer) said(session, interrupt string, state sessionevents.DeliveryState, by string) {
	w.add(sessionevents.TypeInterruptDelivery, session, &sessionevents.InterruptDelivery{Interrupt: interrupt, Session: session, State: state, By: by, Channel: "hook"})
}

func (w *writer) act(session string, act runevents.OperatorAct) {
	w.add(runevents.TypeOperatorAct, session, &act)
}

// random is a long stream with everything in it, the same for the same seed.
func random(seed uint64, sessions, length int) []readmodel.Record {
	r := rand.New(rand.NewPCG(seed, 1))
	w := newWriter()
	turns := map[string]int{}
	var interrupts [][2]string
	detectors := []string{"A1", "B1", "C1", "D2"}
	ends := []events.Type{
		sessionevents.TypeSignalLogged, sessionevents.TypeSignalSuppressed, sessionevents.TypeSignalSelfCorrected, sessionevents.TypeSignalExpired, sessionevents.TypeSignalCoalesced, sessionevents.TypeSignalUnsent,
	}
	states := []sessionevents.DeliveryState{
		sessionevents.DeliveryEmitted, sessionevents.DeliveryDelivered, sessionevents.DeliveryAcked, sessionevents.DeliveryHeeded, sessionevents.DeliveryIgnored, sessionevents.DeliveryDismissed, sessionevents.DeliveryUnsupported,
	}
	for i := range min(sessions/2+1, length) {
		w.about(fmt.Sprint("r", i), fmt.Sprint("r", i), "", runevents.TypeRunStarted, &runevents.RunStarted{})
	}
	for len(w.records) < length {
		if r.IntN(3) == 0 {
			w.randomRun(r, fmt.Sprint("r", r.IntN(sessions/2+1)))
			continue
		}
		session := fmt.Sprint("s", r.IntN(sessions))
		signal, detector, turn := fmt.Sprint("g", r.IntN(length/4+1)), detectors[r.IntN(len(detectors))], turns[session]
		switch r.IntN(12) {
		case 0:
			w.opened(session, fmt.Sprint("kind", r.IntN(260)))
		case 1:
			w.add(sessionevents.TypeSessionClosed, session, &sessionevents.SessionClosed{Session: session, Reason: "done"})
		case 2, 3, 4:
			turns[session] += 1 + r.IntN(8)/7
			w.turn(session, turns[session])
		case 5, 6:
			w.signal(session, signal, detector, turn)
		case 7:
			w.ended(ends[r.IntN(len(ends))], session, signal, detector, turn)
		case 8:
			interrupts = append(interrupts, [2]string{session, fmt.Sprint("i", w.next)})
			w.fired(session, fmt.Sprint("i", w.next), detector, turn, signal)
		case 9, 10:
			if len(interrupts) > 0 {
				i := interrupts[r.IntN(len(interrupts))]
				w.said(i[0], i[1], states[r.IntN(len(states))], fmt.Sprint("by", r.IntN(3)))
			}
		case 11:
			details, _ := json.Marshal(map[string]any{"scope": "detector", "detector": detector, "turns": 3})
			w.act(session, runevents.OperatorAct{Act: "mute", Session: session, By: "ann", Why: "noise", Details: details})
			if r.IntN(4) == 0 {
				w.skipDay()
			}
		}
	}
	return w.records[:length]
}

// about adds a decision about a run, told with a credential, caused by the one before.
func (w *writer) about(run, subject string, role events.Role, typ events.Type, data any) string {
	w.add(typ, subject, data)
	one := &w.records[len(w.records)-1].Event
	one.PartitionKey, one.Credential, one.CausationID = run, role, fmt.Sprint("e", w.next-1)
	return one.ID
}

func (w *writer) running(run string) {
	w.about(run, run, "", runevents.TypeControlChanged, &runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeRun, Who: "ann"})
}

func (w *writer) broken(run string, trigger runevents.BreakTrigger) string {
	id := w.about(run, run, "", runevents.TypeWiggumBreak, &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: trigger, Scope: runevents.ScopeRun})
	w.about(run, run, "", runevents.TypeEscalationRaised, &runevents.EscalationRaised{Issue: "break/" + string(trigger), To: "user", Run: run})
	w.records[len(w.records)-1].Event.CausationID = w.records[len(w.records)-2].Event.CausationID
	w.about(run, run, "", runevents.TypeControlChanged, &runevents.ControlChanged{State: runevents.ControlHalted, Scope: runevents.ScopeRun, Break: id})
	w.judged(run, id, runevents.TooEarly, false)
	return id
}

// judged is the verdict on a break, as the dispatcher emits it.
func (w *writer) judged(run, id string, verdict runevents.WarrantVerdict, resumed bool) {
	one := runevents.BreakJudged{Break: id, Warrant: runevents.Warrant{Verdict: verdict, Basis: "goes_on", Why: "It goes on.", Evidence: []string{}}}
	if resumed {
		one.Resumed = &runevents.Resume{Event: "e1", By: "ann"}
	}
	w.about(run, run, "", runevents.TypeRunJudged, &runevents.RunJudged{Breaks: []runevents.BreakJudged{one}})
}

// randomRun adds something that happens in a run.
func (w *writer) randomRun(r *rand.Rand, run string) {
	issue := []string{"maker/rogue", "guardian/paranoid"}[r.IntN(2)]
	before := fmt.Sprint("e", uint64(r.Int64N(int64(w.next)+1)))
	switch r.IntN(17) {
	case 0:
		w.about(run, run, "", runevents.TypeRunStarted, &runevents.RunStarted{Kind: "build", Project: fmt.Sprint("p", r.IntN(3)), Goal: "go on"})
	case 1:
		w.about(run, run, "", runevents.TypeRunCompleted, &runevents.RunCompleted{Outcome: []string{"success", "Failure", "halted"}[r.IntN(3)]})
	case 2, 3:
		w.about(run, run, "", runevents.TypeAgentCompleted, &runevents.AgentCompleted{AgentID: "m", Archetype: []string{"maker", "guardian"}[r.IntN(2)], Outcome: "success"})
		w.about(run, run, "", runevents.TypeRunEvaluated, &runevents.RunEvaluated{Event: fmt.Sprint("e", w.next), EventType: runevents.TypeAgentCompleted, State: runevents.ControlRunning, Failed: []string{"", "", "too slow"}[r.IntN(3)]})
	case 4:
		w.about(run, run, "", sessionevents.TypeSignalDetected, &sessionevents.Signal{ID: "g", Layer: sessionevents.LayerArchetype, Detector: "RW-3", Subject: issue, AgentID: "m"})
	case 5:
		w.about(run, run, "", runevents.TypeCorrectionIssued, &runevents.CorrectionIssued{Layer: sessionevents.LayerArchetype, Issue: issue, Step: 1, Action: []runevents.CorrectionAction{runevents.CorrectionCorrect, runevents.CorrectionReplace}[r.IntN(2)]})
	case 6:
		w.about(run, run, "", runevents.TypeEscalationRaised, &runevents.EscalationRaised{Layer: sessionevents.LayerArchetype, Issue: issue, To: "user"})
	case 7:
		w.broken(run, []runevents.BreakTrigger{runevents.TriggerAgentFailures, runevents.TriggerBudget95}[r.IntN(2)])
	case 8:
		w.running(run)
	case 14, 15:
		verdicts := []runevents.WarrantVerdict{runevents.Warranted, runevents.NotWarranted, runevents.Unclear, runevents.TooEarly}
		for _, known := range w.records {
			if known.Event.Type == runevents.TypeWiggumBreak && known.Event.Subject == run && r.IntN(2) == 0 {
				w.judged(run, known.Event.ID, verdicts[r.IntN(4)], r.IntN(2) == 0)
			}
		}
	case 9:
		w.about(run, run, events.RoleOperator, runevents.TypeOperatorAct, &runevents.OperatorAct{Act: "ack", Run: run, Target: []string{"", before}[r.IntN(2)], By: "ann"})
	case 10:
		w.about(run, run, "", runevents.TypeClarificationRequested, &runevents.ClarificationRequested{RequestID: fmt.Sprint("q", r.IntN(3)), Question: "which?"})
	case 11:
		w.about(run, run, events.RoleOperator, runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{RequestID: fmt.Sprint("q", r.IntN(3)), By: "ann"})
	case 12:
		w.about(run, run, "", runevents.TypeGateDecided, &runevents.GateDecided{Gate: "merge", Wave: r.IntN(3), Decision: []runevents.GateDecision{runevents.DecisionAllow, runevents.DecisionDeny, runevents.DecisionHold}[r.IntN(3)], Rule: "WP-1", Ahead: r.IntN(4) == 0})
	case 16:
		w.about("workspace-x", run, "", runevents.TypeWarningIssued, &runevents.WarningIssued{Code: runevents.CodeRunInProgress, Rule: "PL-10"})
	case 13:
		w.about(run, run, "", runevents.TypeViolationDetected, &runevents.ViolationDetected{Code: "SAW-COMMIT-MAIN", Rule: "WP-4"})
	}
}
