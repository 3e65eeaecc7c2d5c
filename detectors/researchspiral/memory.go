package researchspiral

import (
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// memory is D3's state of a session.
type memory struct {
	Run run `json:"r,omitzero"`
	// Failed is set if the last turn with an act ended in an error.
	Failed bool `json:"f,omitempty"`
	// Intent is the last turn that stated a cause or a planned change.
	Intent int `json:"i,omitempty"`
	// Causes are those stated since the last act; Lapsed is set if one was stated again,
	// so that it no longer excuses reading.
	Causes []cause `json:"c,omitempty"`
	Lapsed bool    `json:"l,omitempty"`
	// References are names in the newest results.
	References hashes `json:"w,omitempty"`
}

// cause is a stated cause or change in words.
type cause struct {
	Turn  int      `json:"n"`
	Stems []string `json:"s"`
}

// run is the research since the last edit, test, command with an effect or request.
type run struct {
	From  int `json:"f,omitempty"` // its first turn
	Turns int `json:"n,omitempty"`
	// AfterError is set if it began after a failure.
	AfterError bool `json:"e,omitempty"`
	Calls      int  `json:"c,omitempty"` // retrievals
	Linked     int  `json:"l,omitempty"` // half points of the retrievals that follow from something
	Repeats    int  `json:"x,omitempty"` // of those, repetitions
	Gap        int  `json:"g,omitempty"` // turns since its last research turn
	Reported   bool `json:"q,omitempty"` // as one that may interrupt
	// Seen are its newest retrievals, Names what they read, for the message.
	Seen  []seen   `json:"s,omitempty"`
	Names []string `json:"m,omitempty"`
}

// seen is a retrieval as hashes.
type seen struct {
	Key    uint32 `json:"k"`
	Target uint32 `json:"t"`
	Folder uint32 `json:"d"`
	Linked bool   `json:"l,omitempty"`
}

// extend counts one more turn.
func (r *run) extend(turn int, failed bool) {
	if r.Turns == 0 {
		*r = run{From: turn, AfterError: failed}
	}
	r.Turns++
	r.Gap = 0
}

// pause counts a turn of talk, waiting or a command that only shows something; after too
// many of them, further research is a new run.
func (r *run) pause(limit int) {
	if r.Gap++; r.Gap > limit {
		*r = run{}
	}
}

// begin ends the run if the work changes direction: through a rewind, or a person's
// request, which is new scope (SW-14). "Go on" is not a new request.
func (m *memory) begin(p *detect.Pass) {
	if c := p.Turn.Continuity; c != nil && c.Fork {
		*m = memory{}
	}
	for _, r := range p.Additions.Requests {
		if len(prose.Terms(r.Text)) > 0 {
			*m = memory{}
		}
	}
}

// act ends the run and records the outcome of the act.
func (m *memory) act(p *detect.Pass) {
	m.Run, m.Failed = run{}, p.Additions.Errors > 0
	m.Causes, m.Lapsed = nil, false
}

// follows records that later reads follow a failure, if a turn's calls retrieved nothing.
func (m *memory) follows(p *detect.Pass, d *instance) {
	if d.anyFailed(p) {
		m.Failed, m.Run.AfterError = true, m.Run.Turns > 0
	}
}

// acts reports whether a turn does more than look: an edit, even a failed one, a test, a
// command with an effect, or work handed to a person, an agent or an unknown tool.
func acts(p *detect.Pass) bool {
	if p.Additions.Effect {
		return true
	}
	return slices.ContainsFunc(p.Turn.Segments, func(s sessionevents.Segment) bool {
		switch {
		case s.Kind == sessionevents.SegmentDiff:
			return !s.Proposed
		case s.Tool == nil:
			return false
		}
		switch s.Tool.Canonical {
		case sessionevents.ToolAgent, sessionevents.ToolAsk, sessionevents.ToolOther, sessionevents.ToolEdit, sessionevents.ToolWrite:
			return true
		}
		return false
	})
}

// hashBytes is the size of a hash. Three bytes distinguish a few hundred names.
const hashBytes = 3

func hash(text string) uint32 {
	return uint32(xxhash.Sum64String(text) & (1<<(8*hashBytes) - 1))
}

// hashes is a list of hashes that is encoded as one short text.
type hashes []uint32

// MarshalText writes three bytes per hash in base 64.
func (h hashes) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, hashBytes*len(h))
	for _, v := range h {
		raw = append(raw, byte(v>>16), byte(v>>8), byte(v))
	}
	return base64.RawStdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText reads the output of MarshalText.
func (h *hashes) UnmarshalText(text []byte) error {
	raw, err := base64.RawStdEncoding.DecodeString(string(text))
	if err != nil {
		return fmt.Errorf("decode hashes of names: %w", err)
	}
	if len(raw)%hashBytes != 0 {
		return fmt.Errorf("decode hashes of names: %d bytes are not a multiple of %d", len(raw), hashBytes)
	}
	*h = nil
	for ; len(raw) > 0; raw = raw[hashBytes:] {
		*h = append(*h, uint32(raw[0])<<16|uint32(raw[1])<<8|uint32(raw[2]))
	}
	return nil
}
