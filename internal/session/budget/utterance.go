package budget

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// utterance is an interrupt about to be sent, before it has an id and a budget.
type utterance struct {
	signals   []*sessionevents.Signal // the first leads
	urgency   sessionevents.Urgency
	label     string
	charged   bool // uses a unit of the budget (DP-15)
	fromQueue bool // delivered at a pause (DP-17)
	committed bool
	count     int // signals folded into a queue entry, including the first
	latest    *sessionevents.Signal
	evidence  []sessionevents.Evidence
}

// fromEntry adds a queue entry's data besides its first signal.
func (u *utterance) fromEntry(e Entry) {
	u.count, u.latest, u.committed = e.Count, e.Latest, e.Committed
	u.evidence = evidenceOf(e.Signal)
	if e.Latest != nil {
		u.evidence = evidenceOf(e.Latest, e.Signal)
	}
}

func evidenceOf(signals ...*sessionevents.Signal) []sessionevents.Evidence {
	var all []sessionevents.Evidence
	for _, s := range signals {
		all = append(all, s.Evidence...)
	}
	return all
}

// speech is saying something: the interrupt, what joins it, and streaks of one cause.
type speech struct{ *work }

// fire decides to interrupt. In observe mode everything is decided as if the interrupt
// had been sent, but it is only logged (DP-25).
func (w speech) fire(u utterance) {
	d := fired{
		interrupt: w.interrupt(u), charged: u.charged, observed: w.config.Mode == rules.ModeObserve,
		keep: w.config.Kept, open: u.openIDs(), streak: w.spoken(u), subject: u.signals[0].Subject, advice: advice(u.signals[0]),
	}
	w.take(d)
	if !d.observed {
		return
	}
	for _, s := range u.signals {
		w.dispose(observedAll, s, u.urgency, wouldHaveFired(d.interrupt))
	}
}

// openIDs returns, for each finding, the ids whose correction would heed it.
func (u utterance) openIDs() [][]string {
	open := make([][]string, 0, len(u.signals))
	for _, s := range u.signals {
		open = append(open, []string{s.ID})
	}
	if u.latest != nil {
		open[0] = append(open[0], u.latest.ID)
	}
	return open
}

// fired is an interrupt that is sent, or would be in observe mode.
type fired struct {
	interrupt sessionevents.InterruptFired
	charged   bool
	observed  bool
	keep      Kept
	open      [][]string
	streak    *Streak
	subject   string // of the first signal
	advice    string // its next step (JD-42)
}

// Event returns the interrupt's event.
func (d fired) Event() (events.Type, any) {
	if d.observed {
		return "", nil
	}
	return sessionevents.TypeInterruptFired, &d.interrupt
}

func (d fired) evolve(s *Session) {
	s.Budget = d.interrupt.Budget.After
	s.LastFire = d.interrupt.Turn
	if d.interrupt.FromQueue {
		if s.Delivered == nil {
			s.Delivered = map[sessionevents.Class]int{}
		}
		s.Delivered[d.interrupt.Class]++
		if slices.Contains(opinion.Detectors, d.interrupt.Detector) {
			s.Added++
		}
	}
	if d.streak != nil {
		followed{streak: *d.streak, keep: d.keep.Streaks}.evolve(s)
	}
	if d.observed {
		return
	}
	for _, id := range d.interrupt.Signals {
		s.forget(id)
	}
	s.spokeAgain(d.interrupt.Detector)
	s.Fired = text.Newest(append(s.Fired, Fired{
		ID: d.interrupt.ID, Turn: d.interrupt.Turn, Detector: d.interrupt.Detector, Charged: d.charged, Open: d.open,
		Subject: d.subject, Signal: d.interrupt.Signals[0], Advice: d.advice,
	}), d.keep.Fired)
}

// wouldHaveFired returns the reason for logging a signal in observe mode.
func wouldHaveFired(i sessionevents.InterruptFired) string {
	how := "at once"
	if i.FromQueue {
		how = "from the queue"
	}
	return strings.Join([]string{"observe mode: would have fired", how, "at", i.UrgencyLabel}, " ")
}

func observedReason(s *sessionevents.Signal) string { return "observe mode: detector " + s.Detector }

func offReason(s *sessionevents.Signal) string { return "detector " + s.Detector + " is off" }
