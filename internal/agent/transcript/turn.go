package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

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

// remembered is a turn id that was used.
type remembered struct {
	content string // hash of the first turn with it
	copies  int    // number of turns with it but other content
}

// unused returns the turn id native, marked if an earlier turn has this id and other content: late lines of
// a response are not a fork (SW-1a).
func (s *Session) unused(native, content string) string {
	before, taken := s.remembered[native]
	switch {
	case !taken:
		s.remember(native, content)
		return native
	case before.content == content:
		return native
	}
	before.copies++
	return native + "~" + strconv.Itoa(before.copies+1)
}

func (s *Session) remember(id, content string) {
	if s.remembered == nil {
		s.remembered = map[string]*remembered{}
	}
	if len(s.rememberedAt) >= maxRemembered {
		delete(s.remembered, s.rememberedAt[0])
		s.rememberedAt = s.rememberedAt[1:]
	}
	s.remembered[id] = &remembered{content: content}
	s.rememberedAt = append(s.rememberedAt, id)
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
