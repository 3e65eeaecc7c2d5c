package registry

import (
	"encoding/base64"
	"fmt"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// coder writes entries as rows of numbers or reads them back: one function per type does
// both, so that the two cannot disagree.
type coder struct {
	reading bool
	table   table
	rows    map[string]rows
	row     []int
	err     error
}

// code writes or reads one collection.
func code[T any](c *coder, name string, list *collection[T], fields func(*coder, *T)) {
	if c.reading {
		stored := c.rows[name]
		for _, row := range stored.Rows {
			var item T
			c.row = row
			fields(c, &item)
			if c.err != nil {
				c.err = fmt.Errorf("%s: %w", name, c.err)
				return
			}
			list.add(item)
		}
		list.evicted += stored.Evicted
		return
	}
	out := rows{Evicted: list.evicted}
	for _, item := range list.all() {
		c.row = nil
		fields(c, &item)
		out.Rows = append(out.Rows, c.row)
	}
	if out.Evicted > 0 || len(out.Rows) > 0 {
		c.rows[name] = out
	}
}

func (c *coder) number(n *int) {
	if !c.reading {
		c.row = append(c.row, *n)
		return
	}
	if len(c.row) == 0 {
		c.fail("a row is too short")
		return
	}
	*n, c.row = c.row[0], c.row[1:]
}

func (c *coder) text(s *string) {
	if !c.reading {
		c.row = append(c.row, c.table.id(*s))
		return
	}
	id := 0
	c.number(&id)
	if id < 0 || id >= len(c.table.list) {
		c.fail("a text is missing")
		return
	}
	*s = c.table.list[id]
}

func (c *coder) flag(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	c.number(&n)
	*b = n != 0
}

// sketchBytes is the size of one value of a sketch.
const sketchBytes = 3

func (c *coder) sketch(s *[]uint32) {
	var packed []byte
	for _, h := range *s { // see similarity.Precision
		packed = append(packed, byte(h>>24), byte(h>>16), byte(h>>8))
	}
	text := base64.RawStdEncoding.EncodeToString(packed)
	c.text(&text)
	if !c.reading {
		return
	}
	packed, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(packed)%sketchBytes != 0 {
		c.fail("a sketch is damaged")
		return
	}
	*s = nil
	for ; len(packed) > 0; packed = packed[sketchBytes:] {
		*s = append(*s, uint32(packed[0])<<24|uint32(packed[1])<<16|uint32(packed[2])<<8)
	}
}

func (c *coder) fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("damaged snapshot: %s", what)
	}
}

func (c *coder) fileRead(r *FileRead) {
	c.text(&r.Path)
	c.number(&r.From)
	c.number(&r.To)
	c.number(&r.Turn)
	c.number(&r.Segment)
	c.text(&r.Hash)
	c.text(&r.InputHash)
}

func (c *coder) fileWritten(w *FileWritten) {
	c.text(&w.Path)
	c.number(&w.Turn)
	c.number(&w.Segment)
	c.flag(&w.Gone)
}

func (c *coder) builtSymbol(b *Built) {
	s := &b.Symbol
	for _, text := range []*string{&s.Name, &s.Kind, &s.Path, &s.Language, &s.Signature, &s.Container} {
		c.text(text)
	}
	for _, n := range []*int{&s.Line, &b.Turn, &b.Last, &b.Times, &b.Gone} {
		c.number(n)
	}
	c.sketch(&s.Shingles)
	c.sketch(&s.Calls)
	c.flag(&s.Local)
}

func (c *coder) fetch(f *Fetched) {
	kind := string(f.Kind)
	c.text(&kind)
	f.Kind = sessionevents.AccessKind(kind)
	c.text(&f.Target)
	c.text(&f.Query)
	c.number(&f.Turn)
	c.text(&f.Hash)
	c.text(&f.InputHash)
}

func (c *coder) decision(d *Decision) {
	for _, text := range []*string{&d.Topic, &d.Choice, &d.Rejected, &d.Sentence} {
		c.text(text)
	}
	c.number(&d.Turn)
	c.number(&d.Segment)
}

func (c *coder) diff(d *DiffRecord) {
	c.text(&d.Path)
	c.number(&d.Turn)
	c.number(&d.Added)
	c.number(&d.Removed)
	c.sketch(&d.Shingles)
	c.text(&d.AddedHash)
	c.text(&d.RemovedHash)
}

func (c *coder) plan(p *PlanRecord) {
	c.number(&p.Turn)
	c.number(&p.Words)
	c.sketch(&p.Shingles)
}

func (c *coder) flagHit(f *sessionevents.RedFlagHit) {
	c.text(&f.ID)
	for _, n := range []*int{&f.Turn, &f.Segment, &f.Offset, &f.Length} {
		c.number(n)
	}
	c.text(&f.Sentence)
	c.flag(&f.Thinking)
}
