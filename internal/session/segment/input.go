package segment

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"
	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/markdown"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// input is a call's input, parsed one level deep; values are decoded on demand, since
// most inputs are large and most fields are not needed.
type input struct {
	raw    []byte
	fields []field // in order; a bare string or array is one field without a name
}

type field struct {
	name    string
	value   []byte // a string without its quotes, still escaped
	kind    jsonparser.ValueType
	decoded string // of a string, once it was requested
}

// readInput parses raw. Only a JSON object, array or string has fields.
func readInput(raw json.RawMessage) *input {
	in := &input{raw: raw}
	in.read()
	return in
}

func (in *input) read() {
	defer func() { _ = recover() }() // hostile JSON; keep what was read so far
	value, kind, _, err := jsonparser.Get(in.raw)
	if err != nil {
		return
	}
	if kind != jsonparser.Object {
		in.fields = append(in.fields, field{value: value, kind: kind})
		return
	}
	in.fields = objectFields(value)
}

func objectFields(object []byte) (out []field) {
	_ = jsonparser.ObjectEach(object, func(key, value []byte, kind jsonparser.ValueType, _ int) error {
		out = append(out, field{name: string(key), value: value, kind: kind})
		return nil
	})
	return out
}

// field returns the first field present among names.
func (in *input) field(names ...string) (*field, bool) {
	for _, name := range names {
		for i := range in.fields {
			if f := &in.fields[i]; f.name == name && f.kind != jsonparser.Null {
				return f, true
			}
		}
	}
	return &field{}, false
}

// text returns the first field among names that holds text: a string, or an array of
// strings joined by blanks.
func (in *input) text(names ...string) string {
	for _, name := range names {
		if f, ok := in.field(name); ok {
			if text := f.text(); text != "" {
				return text
			}
		}
	}
	return ""
}

// bare returns the text of an input that is not an object.
func (in *input) bare() string {
	if len(in.fields) == 1 && in.fields[0].name == "" {
		return in.fields[0].text()
	}
	return ""
}

func (f *field) text() string {
	switch f.kind {
	case jsonparser.String:
		if f.decoded == "" {
			f.decoded = unquoted(f.value)
		}
		return f.decoded
	case jsonparser.Array:
		return strings.Join(f.list(), " ")
	default:
		return ""
	}
}

// list returns the strings of an array, or a single string.
func (f *field) list() (out []string) {
	if f.kind == jsonparser.String {
		return []string{f.text()}
	}
	f.each(func(item *field) {
		if item.kind == jsonparser.String {
			out = append(out, item.text())
		}
	})
	return out
}

// each calls use for the items of an array.
func (f *field) each(use func(*field)) {
	if f.kind != jsonparser.Array {
		return
	}
	defer func() { _ = recover() }()
	_, _ = jsonparser.ArrayEach(f.value, func(value []byte, kind jsonparser.ValueType, _ int, _ error) {
		use(&field{value: value, kind: kind})
	})
}

// objects returns the items of an array that are objects, or the object itself.
func (f *field) objects() (out []*input) {
	if f.kind == jsonparser.Object {
		return []*input{readInput(f.value)}
	}
	f.each(func(item *field) {
		if item.kind == jsonparser.Object {
			out = append(out, readInput(item.value))
		}
	})
	return out
}

// number returns a whole number, which may be written as a string or with decimals.
func (in *input) number(names ...string) (int, bool) {
	f, ok := in.field(names...)
	if !ok || (f.kind != jsonparser.Number && f.kind != jsonparser.String) {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(f.value), 64)
	if err != nil || n < -1e9 || n > 1e9 {
		return 0, false
	}
	return int(n), true
}

func unquoted(escaped []byte) string {
	s, err := jsonparser.ParseString(escaped)
	if err != nil {
		return string(escaped)
	}
	return s
}

// hash returns a hash of the input in canonical form — fields sorted by name, no blanks,
// strings decoded — as 16 hex digits; "" without input.
func (in *input) hash() string {
	if len(in.raw) == 0 {
		return ""
	}
	d := xxhash.New()
	if len(in.fields) == 0 || in.fields[0].name == "" && len(in.fields) == 1 {
		_, _ = d.Write(in.raw)
	} else {
		hashObject(d, in.fields, 0)
	}
	return hex16(d.Sum64())
}

