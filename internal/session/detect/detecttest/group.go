package detecttest

import (
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
)

// group holds the sessions of a script, which belong to one run: "turn session=other" is
// a turn of another session, whose work counts for A1 and A3 (SW-1).
type group struct {
	suite    *detect.Suite
	first    *Session
	sessions map[string]*member
}

// member is a session with the detector's memory of it.
type member struct {
	*Session
	memory *detect.Memory
}

func newGroup(first *Session, suite *detect.Suite) *group {
	return &group{suite: suite, first: first, sessions: map[string]*member{}}
}

// of returns the session with an id. The first session with a turn is the one that was
// opened.
func (g *group) of(id string) *member {
	if m, ok := g.sessions[id]; ok {
		return m
	}
	m := &member{Session: g.first, memory: g.suite.NewMemory()}
	if len(g.sessions) > 0 {
		m.Session = g.first.fresh()
	}
	g.sessions[id] = m
	return m
}

// peersOf returns the other sessions in order of id.
func (g *group) peersOf(id string) []detect.Peer {
	var out []detect.Peer
	for _, other := range slices.Sorted(maps.Keys(g.sessions)) {
		if other != id {
			out = append(out, detect.Peer{Session: other, Registry: g.sessions[other].registry})
		}
	}
	return out
}
