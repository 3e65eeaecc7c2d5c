package backup

import (
	"bytes"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/transfer"
)

// Blocks end where the sequence passes a multiple of blockSequences, so that the same messages fall into
// the same blocks whatever was added or removed elsewhere, and where they grow too large.
const (
	blockSequences = 1024
	blockBytes     = 4 << 20
)

// cutter writes messages as blocks.
type cutter struct {
	files   *store
	trust   bool // trust existing files
	blocks  []Block
	fresh   int // blocks written
	written int64

	open Block
	data bytes.Buffer
	w    *transfer.RecordWriter
}

func (c *cutter) add(r transfer.Record) error {
	if c.open.Messages > 0 && (r.Sequence/blockSequences != c.open.First/blockSequences || c.data.Len() >= blockBytes) {
		if err := c.end(); err != nil {
			return err
		}
	}
	if c.open.Messages == 0 {
		c.open.First = r.Sequence
		c.data.Reset()
		c.w = transfer.NewRecordWriter(&c.data)
	}
	c.open.Messages++
	c.open.Last = r.Sequence
	if err := c.w.Add(r); err != nil {
		return fmt.Errorf("encode message %d: %w", r.Sequence, err)
	}
	return nil
}

// end writes the open block.
func (c *cutter) end() error {
	if c.open.Messages == 0 {
		return nil
	}
	if err := c.w.End(); err != nil {
		return fmt.Errorf("encode a block: %w", err)
	}
	digest, stored, fresh, err := c.files.put(c.data.Bytes(), c.trust)
	if err != nil {
		return err
	}
	c.open.SHA256, c.open.Stored = digest, stored
	if fresh {
		c.fresh++
		c.written += stored
	}
	c.blocks = append(c.blocks, c.open)
	c.open = Block{}
	return nil
}