const maxHashDepth = 32 // deeper values are hashed as written

func hashObject(d *xxhash.Digest, fields []field, depth int) {
	sorted := make([]*field, len(fields))
	for i := range fields {
		sorted[i] = &fields[i]
	}
	slices.SortStableFunc(sorted, func(a, b *field) int { return strings.Compare(a.name, b.name) })
	_, _ = d.WriteString("{")
	for _, f := range sorted {
		_, _ = d.WriteString(strconv.Itoa(len(f.name)) + ":" + f.name)
		hashValue(d, f, depth)
	}
	_, _ = d.WriteString("}")
}

func hashValue(d *xxhash.Digest, f *field, depth int) {
	switch {
	case f.kind == jsonparser.String:
		text := f.text()
		_, _ = d.WriteString(strconv.Itoa(len(text)) + "\"")
		_, _ = d.WriteString(text)
	case f.kind == jsonparser.Object && depth < maxHashDepth:
		hashObject(d, readInput(f.value).fields, depth+1)
	case f.kind == jsonparser.Array && depth < maxHashDepth:
		_, _ = d.WriteString("[")
		f.each(func(item *field) { hashValue(d, item, depth+1) })
		_, _ = d.WriteString("]")
	default:
		_, _ = d.WriteString(" ")
		_, _ = d.Write(f.value)
	}
}

func hex16(sum uint64) string {
	s := strconv.FormatUint(sum, 16)
	return "0000000000000000"[len(s):] + s
}

func itoa(n int) string { return strconv.Itoa(n) }

// todoItems reads the list of a todo or plan tool: an array of entries, a
// Markdown task list, or a single entry (TaskCreate, TaskUpdate).
func (s *Segmenter) todoItems(c *call) []sessionevents.TodoItem {
	f := s.tools.fields
	list, ok := c.in.field(f.Items...)
	if !ok {
		return s.tools.todoItem(c.in, nil)
	}
	if list.kind == jsonparser.String {
		text := list.text()
		if strings.HasPrefix(strings.TrimSpace(text), "[{") {
			return s.tools.todoList(readInput([]byte(text)).fields)
		}
		return s.markdownTasks(text)
	}
	return s.tools.todoList([]field{*list})
}

func (t *toolTable) todoList(fields []field) (out []sessionevents.TodoItem) {
	for i := range fields {
		for _, entry := range fields[i].objects() {
			out = t.todoItem(entry, out)
		}
	}
	return out
}

func (t *toolTable) todoItem(entry *input, out []sessionevents.TodoItem) []sessionevents.TodoItem {
	f := t.fields
	item := sessionevents.TodoItem{
		Text: text.Head(entry.text(f.ItemText...), 1024), Status: todoStatus(entry.text(f.ItemStatus...)), ID: text.Head(entry.text(f.ItemID...), 64),
	}
	if item.ID == "" {
		if n, ok := entry.number(f.ItemID...); ok {
			item.ID = itoa(n)
		}
	}
	if item.Text == "" && item.Status == "" {
		return out
	}
	if item.Status == "" {
		item.Status = sessionevents.TodoPending
	}
	return append(out, item)
}

// underscores normalizes the separators between the words of a status.
var underscores = strings.NewReplacer("-", "_", " ", "_")

// todoStatus returns the status that an agent's word means.
func todoStatus(s string) sessionevents.TodoStatus {
	switch strings.ToLower(underscores.Replace(s)) {
	case "":
		return ""
	case "completed", "complete", "done", "finished":
		return sessionevents.TodoCompleted
	case "in_progress", "active", "doing", "started":
		return sessionevents.TodoInProgress
	case "cancelled", "canceled", "deleted", "skipped", "abandoned":
		return sessionevents.TodoCancelled
	default:
		return sessionevents.TodoPending
	}
}

func (s *Segmenter) markdownTasks(text string) (out []sessionevents.TodoItem) {
	for _, block := range s.blocks(text) {
		for _, task := range block.Tasks {
			out = append(out, todoOf(task))
		}
	}
	return out
}

func todoOf(task markdown.Task) sessionevents.TodoItem {
	status := sessionevents.TodoPending
	if task.Done {
		status = sessionevents.TodoCompleted
	}
	return sessionevents.TodoItem{Text: text.Head(task.Text, 1024), Status: status}
}
