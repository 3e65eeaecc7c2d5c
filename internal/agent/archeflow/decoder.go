package archeflow

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

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
