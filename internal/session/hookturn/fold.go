package hookturn

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Fold folds one hook call and returns the turns that it completes, in order. It is a
// function of the state and the call.
func (s *State) Fold(c Call, r Redactor) []Turn {
	f := &fold{State: s, redactor: r}
	if c.Compacts {
		f.close("")
		s.Compacted = true
	}
	for _, p := range c.Pieces {
		f.piece(p)
		if s.Bytes > MaxOpen {
			f.close("")
		}
	}
	switch {
	case c.Closes != "":
		f.flush()
	case c.Failed != "":
		f.fail(c.Failed)
	case c.Border == BorderTurn:
		f.close("end_turn")
	case c.Border == BorderBatch:
		f.close("tool_use")
	case c.Border == BorderCall:
		f.closeCompleted()
	}
	return f.turns
}

// Flush ends the open turn with the session, including a person's unanswered messages.
func (s *State) Flush(r Redactor) []Turn {
	f := &fold{State: s, redactor: r}
	f.flush()
	return f.turns
}

// fold is one hook call being folded.
type fold struct {
	*State
	redactor Redactor
	turns    []Turn
}

func (f *fold) piece(p Piece) {
	switch p.Block.Type {
	case sessionevents.BlockUser:
		if f.responded() {
			f.close("")
		}
		f.say(p.Block)
	case sessionevents.BlockText, sessionevents.BlockThinking:
		f.prose(p)
	case sessionevents.BlockToolCall:
		f.call(p.Block)
	case sessionevents.BlockToolResult:
		f.result(p)
	}
}

func (f *fold) say(b sessionevents.Block) {
	if strings.TrimSpace(b.Text) != "" {
		f.hold(f.redact(b)...)
	}
}

// prose adds the agent's text. After results it starts the next response.
func (f *fold) prose(p Piece) {
	if strings.TrimSpace(p.Block.Text) == "" {
		return
	}
	if f.settled() {
		f.close("tool_use")
	}
	held := f.redact(p.Block)
	if p.Closing && f.said(held[0].Block.Text) {
		return
	}
	f.hold(held...)
}

// said reports whether the open turn ends with this text, however it was split.
func (f *fold) said(text string) bool {
	var last string
	for i := len(f.Held) - 1; i >= 0 && f.Held[i].Block.Type == sessionevents.BlockText; i-- {
		last = f.Held[i].Block.Text + " " + last
	}
	return strings.HasSuffix(withoutSpace(last), withoutSpace(text))
}

func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }

// call adds a call unless it is already known.
func (f *fold) call(b sessionevents.Block) {
	key := keyOf(b.ID)
	if key != 0 && (f.find(key) >= 0 || f.holdsResult(key) || slices.Contains(f.Told, key) || slices.Contains(f.Waiting, key)) {
		return
	}
	f.newCall(b, key)
}

// newCall holds a call and returns its index.
func (f *fold) newCall(b sessionevents.Block, key uint64) int {
	sum := sumOf(&b)
	if key == 0 {
		f.Calls++
		b.ID = "hook-call-" + strconv.Itoa(f.Calls)
	}
	held := f.redact(b)
	held[0].Key, held[0].Sum = key, sum
	f.hold(held...)
	return len(f.Held) - 1
}

// result adds a result, with its call if that was never reported.
func (f *fold) result(p Piece) {
	b, key := p.Block, keyOf(p.Block.ID)
	at := f.callOf(&b, key)
	if key != 0 && (slices.Contains(f.Told, key) || f.holdsResult(key)) {
		return // reported before
	}
	if p.Batch && f.Single && b.IsError == nil {
		b.Rejected, b.IsError = true, new(bool)
	}
	f.Single = f.Single || !p.Batch
	if i := slices.Index(f.Waiting, key); key != 0 && i >= 0 { // its call was part of an earlier turn
		f.Waiting = slices.Delete(f.Waiting, i, i+1)
	} else {
		if at < 0 {
			at = f.newCall(sessionevents.Block{Type: sessionevents.BlockToolCall, ID: b.ID, Name: b.Name, Input: b.Input}, key)
		}
		f.Held[at].Done = true
		b.ID, b.Name, b.Input = f.Held[at].Block.ID, "", nil
	}
	held := f.redact(b)
	held[0].Key = key
	f.hold(held...)
}

// callOf returns the index of a result's call, -1 if the turn does not hold it. Without
// an id it is the oldest open call of the same tool with the same input, otherwise of the
// same tool.
func (f *fold) callOf(result *sessionevents.Block, key uint64) int {
	if key != 0 {
		return f.find(key)
	}
	sum := sumOf(result)
	open := func(i int) bool { return f.Held[i].pendingCall() && f.Held[i].Key == 0 }
	for i := range f.Held {
		if open(i) && f.Held[i].Sum == sum {
			return i
		}
	}
	for i := range f.Held {
		if open(i) && f.Held[i].Block.Name == result.Name {
			return i
		}
	}
	return -1
}

func (f *fold) find(key uint64) int { return f.indexOf(key, sessionevents.BlockToolCall) }

func (f *fold) holdsResult(key uint64) bool {
	return f.indexOf(key, sessionevents.BlockToolResult) >= 0
}

func (f *fold) indexOf(key uint64, kind sessionevents.BlockType) int {
	return slices.IndexFunc(f.Held, func(h Held) bool { return h.Key == key && h.Block.Type == kind })
}

func (f *fold) hold(held ...Held) {
	for _, h := range held {
		f.Bytes += blockSize(&h.Block)
		f.Held = append(f.Held, h)
	}
}

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

// Border is the border of a turn that a hook call marks.
type Border int

// Borders of turns.
const (
	BorderNone  Border = iota
	BorderCall         // a tool call is complete, for agents that do not report batches
	BorderBatch        // all tool calls of the response are complete
	BorderTurn         // the response is complete
)

// Call is the content of one hook call. The zero value is an empty call.
type Call struct {
	// Subagent is the agent's own name of the calling subagent, "" for the session
	// itself; Archetype is its role, e.g. "explore".
	Subagent  string
	Archetype string

	Model      string
	Workspace  string
	Transcript string // where the agent records the session

	Opens    bool   // the session starts, or continues after its end
	Closes   string // why the session ends, "" if it does not
	Compacts bool   // the context is compacted before what follows (SW-1a)

	Pieces []Piece // in order
	Border Border  // after the pieces
	// Failed is why the response ended prematurely, "" if it did not.
	Failed string
}

// Piece is a part of a turn. A tool result carries the name and input of its call, since
// the call itself may not have been reported.
type Piece struct {
	Block sessionevents.Block
	// Batch reports whether the result is part of its batch's list, which also includes
	// results that were reported before and refused calls.
	Batch bool
	// Closing reports whether the text is the last message of the response, which may
	// have been reported before.
	Closing bool
}

// Turn is a completed turn, redacted.
type Turn struct {
	Blocks     []sessionevents.Block
	Secrets    []sessionevents.SecretFinding // by block
	Compacted  bool
	StopReason string // end_turn, tool_use, the kind of failure, or "" if unknown
}

// Redactor replaces secrets (SW-7).
type Redactor interface {
	// Turn returns a redacted copy and the findings, located by block.
	Turn(sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding)
	// Repeats does the same for values found earlier that recur in the turn and are known
	// only by their fingerprints.
	Repeats(turn sessionevents.Turn, earlier []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding)
}

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
