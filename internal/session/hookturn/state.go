package hookturn

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// MaxOpen is the maximum size of an open turn in bytes; beyond it the turn ends
	// early.
	MaxOpen = 1 << 20
	// maxKeys bounds the call keys that are remembered after their turn.
	maxKeys = 128
)

// State is a session's open turn, redacted, and the necessary facts about earlier turns.
// The zero value is an unknown session.
type State struct {
	Held      []Held   `json:"held,omitempty"`
	Bytes     int      `json:"bytes,omitempty"` // size of Held
	Compacted bool     `json:"compacted,omitempty"`
	Calls     int      `json:"calls,omitempty"`   // calls without an id so far
	Waiting   []uint64 `json:"waiting,omitempty"` // keys of calls that left without their result
	Told      []uint64 `json:"told,omitempty"`    // keys of results that have left
	// Single reports whether this session reports results one by one, so that a result
	// found only in the list of its batch is a refusal (SW-3).
	Single bool `json:"single,omitempty"`
}

// Held is a block of the open turn.
type Held struct {
	Block   sessionevents.Block           `json:"block"`
	Secrets []sessionevents.SecretFinding `json:"secrets,omitempty"`
	// Key identifies a call and its result; Sum identifies what was called.
	Key  uint64 `json:"key,omitempty"`
	Sum  uint64 `json:"sum,omitempty"`
	Done bool   `json:"done,omitempty"` // a call with its result
}

// Empty reports whether no turn is open.
func (s *State) Empty() bool { return len(s.Held) == 0 }

// Size estimates the size of the state in bytes.
func (s *State) Size() int { return s.Bytes + 8*(len(s.Waiting)+len(s.Told)) }

func (h *Held) pendingCall() bool { return h.Block.Type == sessionevents.BlockToolCall && !h.Done }

// responded reports whether the open turn holds more than a person's messages.
func (s *State) responded() bool {
	return slices.ContainsFunc(s.Held, func(h Held) bool { return h.Block.Type != sessionevents.BlockUser })
}

// settled reports whether the open turn holds results and waits for none: what the agent
// says now belongs to its next response.
func (s *State) settled() bool {
	results := false
	for i := range s.Held {
		if s.Held[i].pendingCall() {
			return false
		}
		results = results || s.Held[i].Block.Type == sessionevents.BlockToolResult
	}
	return results
}

func (s *State) secrets() (all []sessionevents.SecretFinding) {
	for i := range s.Held {
		all = append(all, s.Held[i].Secrets...)
	}
	return all
}

func blockSize(b *sessionevents.Block) int {
	n := 64 + len(b.Text) + len(b.ID) + len(b.Name) + len(b.Input) + len(b.Output)
	for _, p := range b.Patch {
		for _, h := range p.Hunks {
			for _, line := range h.Lines {
				n += len(line)
			}
		}
	}
	return n
}

// keyOf returns the key of a call from the id the agent gave it, 0 for none.
func keyOf(id string) uint64 {
	if id == "" {
		return 0
	}
	return max(xxhash.Sum64String(id), 1)
}

// sumOf returns the hash of what was called.
func sumOf(b *sessionevents.Block) uint64 {
	return xxhash.Sum64String(b.Name + "\x00" + string(b.Input))
}

func remember(keys []uint64, key uint64) []uint64 {
	if key == 0 || slices.Contains(keys, key) {
		return keys
	}
	if len(keys) >= maxKeys {
		keys = slices.Clone(keys[len(keys)-maxKeys+1:])
	}
	return append(keys, key)
}
