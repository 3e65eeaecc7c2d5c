package budget

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge is the author of the states heeded and ignored (interrupt.delivery by).
const Judge = "scaffoldwatch"

// judgeHeed decides over the next turns whether interrupts were heeded: heeded once all
// their findings are corrected, ignored if the time is over and a judged turn left them
// open; without a judgement neither (DP-21, DP-23). Only delivered interrupts are judged,
// in the turns after their delivery (JD-43).
func judgeHeed(w *work) {
	if w.marker.Failed != "" {
		return
	}
	for _, f := range slices.Clone(w.session.Fired) {
		if f.Settled {
			if _, done := w.corrected([]string{f.Signal}); done && !f.Followed {
				f.Followed = true
				w.take(reviewed{fired: f})
			}
			continue
		}
		f = w.reviewed(f)
		since := w.turn() - max(f.Turn, f.Heard)
		over, received := since >= w.config.HeedTurns, f.Heard > 0
		switch {
		case len(f.Open) == 0 && received:
			w.take(w.heedOf(f, sessionevents.DeliveryHeeded))
		case len(f.Open) == 0:
			f.Settled, f.Followed = true, true
			w.take(reviewed{fired: f})
		case over && f.Ignoring && received && since < w.config.HeedWithin:
			w.take(w.heedOf(f, sessionevents.DeliveryIgnored))
		default:
			f.Settled = over
			w.take(reviewed{fired: f})
		}
	}
}

// reviewed applies this turn's outcomes to an interrupt.
func (w *work) reviewed(f Fired) Fired {
	open := make([][]string, 0, len(f.Open))
	for _, ids := range f.Open {
		if _, ok := w.corrected(ids); ok {
			continue
		}
		open = append(open, ids)
		f.Ignoring = f.Ignoring || slices.ContainsFunc(ids, w.judged)
	}
	f.Open = open
	return f
}

func (w *work) judged(id string) bool {
	_, ok := w.outcomes[id]
	return ok
}

func (w *work) heedOf(f Fired, state sessionevents.DeliveryState) heedJudged {
	f.Settled, f.Open, f.Followed = true, nil, state == sessionevents.DeliveryHeeded
	return heedJudged{reviewed: reviewed{fired: f}, told: sessionevents.InterruptDelivery{
		Interrupt: f.ID, Session: w.session.ID, Turn: f.Turn, State: state, Channel: f.Channel, By: Judge,
	}}
}

// reviewed records what a turn showed about an interrupt.
type reviewed struct {
	silent
	fired Fired
}

func (d reviewed) evolve(s *Session) {
	if i := s.firedIndex(d.fired.ID); i >= 0 {
		s.Fired[i] = d.fired
	}
}

// heedJudged reports an interrupt as heeded or ignored.
type heedJudged struct {
	reviewed
	told sessionevents.InterruptDelivery
}

func (d heedJudged) evolve(s *Session) {
	d.reviewed.evolve(s)
	if d.told.State == sessionevents.DeliveryIgnored {
		s.ignored(d.fired)
	} else {
		s.regarded(d.fired.Detector)
	}
}

// Event returns the judgement's event.
func (d heedJudged) Event() (events.Type, any) { return sessionevents.TypeInterruptDelivery, &d.told }

func (s *Session) firedIndex(id string) int {
	return slices.IndexFunc(s.Fired, func(f Fired) bool { return f.ID == id })
}
