package chain

import (
	"encoding/hex"
	"sort"
)

// head is a checkpoint: its place and the start of its digest.
type head struct {
	sequence uint64
	digest   [16]byte
}

// maxHeads limits how many checkpoints of a partition the next stage's are compared with. A stage that is
// further ahead is compared with the latest ones.
const maxHeads = 1 << 18

// heads are the checkpoints of one partition of a stream, in order.
type heads struct {
	list  []head
	cut   uint64 // checkpoints up to this sequence are no longer listed
	first uint64
	last  uint64
}

func short(digest string) (out [16]byte) {
	raw, err := hex.DecodeString(digest)
	if err == nil {
		copy(out[:], raw)
	}
	return out
}

func (h *heads) add(sequence uint64, digest string) {
	if len(h.list) >= maxHeads {
		half := len(h.list) / 2
		h.cut = h.list[half-1].sequence
		h.list = append(h.list[:0], h.list[half:]...)
	}
	if h.first == 0 {
		h.first = sequence
	}
	h.last = sequence
	h.list = append(h.list, head{sequence, short(digest)})
}

// at returns the digest of the checkpoint at a sequence.
func (h *heads) at(sequence uint64) (digest [16]byte, found bool) {
	i := sort.Search(len(h.list), func(i int) bool { return h.list[i].sequence >= sequence })
	if i == len(h.list) || h.list[i].sequence != sequence {
		return digest, false
	}
	return h.list[i].digest, true
}
