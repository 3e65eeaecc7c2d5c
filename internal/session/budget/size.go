package budget

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// Approximate sizes in bytes of the parts without text.
const (
	sessionBytes  = 300
	signalBytes   = 350
	evidenceBytes = 120
	stepBytes     = 40
	firedBytes    = 200
)

// Size estimates the memory of a group in bytes.
func (m *Machine) Size(state *State) int {
	n := sessionBytes
	for id, s := range state.Sessions {
		n += len(id) + s.size()
	}
	return n
}

func (s *Session) size() int {
	n := sessionBytes + len(s.Fired)*firedBytes
	n += (len(s.Mutes) + len(s.Streaks) + len(s.Disregards) + len(s.Backed) + len(s.Vouched)) * sessionBytes / 2
	for _, signal := range s.Collected {
		n += signalSize(signal)
	}
	for _, signal := range s.Pending {
		n += signalSize(signal)
	}
	for _, signal := range s.Watched {
		n += signalSize(signal)
	}
	for _, e := range s.Queue {
		n += signalSize(e.Signal) + signalSize(e.Latest)
	}
	return n
}

func signalSize(s *sessionevents.Signal) int {
	if s == nil {
		return 0
	}
	n := signalBytes + len(s.ID) + len(s.Subject) + len(s.Message) + len(s.Reason) + len(s.Fix)
	for _, e := range s.Evidence {
		n += evidenceBytes + len(e.Path) + len(e.Quote)
		for _, step := range e.Flow {
			n += stepBytes + len(step.Code)
		}
	}
	return n
}
