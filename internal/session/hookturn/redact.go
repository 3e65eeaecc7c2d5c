package hookturn

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// redact prepares a block to be held (SW-7). Secrets found in the turn so far are
// replaced in the block, and those found in the block are replaced in the turn so far.
func (f *fold) redact(b sessionevents.Block) []Held {
	alone, repeats := f.redactor.Repeats(sessionevents.Turn{Blocks: []sessionevents.Block{b}}, f.secrets())
	clean, found := f.redactor.Turn(alone)
	if len(found) > 0 && len(f.Held) > 0 {
		alone.Blocks = append(f.blocks(), alone.Blocks...)
		clean, found = f.redactor.Turn(alone)
		f.replace(clean.Blocks[:len(f.Held)])
	}
	own := len(clean.Blocks) - 1
	held := Held{Block: clean.Blocks[own]}
	for _, s := range slices.Concat(repeats, found) {
		if at := s.Block; at >= 0 && at < own {
			f.Held[at].Secrets = append(f.Held[at].Secrets, s)
			continue
		}
		held.Secrets = append(held.Secrets, s)
	}
	return []Held{held}
}

func (s *State) blocks() []sessionevents.Block {
	out := make([]sessionevents.Block, 0, len(s.Held)+1)
	for i := range s.Held {
		out = append(out, s.Held[i].Block)
	}
	return out
}

func (s *State) replace(blocks []sessionevents.Block) {
	s.Bytes = 0
	for i := range blocks {
		s.Held[i].Block = blocks[i]
		s.Bytes += blockSize(&blocks[i])
	}
}
