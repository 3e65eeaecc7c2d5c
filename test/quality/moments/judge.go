package moments

import (
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// Turns around a moment in which an interrupt still counts as about it.
const (
	before = 1
	after  = 2
)

// Heard is a moment and how far the best matching signal got.
type Heard struct {
	Moment
	Level Level
	// Withheld is the kind of a matching signal that is only logged because it rests on a reading; "" if
	// there is none, or if the moment was said.
	Withheld string
}

// Met reports whether what the reader wanted was done: said, or seen where a line in the report was enough.
func (h Heard) Met() bool {
	if h.Should == "say" {
		return h.Level == Said
	}
	return h.Level >= Logged
}

// Fired is an interrupt with what the readers say about it.
type Fired struct {
	*Interrupt
	Matches, KnownWrong bool
	WorthHearing        bool // matches a moment that asks for a word, not only for a line in the report
}

// Verdict is the comparison of what was decided with what readers marked.
type Verdict struct {
	Heard []Heard
	Fired []Fired
	// Repeated are the alarms marked as wrong that are still signalled.
	Repeated []Alarm
}

// Counted returns the half of what readers marked, and of what was decided, that is only counted (JD-61).
func (m *Marked) Counted(r *Recorder) (*Marked, *Recorder) {
	half, only := &Marked{}, NewRecorder()
	for _, moment := range m.Moments {
		if shareddata.Counted(moment.Session) {
			half.Moments = append(half.Moments, moment)
		}
	}
	for _, w := range m.Wrong {
		if shareddata.Counted(w.Session) {
			half.Wrong = append(half.Wrong, w)
		}
	}
	for session, list := range r.interrupts {
		if shareddata.Counted(session) {
			only.interrupts[session] = list
		}
	}
	for session, list := range r.signals {
		if shareddata.Counted(session) {
			only.signals[session] = list
		}
	}
	return half, only
}

// Judge compares what was recorded with the moments, classes A to D or E as the
// filter admits by the class of a moment or detector.
func (m *Marked) Judge(r *Recorder, admits func(class string) bool) *Verdict {
	v := &Verdict{}
	matched, worth := map[*Interrupt]bool{}, map[*Interrupt]bool{}
	for _, moment := range m.Moments {
		level, withheld := Unseen, ""
		for _, i := range r.interrupts[moment.Session] {
			if moment.near(i.Turn) && moment.named(i.text) && slices.ContainsFunc(i.Detectors, moment.sameClass) {
				level, matched[i] = Said, true
				worth[i] = worth[i] || moment.Should == "say"
			}
		}
		for _, s := range r.signals[moment.Session] {
			if moment.near(s.Turn) && moment.sameClass(s.Detector) && moment.named(s.text) {
				level = max(level, min(s.Level, Queued)) // said elsewhere, or of other classes: queued at least
				if s.Withheld {
					withheld = s.Kind
				}
			}
		}
		if admits(moment.Classes[0]) {
			if level == Said {
				withheld = ""
			}
			v.Heard = append(v.Heard, Heard{moment, level, withheld})
		}
	}
	for _, session := range slices.Sorted(maps.Keys(r.interrupts)) {
		for _, i := range r.interrupts[session] {
			if slices.ContainsFunc(i.Detectors, admits) {
				v.Fired = append(v.Fired, Fired{i, matched[i], m.knownWrong(i), worth[i]})
			}
		}
	}
	for _, w := range m.Wrong {
		if admits(w.Detector) && slices.ContainsFunc(r.signals[w.Session], w.repeatedBy) {
			v.Repeated = append(v.Repeated, w)
		}
	}
	return v
}

func (m *Moment) near(turn int) bool { return turn >= m.From-before && turn <= m.Until+after }

func (m *Moment) named(text string) bool {
	return slices.ContainsFunc(m.About, func(word string) bool { return strings.Contains(text, strings.ToLower(word)) })
}

// sameClass reports whether a detector has the letter of one of the moment's classes.
func (m *Moment) sameClass(detector string) bool {
	return detector != "" && slices.ContainsFunc(m.Classes, func(class string) bool { return class[0] == detector[0] })
}

func (m *Marked) knownWrong(i *Interrupt) bool {
	return slices.ContainsFunc(m.Wrong, func(w Alarm) bool {
		return w.Session == i.Session && slices.Contains(i.Detectors, w.Detector) && i.Turn >= w.From-before && i.Turn <= w.Until+before
	})
}

func (w Alarm) repeatedBy(s *Signal) bool {
	return s.Detector == w.Detector && s.Turn >= w.From && s.Turn <= w.Until && s.Level > Suppressed
}
