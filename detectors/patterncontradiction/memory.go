package patterncontradiction

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/constraint"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is what A2 keeps of a session.
type memory struct {
	// Uses are the libraries and wrappers that the files read use, by key of the
	// member, or "family/=module" for a project's own wrapper.
	Uses map[string]*use `json:"u,omitempty"`
	// Groups are the structure of a folder's files of one role.
	Groups map[string]*group `json:"g,omitempty"`
	// Told are the signaled subjects, oldest first.
	Told []string `json:"t,omitempty"`
	// Made are hashes of the files that this session created.
	Made []uint32 `json:"m,omitempty"`
	// Named are established things that the agent named in its plans.
	Named []string `json:"n,omitempty"`
	// Conventions come from a conventions file that the agent read or wrote.
	Conventions []sessionevents.Convention `json:"c,omitempty"`
	// Instructions are orders of instruction files, Ran the checks of them that ran
	// since the first edit, Kept the orders that the session keeps (SW-13a).
	Instructions []stated `json:"i,omitempty"`
	// Decided are sentences in which the agent settled something, with their turn (SW-13).
	Decided []stated `json:"o,omitempty"`
	Ran     []string `json:"r,omitempty"`
	Kept    []string `json:"k,omitempty"`
	Edited  bool     `json:"e,omitempty"`
	// Denied are paths of refused calls since the person last spoke.
	Denied []denial `json:"d,omitempty"`
	// Demands are things the person asked for by name.
	Demands []demand `json:"q,omitempty"`

	// parsed caches the rules of conventions and messages by their text; it is rebuilt after a
	// restore.
	parsed map[string][]*rule
	// limits caches the constraints that were read, and from how many.
	limits   []constraint.Constraint
	limitsOf [3]int
	rules    []*rule
	stamp    stamp
	// indexed are the libraries of the codebase index, see [book.indexed].
	indexed map[string]string
}

// use says who uses a thing.
type use struct {
	Files    []uint32 `json:"f,omitempty"` // hashes of paths, no more than it takes
	Path     string   `json:"p,omitempty"` // the first of them
	Turn     int      `json:"n"`           // in which it was first seen
	Last     int      `json:"l"`
	Manifest string   `json:"m,omitempty"` // the manifest that names it
}

// uses is the use of a key, made if it is new; the one seen longest ago leaves
// when there are too many.
func (m *memory) uses(key string, turn, limit int) *use {
	if m.Uses == nil {
		m.Uses = map[string]*use{}
	}
	u := m.Uses[key]
	if u == nil {
		if len(m.Uses) >= limit {
			delete(m.Uses, oldest(m.Uses, func(u *use) int { return u.Last }))
		}
		u = &use{Turn: turn}
		m.Uses[key] = u
	}
	u.Last = turn
	return u
}

// oldest is the key with the lowest age, the first by name among equals.
func oldest[T any](of map[string]T, age func(T) int) string {
	best := ""
	for key, value := range of {
		if best == "" || age(value) < age(of[best]) || age(value) == age(of[best]) && key < best {
			best = key
		}
	}
	return best
}

// sawFile notes a file that uses the thing.
func (u *use) sawFile(path string, limit int) {
	hash := hashOf(path)
	if len(u.Files) >= limit || slices.Contains(u.Files, hash) {
		return
	}
	if u.Path == "" {
		u.Path = path
	}
	u.Files = append(u.Files, hash)
}

func (m *memory) usedIn(key, file string) bool {
	u := m.Uses[key]
	if u == nil {
		return false
	}
	for _, hash := range u.Files {
		if hash == hashOf(file) {
			return true
		}
	}
	return false
}

func hashOf(path string) uint32 { return uint32(xxhash.Sum64String(path)) }
