package evaluate

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// advised is what a session stores for second opinions: its latest turn, the signals of
// that turn that JD-2 withholds, and the number of findings that models have added.
type advised struct {
	Turn     int                    `json:"turn,omitempty"`
	Withheld []sessionevents.Signal `json:"withheld,omitempty"`
	Added    int                    `json:"added,omitempty"`
	// Known holds the ids of the findings that models added, since the same finding
	// counts once.
	Known []string `json:"known,omitempty"`
}

// turn starts the grace turn of a turn's findings: an opinion about older ones is too
// late (AD-4).
func (a *advised) turn(number int, signals []sessionevents.Signal) {
	a.Turn, a.Withheld = number, nil
	for i := range signals {
		if s := &signals[i]; s.Withheld != "" && s.Suppressed == "" {
			a.Withheld = append(a.Withheld, *s)
		}
	}
}

// opined converts what a second opinion confirms or adds into signals (AD-2, AD-3). The
// event itself follows them; it has no other effect here or in the dispatcher.
func (m *Machine) opined(state *State, o *sessionevents.OpinionRecorded, outs []*step.Emitter) {
	s := state.Sessions[o.Session]
	if s == nil || s.Closed || !o.Counts() {
		return
	}
	for _, signal := range append(s.Advised.confirmed(m.opinions, o), s.Advised.found(m.opinions, o)...) {
		for _, out := range outs {
			copied := signal
			out.Emit(sessionevents.TypeSignalDetected, o.Session, &copied)
		}
	}
}

// confirmed returns the withheld signals of the latest turn that an opinion confirms,
// once each.
func (a *advised) confirmed(c *opinion.Config, o *sessionevents.OpinionRecorded) []sessionevents.Signal {
	if !o.Confirms() {
		return nil
	}
	at := slices.IndexFunc(a.Withheld, func(s sessionevents.Signal) bool { return s.ID == o.Signal })
	if at < 0 {
		return nil
	}
	return []sessionevents.Signal{a.repeat(c, o, at)}
}

func (a *advised) repeat(c *opinion.Config, o *sessionevents.OpinionRecorded, at int) sessionevents.Signal {
	again := c.Repeated(&a.Withheld[at], o)
	a.Withheld = slices.Delete(slices.Clone(a.Withheld), at, at+1)
	return again
}

// found returns the signals of an opinion's findings. A finding about the same thing as a
// withheld signal confirms that signal instead.
func (a *advised) found(c *opinion.Config, o *sessionevents.OpinionRecorded) []sessionevents.Signal {
	var out []sessionevents.Signal
	for _, s := range c.Signals(o, a.Turn, c.Findings.PerSession-a.Added) {
		if slices.Contains(a.Known, s.ID) {
			continue
		}
		a.Known = append(slices.Clone(a.Known), s.ID)
		a.Added++
		at := slices.IndexFunc(a.Withheld, func(w sessionevents.Signal) bool { return opinion.SameThing(&s, &w) })
		if at >= 0 {
			s = a.repeat(c, o, at)
		}
		out = append(out, s)
	}
	return out
}
