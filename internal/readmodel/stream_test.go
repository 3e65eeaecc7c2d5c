package readmodel_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
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
	w.add(events.TypeSessionOpened, session, &events.SessionOpened{Session: session, Agent: &events.Agent{ID: "a", Kind: kind}})
}

func (w *writer) turn(session string, number int) {
	w.add(events.TypeTurnEvaluated, session, &events.TurnEvaluated{Session: session, Turn: number, Observed: &events.Observations{
		Usage: &events.Usage{InputTokens: 100, OutputTokens: 10, CostUSD: 0.25},
	}})
}

func (w *writer) signal(session, id, detector string, turn int) {
	w.add(events.TypeSignalDetected, session, &events.Signal{
		Session: session, ID: id, Detector: detector, Class: events.Class(detector[:1]), Turn: turn, Subject: "thing " + id, Message: "A message.", Urgency: 45,
		Evidence: []events.Evidence{{Path: "src/a.go", Line: 3}},
	})
}

func (w *writer) fired(session, id, detector string, turn int, signals ...string) {
	w.add(events.TypeInterruptFired, session, &events.InterruptFired{
		Session: session, ID: id, Detector: detector, Class: events.Class(detector[:1]), Turn: turn, Signals: signals, Urgency: 45, UrgencyLabel: "4.5",
		Message: "Stop.", Budget: events.BudgetChange{Before: 3, After: 2},
	})
}

func (w *writer) ended(typ events.Type, session, signal, detector string, turn int) {
	w.add(typ, session, &events.Disposition{Session: session, Signal: signal, Detector: detector, Turn: turn, Reason: "because", Urgency: 15})
}

func (w *writer) said(session, interrupt string, state events.DeliveryState, by string) {
	w.add(events.TypeInterruptDelivery, session, &events.InterruptDelivery{Interrupt: interrupt, Session: session, State: state, By: by, Channel: "hook"})
}

func (w *writer) act(session string, act events.OperatorAct) {
	w.add(events.TypeOperatorAct, session, &act)
}

// random is a long stream with everything in it, the same for the same seed.
func random(seed uint64, sessions, length int) []readmodel.Record {
	r := rand.New(rand.NewPCG(seed, 1))
	w := newWriter()
	turns := map[string]int{}
	var interrupts [][2]string
	detectors := []string{"A1", "B1", "C1", "D2"}
	ends := []events.Type{
		events.TypeSignalLogged, events.TypeSignalSuppressed, events.TypeSignalSelfCorrected, events.TypeSignalExpired, events.TypeSignalCoalesced, events.TypeSignalUnsent,
	}
	states := []events.DeliveryState{
		events.DeliveryEmitted, events.DeliveryDelivered, events.DeliveryAcked, events.DeliveryHeeded, events.DeliveryIgnored, events.DeliveryDismissed, events.DeliveryUnsupported,
	}
	for len(w.records) < length {
		session := fmt.Sprint("s", r.IntN(sessions))
		signal, detector, turn := fmt.Sprint("g", r.IntN(length/4+1)), detectors[r.IntN(len(detectors))], turns[session]
		switch r.IntN(12) {
		case 0:
			w.opened(session, fmt.Sprint("kind", r.IntN(260)))
		case 1:
			w.add(events.TypeSessionClosed, session, &events.SessionClosed{Session: session, Reason: "done"})
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
			w.act(session, events.OperatorAct{Act: "mute", Session: session, By: "ann", Why: "noise", Details: details})
			if r.IntN(4) == 0 {
				w.skipDay()
			}
		}
	}
	return w.records
}
