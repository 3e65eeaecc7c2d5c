package ralph

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
)

type decoder struct {
	a       *transcript.Assembler
	inner   func([]byte) (transcript.Format, bool)
	scanner scanner
	partial strings.Builder // a long line arrives in pieces
	before  strings.Builder // text before the first iteration
	loop    *loop
	now     *iteration
	loops   int  // number of loops so far
	codes   bool // the log records how iterations end
}

func newDecoder(a *transcript.Assembler, inner func([]byte) (transcript.Format, bool)) *decoder {
	return &decoder{a: a, inner: inner, scanner: scanner{phrases: embedded()}}
}

// Record reads a line or a piece of one.
func (d *decoder) Record(r record.Record) error {
	piece := string(r.Data)
	if d.partial.Len() < maxLine {
		d.partial.WriteString(piece)
	}
	if !strings.HasSuffix(piece, "\n") {
		return nil
	}
	d.line()
	return nil
}

// End ends the last iteration; one in which the log breaks off is still running.
func (d *decoder) End() {
	if d.partial.Len() > 0 {
		d.line()
	}
	if d.now == nil {
		return
	}
	d.confirm()
	if d.finished() {
		d.finish()
	}
	d.loop.close()
}

// finished reports whether the last iteration ended. If the log records how iterations end, one without
// such a record is still running, unless it stopped the loop.
func (d *decoder) finished() bool {
	i := d.now
	if i.outcome != "" || i.promise != "" || i.closing != nil {
		return true
	}
	return !d.codes && !d.a.Options().Follow && i.lines > 0
}

func (d *decoder) line() {
	raw := d.partial.String()
	d.partial.Reset()
	r := d.scanner.line(raw)
	switch {
	case r.kind == begin:
		d.begin(r, raw)
	case d.now == nil:
		if d.before.Len() < maxName/2 {
			d.before.WriteString(raw)
		}
	default:
		d.goOn(r, raw)
	}
}

// begin begins an iteration; whatever the previous one left open is settled.
func (d *decoder) begin(r read, raw string) {
	if d.now != nil {
		d.confirm()
		d.finish()
	}
	switch {
	case d.loop == nil:
		d.loops++
		d.loop = newLoop(d, d.before.String()+raw, r.at)
	case r.restart:
		d.loop.close()
		d.loops++
		d.loop = newLoop(d, d.loop.id+raw, r.at)
	}
	d.now = &iteration{number: r.number, begun: r.at}
	d.loop.saw(r.at)
}

// goOn reads a line inside an iteration or after its end.
func (d *decoder) goOn(r read, raw string) {
	d.loop.saw(r.at)
	d.loop.name(raw)
	i := d.now
	switch r.kind {
	case end:
		d.codes = true
		i.end(r)
		d.finish()
	case maybe:
		i.take(r, raw)
		i.held = &r
	case gaveUp, done:
		d.over(r)
	case promise:
		i.take(r, raw)
		i.promise = r.word
	case output:
		if i.outcome == "" {
			i.take(r, raw)
		}
	}
}

// confirm accepts an end that the agent could have written instead of the loop: only lines of the loop
// follow it.
func (d *decoder) confirm() {
	if i := d.now; i.held != nil && i.outcome == "" {
		d.codes = true
		i.end(*i.held)
	}
}

// over ends the loop: immediately if no agent could have written the line, otherwise once nothing follows
// it.
func (d *decoder) over(r read) {
	i := d.now
	if i.closing, i.after = &r, 0; !r.framed && !r.stamped && i.outcome == "" {
		return
	}
	d.confirm()
	d.finish()
	d.loop.over(r)
}

// finish reports the outcome of the iteration, once.
func (d *decoder) finish() {
	i := d.now
	if i.outcome == "" {
		i.outcome = i.guess(d.scanner.phrases)
	}
	d.loop.tell(i)
}
