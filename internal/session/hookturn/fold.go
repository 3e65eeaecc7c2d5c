package hookturn

import (
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
