package assemble

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// turn is a response under assembly.
type turn struct {
	id        string
	at        time.Time
	blocks    []events.Block
	bytes     int
	stop      string
	usage     *events.Usage
	compacted bool
	forkOf    string
}

// add appends a block. Beyond maxTurnBytes the content of a block is replaced by
// its size and hash, so that nothing vanishes silently (EV-3).
func (t *turn) add(b events.Block) {
	size := len(b.Text) + len(b.Output) + len(b.Input)
	if t.bytes+size > maxTurnBytes {
		shorten(&b)
	}
	t.bytes += len(b.Text) + len(b.Output) + len(b.Input) + 64
	t.blocks = append(t.blocks, b)
}

func shorten(b *events.Block) {
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

// unused is the turn id native, marked when a turn with this id and other
// content went before: late lines of a response are no fork (SW-1a).
func (s *Session) unused(native, content string) string {
	id := native
	for n := 2; ; n++ {
		before, taken := s.remembered[id]
		if !taken {
			s.remember(id, content)
			return id
		}
		if before == content {
			return id
		}
		id = native + "~" + strconv.Itoa(n)
	}
}

func (s *Session) remember(id, content string) {
	if s.remembered == nil {
		s.remembered = map[string]string{}
	}
	if len(s.rememberedAt) >= maxRemembered {
		delete(s.remembered, s.rememberedAt[0])
		s.rememberedAt = s.rememberedAt[1:]
	}
	s.remembered[id] = content
	s.rememberedAt = append(s.rememberedAt, id)
}

// hash is a hash of the turn's content.
func (t *turn) hash() string {
	d := newDigest()
	for i := range t.blocks {
		d.block(&t.blocks[i])
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
