package transcript

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	stdhash "hash"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// turn is a response under assembly.
type turn struct {
	id        string
	at        time.Time
	blocks    []sessionevents.Block
	bytes     int
	stop      string
	failed    bool // it counts even without a block
	usage     *sessionevents.Usage
	compacted bool
	forkOf    string
	markdown  string // the response, if it is plain text
	// unsupported lists what was recognised but could not be interpreted.
	unsupported []string
}

// next is what belongs to the turn that follows.
type next struct {
	pending      []sessionevents.Block // user messages
	pendingBytes int
	instructions []sessionevents.Block // from files with instructions for agents
	compacted    bool
	forkOf       string
	unsupported  []string
}

// Compacted records that the context was compacted before the next turn (SW-1a).
func (n *next) Compacted() { n.compacted = true }

// Fork records that the next turn branches from the turn with this id (SW-1a).
func (n *next) Fork(turnID string) { n.forkOf = turnID }

// Instruct adds what a harness passed to the agent from its instruction files (SW-13a). It belongs to the
// turn that follows and is not anybody's message.
func (n *next) Instruct(said string) {
	if strings.TrimSpace(said) != "" && len(said) <= maxPendingBytes {
		n.instructions = append(n.instructions, sessionevents.Block{Type: sessionevents.BlockUser, Text: text.Valid(said)})
	}
}

// HasPending reports whether a user message waits for its turn.
func (n *next) HasPending() bool { return len(n.pending) > 0 }

// begin begins that turn.
func (n *next) begin(id string, at time.Time) *turn {
	t := &turn{
		id: id, at: at, blocks: append(n.instructions, n.pending...), bytes: n.pendingBytes,
		compacted: n.compacted, forkOf: n.forkOf, unsupported: n.unsupported,
	}
	*n = next{}
	return t
}

// Restart empties the open turn except for the user messages before it, because its record was written
// again, completely.
func (t *turn) Restart() {
	if t == nil {
		return
	}
	kept := t.blocks[:0]
	for _, b := range t.blocks {
		if b.Type == sessionevents.BlockUser {
			kept = append(kept, b)
		}
	}
	t.blocks = kept
}

// Current returns the id of the open turn, "" if none is open.
func (t *turn) Current() string {
	if t == nil {
		return ""
	}
	return t.id
}

// Amend changes the latest block with the given type and id in the open turn and reports whether there is
// one.
func (t *turn) Amend(kind sessionevents.BlockType, id string, change func(*sessionevents.Block)) bool {
	if t == nil {
		return false
	}
	for i := len(t.blocks) - 1; i >= 0; i-- {
		if b := &t.blocks[i]; b.Type == kind && b.ID == id {
			change(b)
			return true
		}
	}
	return false
}

// Stop records why the response ended; the last reason counts.
func (t *turn) Stop(reason string) {
	if t != nil && reason != "" {
		t.stop = reason
	}
}

// Usage records the tokens of the response as a whole. Repetitions, as on each line of one response,
// replace each other and count once.
func (t *turn) Usage(u *sessionevents.Usage) {
	if t != nil && u != nil && *u != (sessionevents.Usage{}) {
		t.usage = u
	}
}

// Failed reports whether the open turn failed.
func (t *turn) Failed() bool { return t != nil && t.failed }

// add appends a block. Beyond maxTurnBytes the content of a block is replaced by its size and hash, so that
// nothing vanishes silently (EV-3).
//
// A patch that does not name a file is left out, because what it changed is unknown.
func (t *turn) add(b sessionevents.Block) {
	b.Patch = slices.DeleteFunc(slices.Clone(b.Patch), func(p sessionevents.FilePatch) bool { return p.Path == "" })
	size := len(b.Text) + len(b.Output) + len(b.Input)
	if t.bytes+size > maxTurnBytes {
		shorten(&b)
	}
	t.bytes += len(b.Text) + len(b.Output) + len(b.Input) + 64
	t.blocks = append(t.blocks, b)
}

func shorten(b *sessionevents.Block) {
	mark := func(s string) string {
		if len(s) < 256 {
			return s
		}
		sum := sha256.Sum256([]byte(s))
		return fmt.Sprintf("‹%d bytes left out, sha256 %s›", len(s), hex.EncodeToString(sum[:]))
	}
	b.Text, b.Output = mark(b.Text), mark(b.Output)
	if len(b.Input) >= 256 {
		b.Input = []byte(strconv.Quote(mark(string(b.Input))))
	}
	b.Patch = nil
}

// turnIDs are the turn ids that a session used.
type turnIDs struct {
	remembered   map[string]*remembered // by turn id
	rememberedAt []string               // the same ids, oldest first
}

// remembered is a turn id that was used.
type remembered struct {
	content string // hash of the first turn with it
	copies  int    // number of turns with it but other content
}

// unused returns the turn id native, marked if an earlier turn has this id and other content: late lines of
// a response are not a fork (SW-1a).
func (ids *turnIDs) unused(native, content string) string {
	before, taken := ids.remembered[native]
	switch {
	case !taken:
		ids.remember(native, content)
		return native
	case before.content == content:
		return native
	}
	before.copies++
	return native + "~" + strconv.Itoa(before.copies+1)
}

func (ids *turnIDs) remember(id, content string) {
	if ids.remembered == nil {
		ids.remembered = map[string]*remembered{}
	}
	if len(ids.rememberedAt) >= maxRemembered {
		delete(ids.remembered, ids.rememberedAt[0])
		ids.rememberedAt = ids.rememberedAt[1:]
	}
	ids.remembered[id] = &remembered{content: content}
	ids.rememberedAt = append(ids.rememberedAt, id)
}

// hash returns a hash of the turn's content.
func (t *turn) hash() string {
	d := newDigest()
	for i := range t.blocks {
		d.block(&t.blocks[i])
	}
	if t.markdown != "" {
		d.text(t.markdown)
	}
	return d.sum()
}

func hash(parts ...string) string {
	d := newDigest()
	for _, p := range parts {
		d.text(p)
	}
	return d.sum()
}

// digest hashes values with their lengths, so that different sequences of values never coincide.
type digest struct{ h stdhash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) text(s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	d.h.Write(n[:])
	_, _ = io.WriteString(d.h, s)
}

func (d digest) block(b *sessionevents.Block) {
	d.text(string(b.Type))
	d.text(b.Text)
	d.text(b.ID)
	d.text(b.Name)
	d.text(string(b.Input))
	d.text(b.Output)
	outcome := ""
	if b.IsError != nil {
		outcome = strconv.FormatBool(*b.IsError)
	}
	if b.ExitCode != nil {
		outcome += " " + strconv.Itoa(*b.ExitCode)
	}
	d.text(outcome + strconv.FormatBool(b.Rejected))
	for _, p := range b.Patch {
		d.text(p.Path)
		for _, hunk := range p.Hunks {
			d.text(strconv.Itoa(hunk.NewStart))
			for _, line := range hunk.Lines {
				d.text(line)
			}
		}
	}
}

// sum returns the first 16 bytes of the hash in hexadecimal.
func (d digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)[:16]) }
