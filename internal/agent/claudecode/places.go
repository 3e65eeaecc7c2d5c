package claudecode

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"

const maxPlaces = 32768 // lines remembered to follow parentUuid

// places remembers the sessions of lines, so that a side chain finds its session and a prompt that branches
// from an older turn is recognised as a rewind (SW-1a).
type places struct {
	of    map[string]place
	order []string
	next  int // index of the oldest, once it is full
}

type place struct {
	session *transcript.Session
	turn    string // the open turn at that line
}

func newPlaces() *places { return &places{of: map[string]place{}} }

func (p *places) put(uuid string, s *transcript.Session) {
	if uuid == "" {
		return
	}
	if _, known := p.of[uuid]; !known {
		if len(p.order) < maxPlaces {
			p.order = append(p.order, uuid)
		} else {
			delete(p.of, p.order[p.next])
			p.order[p.next] = uuid
			p.next = (p.next + 1) % maxPlaces
		}
	}
	p.of[uuid] = place{s, s.Current()}
}

// session returns the session of the line uuid, nil if it is not known.
func (p *places) session(uuid string) *transcript.Session { return p.of[uuid].session }

// rewound returns the turn that a prompt with this parent branches from, "" if it continues the open turn.
func (p *places) rewound(parent string, s *transcript.Session) string {
	at, known := p.of[parent]
	if !known || at.session != s || at.turn == "" || at.turn == s.Current() {
		return ""
	}
	return at.turn
}
