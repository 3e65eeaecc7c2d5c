package readmodel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Kinds of names in the counts by day.
const (
	kindDetector    = "detector"
	kindAgent       = "agent"
	kindUnsupported = "unsupported"
	kindPrevented   = "prevented"
	kindOpinion     = "opinion"
	kindDay         = "day" // in names only
)

// Bounds of what publishers can fill with names and times of their own.
const (
	maxNames = 200   // of one kind; the others are one
	maxDays  = 3_700 // the oldest leave
	maxText  = 600   // bytes of a text that is kept
)

// otherName stands for the names beyond maxNames.
const otherName = "(other)"

// counter is a row of daily.
type counter struct{ day, kind, name, what string }

// figures counts by day and in total, and bounds the names that it counts by.
type figures struct {
	transaction
	daily    map[counter]int64
	totals   map[[2]string]int64
	runDaily map[runCounter]int64
	names    map[[2]string]bool
	kinds    map[string]int // names known, by kind
}

// count adds to a day's figure; it is written when the batch is. A day that left
// counts no more.
func (f *figures) count(day, kind, name, what string, n int) {
	if n != 0 && f.names[[2]string{kindDay, day}] {
		f.daily[counter{day, kind, name, what}] += int64(n)
	}
}

func (f *figures) countAgent(s *session, what string, n int) {
	f.count(f.dayNow(), kindAgent, s.agent, what, n)
}

// dayNow is the day of the event at hand, in UTC.
func (f *figures) dayNow() string { return dayOf(instant(f.now)) }

// dayOf writes a day; years beyond four digits cannot be told from others.
func dayOf(t time.Time) string {
	if year := t.Year(); t.IsZero() || year < 1970 || year > 9999 {
		return "1970-01-01"
	}
	return t.UTC().Format(time.DateOnly)
}

