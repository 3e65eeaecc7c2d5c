package redact

import (
	"encoding/json"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
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

// Scanner finds secrets; *secrets.Scanner is one.
type Scanner interface {
	// Find returns the secrets of a text in order, without overlaps.
	Find(text, path string) []secrets.Finding
	// FindNamed checks a whole text as the value of a name.
	FindNamed(name, text, path string) []secrets.Finding
	// Fingerprint returns a keyed hash of a value, 12 hex digits.
	Fingerprint(value string) string
	// Check returns a keyed hash of a value that is cheaper than Fingerprint but proves
	// less.
	Check(value string) uint32
	// TestFile reports whether a path is used only by tests.
	TestFile(path string) bool
}

// Redactor replaces secrets by markers. It is read-only after New.
type Redactor struct {
	scanner  Scanner
	pathKeys map[string]bool
}

// New returns a redactor. PathKeys are the keys of a tool's input that name the file it
// works on.
func New(scanner Scanner, pathKeys []string) *Redactor {
	r := &Redactor{scanner: scanner, pathKeys: map[string]bool{}}
	for _, k := range pathKeys {
		r.pathKeys[k] = true
	}
	return r
}

// Turn returns a redacted copy of t and its secrets, one entry per marker, with the
// block, the place in it and the offset of the marker; Segment is -1 until the segmenter
// locates the marker (package segment). It shares parts without secrets with t and
// never changes t. Ids of session and run are not redacted, since EV-3 validates them.
func (r *Redactor) Turn(t sessionevents.Turn) (sessionevents.Turn, []sessionevents.SecretFinding) {
	return r.turn(t, nil)
}

func (r *Redactor) turn(t sessionevents.Turn, m *Memory) (sessionevents.Turn, []sessionevents.SecretFinding) {
	c := r.collectTurn(t)
	found := r.run(&c.collection, m)
	if len(found) == 0 {
		return t, nil
	}
	return c.rebuild(), found
}

// JSON returns a redacted copy of any JSON value. Without secrets it is byte-identical,
// so that unknown fields, their order and their numbers are kept (EV-3). The secrets'
// Block is -1. Invalid JSON is redacted as text.
func (r *Redactor) JSON(raw json.RawMessage) (json.RawMessage, []sessionevents.SecretFinding) {
	return r.json(raw, nil)
}

func (r *Redactor) json(raw json.RawMessage, m *Memory) (json.RawMessage, []sessionevents.SecretFinding) {
	c := collection{}
	d := r.collectJSON(&c, raw, -1, "", "")
	found := r.run(&c, m)
	if len(found) == 0 {
		return raw, nil
	}
	return d.rebuild(&c), found
}

// Text redacts a text that belongs to the file path, "" for none.
func (r *Redactor) Text(text, path string) (string, []sessionevents.SecretFinding) {
	return r.text(text, path, nil)
}

func (r *Redactor) text(text, path string, m *Memory) (string, []sessionevents.SecretFinding) {
	c := collection{}
	c.add(leaf{text: text, path: path, block: -1})
	found := r.run(&c, m)
	return c.leaves[0].text, found
}

// Message returns the text of an error, a log line or a dead-letter reason without
// secrets (SW-7), "" for a nil error.
func (r *Redactor) Message(err error) string {
	if err == nil {
		return ""
	}
	text, _ := r.Text(err.Error(), "")
	return text
}

// maximumRepeats bounds the earlier values that a text is searched for: each costs a
// fingerprint for every place where a word of its length could be.
const maximumRepeats = 8

// Repeats returns a copy of t in which values that were found in earlier pieces of the
// same turn are replaced, and one finding per marker (SW-7). The values themselves are no
// longer known, only their lengths and fingerprints, so a repeat is found only on one
// line and between word borders. A provider's pattern finds its own repeats anywhere.
func (r *Redactor) Repeats(t sessionevents.Turn, earlier []sessionevents.SecretFinding) (sessionevents.Turn, []sessionevents.SecretFinding) {
	known := repeating(earlier)
	if len(known) == 0 {
		return t, nil
	}
	c := r.collectTurn(t)
	var found []sessionevents.SecretFinding
	for i := range c.leaves {
		l := &c.leaves[i]
		for _, k := range known {
			r.markRepeats(l, k)
		}
		if l.replace(); l.changed {
			found = append(found, repeats(l, known)...)
		}
	}
	if len(found) == 0 {
		return t, nil
	}
	return c.rebuild(), found
}

// repeating returns the findings whose values are replaced wherever they occur (see
// gather), each once.
func repeating(earlier []sessionevents.SecretFinding) []sessionevents.SecretFinding {
	var out []sessionevents.SecretFinding
	seen := map[string]bool{}
	for _, f := range earlier {
		named := f.Tier == sessionevents.SecretNamedEntropy || f.Tier == sessionevents.SecretNamedLiteral
		if !named || f.Placeholder || f.Length < minimumSpread || seen[f.Fingerprint] {
			continue
		}
		seen[f.Fingerprint] = true
		if out = append(out, f); len(out) == maximumRepeats {
			break
		}
	}
	return out
}

// markRepeats adds a hit for every word-like stretch with the fingerprint.
func (r *Redactor) markRepeats(l *leaf, f sessionevents.SecretFinding) {
	for at := 0; at+f.Length <= len(l.text); at++ {
		end := at + f.Length
		if !border(l.text, at) || !border(l.text, end) || !r.is(l.text[at:end], f) {
			continue
		}
		l.hits = append(l.hits, hit{at, end, secrets.Finding{Rule: f.Rule, Confidence: f.Confidence, Value: l.text[at:end]}, f.Fingerprint, false})
		at = end - 1
	}
}

// is reports whether a stretch is the value of a finding, cheapest test first.
func (r *Redactor) is(stretch string, f sessionevents.SecretFinding) bool {
	return stretch[0] > ' ' && stretch[len(stretch)-1] > ' ' && strings.IndexByte(stretch, '\n') < 0 &&
		secrets.Entropy(stretch) == f.Entropy && r.scanner.Fingerprint(stretch) == f.Fingerprint
}

// border reports whether a word can begin or end at a place in a text.
func border(s string, at int) bool {
	return at == 0 || at == len(s) || !text.IsWord(s[at-1]) || !text.IsWord(s[at])
}

// repeats returns the findings of a leaf whose repeats were replaced.
func repeats(l *leaf, known []sessionevents.SecretFinding) (out []sessionevents.SecretFinding) {
	for _, m := range Markers(l.text) {
		for _, f := range known {
			if f.Rule == m.Rule && f.Fingerprint == m.Fingerprint {
				f.Block, f.Pointer, f.Segment, f.Offset = l.block, l.pointer, -1, m.Start
				f.Path = l.path
				out = append(out, f)
				break
			}
		}
	}
	return out
}
