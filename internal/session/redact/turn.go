package redact

import (
	"encoding/json"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// pointerPatch marks leaves that are hunks, whose lines have marks.
const pointerPatch = "patch"

// Typical numbers of leaves of turns and blocks.
const (
	leavesOfTurn  = 4
	leavesOfBlock = 3
)

// turnCollection is a turn with the leaves of its fields.
type turnCollection struct {
	collection
	turn   sessionevents.Turn
	fields []field
	docs   []turnDocument
}

// field is a string of the turn with a function that puts it into a copy.
type field struct {
	leaf int
	set  func(t *sessionevents.Turn, text string)
}

type turnDocument struct {
	doc *document
	set func(t *sessionevents.Turn, raw json.RawMessage)
}

func (r *Redactor) collectTurn(t sessionevents.Turn) *turnCollection {
	c := &turnCollection{turn: t}
	c.leaves = make([]leaf, 0, leavesOfTurn+leavesOfBlock*len(t.Blocks))
	c.fields = make([]field, 0, cap(c.leaves))
	c.field(leaf{text: t.Text, block: -1, pointer: "text"}, func(t *sessionevents.Turn, s string) { t.Text = s })
	c.attributes()
	if len(t.Native) > 0 {
		doc := r.collectJSON(&c.collection, t.Native, -1, "native", "native")
		c.docs = append(c.docs, turnDocument{doc, func(t *sessionevents.Turn, raw json.RawMessage) { t.Native = raw }})
	}
	paths := map[string]string{} // call id → file
	for i := range t.Blocks {
		r.collectBlock(c, i, paths)
	}
	return c
}

// attributes collects the short texts of a turn. Session and run are ids that subjects
// are built from, so they are not redacted (EV-3).
func (c *turnCollection) attributes() {
	of := func(pointer string, at func(*sessionevents.Turn) *string) {
		c.field(leaf{text: *at(&c.turn), block: -1, pointer: pointer}, func(t *sessionevents.Turn, s string) { *at(t) = s })
	}
	of("turn_id", func(t *sessionevents.Turn) *string { return &t.TurnID })
	of("fork_of", func(t *sessionevents.Turn) *string { return &t.ForkOf })
	of("format", func(t *sessionevents.Turn) *string { return &t.Format })
	of("stop_reason", func(t *sessionevents.Turn) *string { return &t.StopReason })
	for i := range c.turn.Unsupported {
		of("unsupported", func(t *sessionevents.Turn) *string { return &t.Unsupported[i] })
	}
	of("agent.id", func(t *sessionevents.Turn) *string { return &t.Agent.ID })
	of("agent.kind", func(t *sessionevents.Turn) *string { return &t.Agent.Kind })
	of("agent.model", func(t *sessionevents.Turn) *string { return &t.Agent.Model })
	of("agent.parent_session", func(t *sessionevents.Turn) *string { return &t.Agent.ParentSession })
	of("agent.archetype", func(t *sessionevents.Turn) *string { return &t.Agent.Archetype })
}

func (c *turnCollection) field(l leaf, set func(*sessionevents.Turn, string)) {
	if l.text != "" {
		c.fields = append(c.fields, field{c.add(l), set})
	}
}

var knownBlocks = map[sessionevents.BlockType]bool{
	sessionevents.BlockUser: true, sessionevents.BlockText: true, sessionevents.BlockThinking: true, sessionevents.BlockToolCall: true, sessionevents.BlockToolResult: true,
}

func (r *Redactor) collectBlock(c *turnCollection, i int, paths map[string]string) {
	b := &c.turn.Blocks[i]
	if len(b.Input) > 0 {
		first := len(c.leaves)
		doc := r.collectJSON(&c.collection, b.Input, i, "input", "input")
		c.docs = append(c.docs, turnDocument{doc, func(t *sessionevents.Turn, raw json.RawMessage) { t.Blocks[i].Input = raw }})
		if first < len(c.leaves) && b.ID != "" {
			paths[b.ID] = c.leaves[first].path
		}
	}
	c.field(leaf{text: b.Text, block: i, pointer: "text", group: "block/" + string(b.Type)}, func(t *sessionevents.Turn, s string) { t.Blocks[i].Text = s })
	c.field(leaf{text: b.Output, block: i, pointer: "output", group: "output", path: paths[b.ID]}, func(t *sessionevents.Turn, s string) { t.Blocks[i].Output = s })
	if !knownBlocks[b.Type] {
		c.field(leaf{text: string(b.Type), block: i, pointer: "type"}, func(t *sessionevents.Turn, s string) { t.Blocks[i].Type = sessionevents.BlockType(s) })
	}
	c.field(leaf{text: b.Name, block: i, pointer: "name"}, func(t *sessionevents.Turn, s string) { t.Blocks[i].Name = s })
	c.field(leaf{text: b.ID, block: i, pointer: "id"}, func(t *sessionevents.Turn, s string) { t.Blocks[i].ID = s })
	for p := range b.Patch {
		r.collectPatch(c, i, p)
	}
}

func (r *Redactor) collectPatch(c *turnCollection, i, p int) {
	patch := c.turn.Blocks[i].Patch[p]
	c.field(leaf{text: patch.Path, block: i, pointer: "path"}, func(t *sessionevents.Turn, s string) { t.Blocks[i].Patch[p].Path = s })
	c.field(leaf{text: patch.OldPath, block: i, pointer: "old_path"}, func(t *sessionevents.Turn, s string) { t.Blocks[i].Patch[p].OldPath = s })
	c.field(leaf{text: string(patch.Op), block: i, pointer: "op"}, func(t *sessionevents.Turn, s string) { t.Blocks[i].Patch[p].Op = sessionevents.DiffOperation(s) })
	for h := range patch.Hunks {
		text := strings.Join(patch.Hunks[h].Lines, "\n")
		c.field(leaf{text: text, block: i, pointer: pointerPatch, path: patch.Path}, func(t *sessionevents.Turn, s string) {
			t.Blocks[i].Patch[p].Hunks[h].Lines = strings.Split(s, "\n")
		})
	}
}

// rebuild writes the changed leaves into a copy of the turn.
func (c *turnCollection) rebuild() sessionevents.Turn {
	out := c.turn
	out.Blocks = copyBlocks(c.turn.Blocks)
	for _, f := range c.fields {
		if l := c.leaves[f.leaf]; l.changed {
			f.set(&out, l.text)
		}
	}
	for _, d := range c.docs {
		d.set(&out, d.doc.rebuild(&c.collection))
	}
	return out
}

// copyBlocks copies the parts that rebuild may change.
func copyBlocks(blocks []sessionevents.Block) []sessionevents.Block {
	out := append([]sessionevents.Block(nil), blocks...)
	for i := range out {
		out[i].Patch = append([]sessionevents.FilePatch(nil), out[i].Patch...)
		for p := range out[i].Patch {
			out[i].Patch[p].Hunks = append([]sessionevents.Hunk(nil), out[i].Patch[p].Hunks...)
		}
	}
	return out
}
