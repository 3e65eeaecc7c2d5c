package hookturn

import (
	"cmp"
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// close completes the open turn. A person's messages alone wait for the response.
func (f *fold) close(stop string) {
	if f.responded() {
		f.emit(f.take(func(*Held) bool { return true }), stop)
	}
}

// closeCompleted completes the open turn except for the calls that are still running.
func (f *fold) closeCompleted() {
	if f.responded() {
		f.emit(f.take(func(h *Held) bool { return !h.pendingCall() }), "tool_use")
	}
}

// fail completes a failed response. It is a turn of its own even without output, and
// never part of the previous turn, whose results are all present.
func (f *fold) fail(reason string) {
	if f.settled() {
		f.close("tool_use")
	}
	f.turn(f.take(func(*Held) bool { return true }), reason)
}

func (f *fold) flush() {
	f.emit(f.take(func(*Held) bool { return true }), "")
}

// take removes the blocks selected by out and remembers the keys of their calls.
func (f *fold) take(out func(*Held) bool) []Held {
	var taken, kept []Held
	f.Bytes = 0
	for i := range f.Held {
		h := &f.Held[i]
		switch {
		case !out(h):
			kept = append(kept, *h)
			f.Bytes += blockSize(&h.Block)
			continue
		case h.pendingCall():
			f.Waiting = remember(f.Waiting, h.Key)
		case h.Block.Type == sessionevents.BlockToolResult:
			f.Told = remember(f.Told, h.Key)
		}
		taken = append(taken, *h)
	}
	f.Held = kept
	return taken
}

func (f *fold) emit(held []Held, stop string) {
	if len(held) > 0 {
		f.turn(held, stop)
	}
}

func (f *fold) turn(held []Held, stop string) {
	turn := Turn{Compacted: f.Compacted, StopReason: stop}
	f.Compacted = false
	for i := range held {
		turn.Blocks = append(turn.Blocks, held[i].Block)
		for _, s := range held[i].Secrets {
			s.Block = i
			turn.Secrets = append(turn.Secrets, s)
		}
	}
	// Redact the whole once more: a secret may be split between two pieces.
	clean, found := f.redactor.Turn(sessionevents.Turn{Blocks: turn.Blocks})
	turn.Blocks = clean.Blocks
	turn.Secrets = once(append(turn.Secrets, found...))
	f.turns = append(f.turns, turn)
}

// once orders findings by block and drops duplicates.
func once(all []sessionevents.SecretFinding) []sessionevents.SecretFinding {
	type place struct {
		block, offset              int
		pointer, rule, fingerprint string
	}
	seen := map[place]bool{}
	all = slices.DeleteFunc(all, func(s sessionevents.SecretFinding) bool {
		at := place{s.Block, s.Offset, s.Pointer, s.Rule, s.Fingerprint}
		known := seen[at]
		seen[at] = true
		return known
	})
	slices.SortStableFunc(all, func(a, b sessionevents.SecretFinding) int { return cmp.Compare(a.Block, b.Block) })
	return all
}
