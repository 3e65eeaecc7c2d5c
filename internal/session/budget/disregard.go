package budget

import "slices"

// Disregard counts the interrupts of a detector that the primary ignores, which may break
// a session without a run (DP-23, RW-35). An interrupt that is heeded, or that a person
// dismisses as a false positive, ends the count.
type Disregard struct {
	Detector string `json:"detector"`
	Ignored  int    `json:"ignored"`         // interrupts counted as ignored
	Heard    int    `json:"heard,omitempty"` // of these, those known to have been delivered
	Again    int    `json:"again,omitempty"` // interrupts that fired after the first of these
}

func (s *Session) disregard(detector string) int {
	return slices.IndexFunc(s.Disregards, func(d Disregard) bool { return d.Detector == detector })
}

// ignored counts an interrupt that the agent ignored.
func (s *Session) ignored(f Fired) {
	i := s.disregard(f.Detector)
	if i < 0 {
		i = len(s.Disregards)
		s.Disregards = append(s.Disregards, Disregard{Detector: f.Detector})
	}
	s.Disregards[i].Ignored++
	if f.Heard > 0 {
		s.Disregards[i].Heard++
	}
}

// spokeAgain counts an interrupt after an ignored one.
func (s *Session) spokeAgain(detector string) {
	if i := s.disregard(detector); i >= 0 {
		s.Disregards[i].Again++
	}
}

// regarded ends a detector's count.
func (s *Session) regarded(detector string) {
	if i := s.disregard(detector); i >= 0 {
		s.Disregards = slices.Delete(s.Disregards, i, i+1)
	}
}
