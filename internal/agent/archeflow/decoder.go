package archeflow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// maxRuns is how many runs of one file are remembered. Beyond that the oldest is forgotten, and would start
// again.
const maxRuns = 64

type decoder struct {
	a      *transcript.Assembler
	tree   tree
	order  order
	runs   map[string]*run
	oldest []string
	seen   []string // hashes of the latest lines
}

func newDecoder(a *transcript.Assembler) *decoder {
	o := a.Options()
	return &decoder{a: a, tree: tree{o.Beside}, order: order{follow: o.Follow}, runs: map[string]*run{}}
}

// Record reads one line of the log.
func (d *decoder) Record(r record.Record) error {
	l, err := readLine(r.Data)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(r.Data)
	l.number, l.offset, l.hash = r.Line, r.Offset, hex.EncodeToString(sum[:16])
	l.Data = append([]byte(nil), l.Data...) // the record's bytes belong to the reader
	for _, due := range d.order.add(l) {
		d.read(due)
	}
	return nil
}

// End reads what was held back.
func (d *decoder) End() {
	for _, due := range d.order.rest() {
		d.read(due)
	}
}

// read emits the events of a line.
func (d *decoder) read(l *line) {
	if d.twice(l) {
		d.problem(l, "the line appears twice in the log")
		return
	}
	handle, is := known[string(l.Type)]
	if !is {
		d.problem(l, "an event of unknown type%s", name(string(l.Type)))
		return
	}
	if noted[string(l.Type)] {
		d.a.Note(string(l.Type))
	}
	d.run(string(l.Run)).take(l, handle)
}

func (d *decoder) problem(l *line, format string, args ...any) {
	d.a.Problems.Add(l.number, l.offset, fmt.Sprintf(format, args...))
}

// plain matches types that can be shown without quoting content.
var plain = pattern.Must(`^[a-z][a-z_]{0,30}(\.[a-z][a-z_]{0,30}){0,3}$`)

func name(typ string) string {
	if !plain.MatchString(typ) {
		return ""
	}
	return ": " + typ
}

// twice reports whether the same line was read shortly before.
func (d *decoder) twice(l *line) bool {
	for _, hash := range d.seen {
		if hash == l.hash {
			return true
		}
	}
	d.seen = append(d.seen, l.hash)
	if len(d.seen) > maxHeld {
		d.seen = d.seen[1:]
	}
	return false
}

// run returns the run with the log's own id.
func (d *decoder) run(native string) *run {
	if r := d.runs[native]; r != nil {
		return r
	}
	if len(d.oldest) >= maxRuns {
		delete(d.runs, d.oldest[0])
		d.oldest = d.oldest[1:]
	}
	r := newRun(d, native)
	d.runs[native] = r
	d.oldest = append(d.oldest, native)
	return r
}

// line is one event of the log. Fields are parsed leniently: an orchestrator made of prompts writes numbers
// as text and leaves fields out.
type line struct {
	At     loose.Time      `json:"ts"`
	Run    loose.String    `json:"run_id"`
	Seq    loose.Int       `json:"seq"` // from 1; 0 if missing
	Parent numbers         `json:"parent"`
	Type   loose.String    `json:"type"`
	Phase  loose.String    `json:"phase"`
	Agent  loose.String    `json:"agent"`
	Data   json.RawMessage `json:"data"`

	number int    // number of the line, from 1
	offset int64  // in bytes
	place  int64  // position among the lines of its run
	hash   string // hash of the line as written
}

// readLine parses one line of the log.
func readLine(data []byte) (*line, error) {
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, fmt.Errorf("not a JSON object")
	}
	l := &line{}
	if err := json.Unmarshal(data, l); err != nil {
		return nil, fmt.Errorf("not an event of the log: %w", err)
	}
	if l.Run == "" || l.Type == "" {
		return nil, fmt.Errorf("an event without run_id or type")
	}
	l.Seq = max(l.Seq, 0)
	return l, nil
}

// fields parses the event's own data, even if a shell quoted it into a string; it is empty unless it is an
// object.
func (l *line) fields() *fields {
	f := &fields{}
	if trimmed := bytes.TrimSpace(loose.Object(l.Data)); len(trimmed) > 0 && trimmed[0] == '{' {
		_ = json.Unmarshal(trimmed, f) // every field is parsed leniently
	}
	return f
}

// numbers is a list of numbers; other elements are left out, and a single number counts as a list.
type numbers []int64

// UnmarshalJSON accepts any type.
func (n *numbers) UnmarshalJSON(b []byte) error {
	var list []loose.Int
	if json.Unmarshal(b, &list) != nil {
		var one loose.Int
		_ = json.Unmarshal(b, &one)
		list = []loose.Int{one}
	}
	*n = nil
	for _, v := range list {
		if v > 0 {
			*n = append(*n, int64(v))
		}
	}
	return nil
}

// Limits of what is held back to put lines in order (EV-3).
const (
	maxHeld      = 256
	maxHeldBytes = 4 << 20
)

// order sorts the lines of each run by their seq, however concurrent agents left them, within a window. A
// log that is being followed is read as it arrives: its writers hold a lock, and what is held back would be
// reported late.
type order struct {
	follow bool
	held   []*line
	bytes  int
	last   map[string]int64 // latest seq of each run, for lines without one
	runs   []string         // the same runs, oldest first
}

// add adds a line and returns those that are due, in order.
func (o *order) add(l *line) []*line {
	o.number(l)
	o.held = append(o.held, l)
	o.bytes += len(l.Data)
	var due []*line
	for len(o.held) > 0 && (o.follow || len(o.held) > maxHeld || o.bytes > maxHeldBytes) {
		due = append(due, o.next())
	}
	return due
}

// rest returns what is still held.
func (o *order) rest() []*line {
	var due []*line
	for len(o.held) > 0 {
		due = append(due, o.next())
	}
	return due
}

// number gives a line without seq its position in the file.
func (o *order) number(l *line) {
	run := string(l.Run)
	if o.last == nil {
		o.last = map[string]int64{}
	}
	if _, known := o.last[run]; !known {
		if len(o.runs) >= maxRuns {
			delete(o.last, o.runs[0])
			o.runs = o.runs[1:]
		}
		o.runs = append(o.runs, run)
	}
	if l.Seq == 0 {
		l.place = o.last[run]
		return
	}
	l.place = int64(l.Seq)
	o.last[run] = max(o.last[run], l.place)
}

// next removes and returns the first held line, or rather the one of its run with the lowest seq, so that
// other runs of the file keep their places.
func (o *order) next() *line {
	at := 0
	for i, l := range o.held {
		if l.Run == o.held[0].Run && before(l, o.held[at]) {
			at = i
		}
	}
	l := o.held[at]
	o.held[at] = o.held[0]
	o.held = o.held[1:]
	o.bytes -= len(l.Data)
	return l
}

func before(a, b *line) bool {
	switch {
	case a.place != b.place:
		return a.place < b.place
	case !a.At.Equal(b.At.Time) && !a.At.IsZero() && !b.At.IsZero():
		return a.At.Before(b.At.Time)
	}
	return a.number < b.number
}
