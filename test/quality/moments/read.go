package moments

import "slices"

// Reading is what readers say of a signal of a kind.
type Reading struct {
	Kind string
	Judgement
}

// Readings returns what readers say of each signal, by its id: of one that led an interrupt what they say
// of the interrupt; of one that was only logged or queued, the moment or the wrong alarm that it meets.
// Signals that nobody read have none.
func (m *Marked) Readings(r *Recorder, judged Judgements) map[string]Reading {
	out := map[string]Reading{}
	take := func(s *Signal, j Judgement) {
		delete(out, s.ID)
		if j != Unclear {
			out[s.ID] = Reading{s.Kind, j}
		}
	}
	for session, list := range r.signals {
		for _, s := range list {
			if s.Level > Suppressed {
				take(s, m.reading(session, s))
			}
		}
	}
	for _, f := range m.Judge(r, func(string) bool { return true }).Fired {
		if len(f.Signals) > 0 && r.byID[f.Signals[0]] != nil {
			take(r.byID[f.Signals[0]], f.judgement(judged))
		}
	}
	return out
}

// reading returns what the marks say of a signal.
func (m *Marked) reading(session string, s *Signal) Judgement {
	if slices.ContainsFunc(m.Wrong, func(w Alarm) bool { return w.Session == session && w.repeatedBy(s) }) {
		return Wrong
	}
	j := Unclear
	for _, moment := range m.Moments {
		if moment.Session != session || !moment.near(s.Turn) || !moment.sameClass(s.Detector) || !moment.named(s.text) {
			continue
		}
		if moment.Should == "say" {
			return Right
		}
		j = Slight
	}
	return j
}