func (f *figures) readNames() error {
	f.names, f.kinds = map[[2]string]bool{}, map[string]int{}
	rows, err := f.tx.QueryContext(f.ctx, "SELECT kind, name FROM names ORDER BY kind, name")
	if err != nil {
		return fmt.Errorf("read the names known: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind, name string
		if err := rows.Scan(&kind, &name); err != nil {
			return fmt.Errorf("read the names known: %w", err)
		}
		f.names[[2]string{kind, name}] = true
		f.kinds[kind]++
	}
	return rows.Err()
}

// name is a name as it is counted: itself, or otherName where there are too many.
func (f *figures) name(kind, name string) (string, error) {
	name = short(name)
	if f.names[[2]string{kind, name}] {
		return name, nil
	}
	if f.kinds[kind] >= maxNames {
		return otherName, nil
	}
	return name, f.addName(kind, name)
}

func (f *figures) addName(kind, name string) error {
	f.names[[2]string{kind, name}] = true
	f.kinds[kind]++
	if err := f.run("INSERT INTO names VALUES (?, ?)", kind, name); err != nil {
		return fmt.Errorf("write the %s %q: %w", kind, name, err)
	}
	return nil
}

// writeCounts adds what was counted to the tables; a count that came to nothing
// leaves no row.
func (f *figures) writeCounts() error {
	for _, c := range slices.SortedFunc(maps.Keys(f.daily), compareCounters) {
		var count int64
		err := f.scan("INSERT INTO daily VALUES (?,?,?,?,?) ON CONFLICT DO UPDATE SET count = count + excluded.count RETURNING count", []any{c.day, c.kind, c.name, c.what, f.daily[c]}, &count)
		if err == nil && count == 0 {
			err = f.run("DELETE FROM daily WHERE day = ? AND kind = ? AND name = ? AND what = ?", c.day, c.kind, c.name, c.what)
		}
		if err != nil {
			return fmt.Errorf("count %s of %s: %w", c.what, c.name, err)
		}
	}
	clear(f.daily)
	for _, key := range slices.SortedFunc(maps.Keys(f.totals), func(a, c [2]string) int { return slices.Compare(a[:], c[:]) }) {
		err := f.run("INSERT INTO totals VALUES (?,?,?) ON CONFLICT DO UPDATE SET count = count + excluded.count", key[0], key[1], f.totals[key])
		if err != nil {
			return fmt.Errorf("count the interrupts of %s: %w", key[0], err)
		}
	}
	clear(f.totals)
	return nil
}

// knowDay begins a day; the oldest leaves where there are too many.
func (f *figures) knowDay(day string) error {
	if f.names[[2]string{kindDay, day}] {
		return nil
	}
	if err := f.addName(kindDay, day); err != nil {
		return err
	}
	if f.kinds[kindDay] <= maxDays {
		return nil
	}
	oldest := day
	for key := range f.names {
		if key[0] == kindDay {
			oldest = min(oldest, key[1])
		}
	}
	delete(f.names, [2]string{kindDay, oldest})
	f.kinds[kindDay]--
	maps.DeleteFunc(f.daily, func(c counter, _ int64) bool { return c.day == oldest })
	maps.DeleteFunc(f.runDaily, func(c runCounter, _ int64) bool { return c.day == oldest })
	if err := f.run("DELETE FROM names WHERE kind = ? AND name = ?", kindDay, oldest); err != nil {
		return fmt.Errorf("forget the day %s: %w", oldest, err)
	}
	if err := f.run("DELETE FROM run_daily WHERE day = ?", oldest); err != nil {
		return fmt.Errorf("forget the runs of %s: %w", oldest, err)
	}
	return f.run("DELETE FROM daily WHERE day = ?", oldest)
}

func compareCounters(a, b counter) int {
	return cmp.Or(strings.Compare(a.day, b.day), strings.Compare(a.kind, b.kind), strings.Compare(a.name, b.name), strings.Compare(a.what, b.what))
}

// short bounds a text, at a character's border.
func short(s string) string { return text.Cut(s, maxText) }

// rowSize is what a row counts for: its texts and what every row costs.
func rowSize(texts ...string) int64 {
	size := 160
	for _, t := range texts {
		size += min(len(t), maxText)
	}
	return int64(size)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// values are what pointers to a row's fields point to.
func values(pointers []any) []any {
	out := make([]any, len(pointers))
	for i, p := range pointers {
		switch p := p.(type) {
		case *string:
			out[i] = *p
		case *int:
			out[i] = *p
		case *int64:
			out[i] = *p
		case *bool:
			out[i] = *p
		}
	}
	return out
}

// fired keeps an interrupt, once.
func (b findings) fired(ev events.Event, d *sessionevents.InterruptFired) error {
	s, err := b.session(ev, d.Session)
	if err != nil || d.ID == "" {
		return err
	}
	known, err := b.exists("SELECT 1 FROM interrupts WHERE id = ?", d.ID)
	if err != nil || known {
		return err
	}
	message, reason := short(d.Message), short(d.Reason)
	err = b.run(`INSERT INTO interrupts VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'',0)`,
		d.ID, s.id, ev.Group(), b.position.Sequence, b.now, b.dayNow(), d.Turn, short(d.Detector), short(string(d.Class)), int(d.Urgency),
		short(d.UrgencyLabel), d.FromQueue, message, reason, len(d.Signals), d.Budget.Before, d.Budget.After)
	if err != nil {
		return fmt.Errorf("write interrupt %s: %w", d.ID, err)
	}
	b.grow(s, rowSize(d.ID, s.id, message, reason))
	s.interrupts++
	b.count(b.dayNow(), kindDetector, short(d.Detector), "interrupts", 1)
	b.countAgent(s, "interrupts", 1)
	b.totals[[2]string{short(d.Detector), endingFired}]++
	for _, id := range d.Signals {
		o := outcome{signal: id, detector: d.Detector, ending: endingFired, turn: d.Turn, urgency: d.Urgency}
		if err := b.endSignal(s, o); err != nil {
			return err
		}
	}
	return nil
}

func (t *transaction) exists(query string, args ...any) (bool, error) {
	var found bool
	if err := t.scan("SELECT EXISTS ("+query+")", args, &found); err != nil {
		return false, fmt.Errorf("look it up: %w", err)
	}
	return found, nil
}
