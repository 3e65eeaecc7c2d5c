package archeflow

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
