package budget

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turnStages lists the stages of dispatching a closed turn in order. Every rejection by a
// stage is a decision with a reason.
var turnStages = []struct {
	rule string
	run  func(*work)
}{
	{"DP-21: judge what was said in the last turns", judgeHeed},
	{"DP-25: what was switched off or muted since leaves", dropSilenced},
	{"DP-11: what was corrected is not said", dropCorrected},
	{"DP-11: what is watched is scored again when the primary commits to it", judgeWatched},
	{"DP-11: what is left after its grace turn fires, queues, is watched or logged", judgePending},
	{"DP-12: new signals are suppressed, escalated, logged, or wait a turn", admitNew},
	{"DP-13: the same advice is given once (JD-42)", adviseOnce},
	{"DP-13: all security findings of the turn are one interrupt", fireSecurity},
	{"DP-13: else the best candidate fires, if cooldown and budget allow", fireBest},
	{"DP-14, DP-15: the other candidates are held in the queue", holdOthers},
	{"DP-17: what waited too long leaves the queue", expireOld},
	{"DP-17: at a natural pause the head of the queue is delivered", deliverHead},
	{"DP-15: say how many wait for a spent budget", noteExhausted},
	{"DP-10: the turn is closed", closeTurn},
}

// Decide returns the decisions that an event causes in one session, in order; it may return none.
// It does not change the session; fold the decisions with [Evolve].
func Decide(config *Config, session *Session, event events.Event) []Decision {
	w := &work{config: config, session: session.clone(), cause: event}
	switch data := event.Data.(type) {
	case *sessionevents.Signal:
		collect(w, data)
	case *sessionevents.TurnEvaluated:
		dispatchTurn(w, data)
	case *sessionevents.SessionOpened:
		w.take(opened{run: data.Run, instance: instanceOf(event, data)})
		for _, m := range config.MutesIn(data.Workspace) {
			if !slices.Contains(w.session.Mutes, m) {
				w.take(mutedFrom{mute: m, keep: config.Kept.Mutes})
			}
		}
	case *sessionevents.SessionClosed:
		closeSession(w, data)
	case *sessionevents.InterruptDelivery:
		takeDelivery(w, data)
	case *runevents.OperatorAct:
		takeAct(w, data)
	case *sessionevents.OpinionRecorded:
		takeOpinion(w, data)
	}
	return w.decisions
}

// work is one event being decided. Stages read the session, which is a private copy, and
// change it only by taking decisions.
type work struct {
	config    *Config
	session   *Session
	cause     events.Event
	decisions []Decision
	told      int // number of decisions with an event

	// Set while a turn is being closed:
	marker     *sessionevents.TurnEvaluated
	outcomes   map[string]sessionevents.PendingOutcome
	security   []*sessionevents.Signal // escalations of this turn (DP-3)
	candidates []candidate             // for an immediate fire (DP-13)
}

func (w *work) take(d Decision) {
	w.decisions = append(w.decisions, d)
	if typ, _ := d.Event(); typ != "" {
		w.told++
	}
	d.evolve(w.session)
}

// dispose takes the disposition of a signal.
func (w *work) dispose(end end, s *sessionevents.Signal, u sessionevents.Urgency, reason string) {
	w.take(disposed{end.typ, w.disposition(end, s, u, reason)})
}

func (w *work) disposition(end end, s *sessionevents.Signal, u sessionevents.Urgency, reason string) sessionevents.Disposition {
	return sessionevents.Disposition{
		Session: w.session.ID, Signal: s.ID, Detector: s.Detector, Turn: w.turn(), Reason: reason, Code: end.code, Urgency: u,
	}
}

// turn returns the turn being closed, otherwise the last closed one.
func (w *work) turn() int {
	if w.marker != nil {
		return w.marker.Turn
	}
	return w.session.Turn
}

// nextID returns the id of the next decision's event (EV-2), for data that carries its own id.
func (w *work) nextID() string {
	return events.DerivedID(StageName, w.cause.Source, w.cause.ID, w.told)
}

// collect stores a session-layer signal until its turn is closed; one with a known id is
// a repetition and ignored (EV-2).
func collect(w *work, s *sessionevents.Signal) {
	if !dispatched(s) || w.session.knows(s.ID) {
		return
	}
	w.take(collected{signal: s})
}

// dispatched reports whether the dispatcher decides about a signal: other layers do not
// use the interrupt budget (RW-40).
func dispatched(s *sessionevents.Signal) bool {
	return s.ID != "" && (s.Layer == sessionevents.LayerSession || s.Layer == "")
}

// dispatchTurn runs the stages, unless the turn was already decided.
func dispatchTurn(w *work, marker *sessionevents.TurnEvaluated) {
	if marker.Turn <= w.session.Turn {
		return
	}
	w.marker = marker
	w.outcomes = make(map[string]sessionevents.PendingOutcome, len(marker.Pending))
	for _, o := range marker.Pending {
		w.outcomes[o.ID] = o
	}
	for _, stage := range turnStages {
		stage.run(w)
	}
}

// instanceOf returns what an interrupt is bound to: the run, otherwise this opening of
// the session, never a name that could be reused (DP-20).
func instanceOf(event events.Event, data *sessionevents.SessionOpened) string {
	if data.Run != "" {
		return data.Run
	}
	return event.ID
}
