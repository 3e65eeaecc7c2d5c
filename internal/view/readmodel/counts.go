package readmodel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
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

// count adds to a day's figure; it is written when the batch is. A day that left
// counts no more.
func (b *batch) count(day, kind, name, what string, n int) {
	if n != 0 && b.names[[2]string{kindDay, day}] {
		b.daily[counter{day, kind, name, what}] += int64(n)
	}
}

func (b *batch) countAgent(s *session, what string, n int) {
	b.count(b.dayNow(), kindAgent, s.agent, what, n)
}

// dayNow is the day of the event at hand, in UTC.
func (b *batch) dayNow() string { return dayOf(instant(b.now)) }

// dayOf writes a day; years beyond four digits cannot be told from others.
func dayOf(t time.Time) string {
	if year := t.Year(); t.IsZero() || year < 1970 || year > 9999 {
		return "1970-01-01"
	}
	return t.UTC().Format(time.DateOnly)
}

func (b *batch) readNames() error {
	b.names, b.kinds = map[[2]string]bool{}, map[string]int{}
	rows, err := b.tx.QueryContext(b.ctx, "SELECT kind, name FROM names ORDER BY kind, name")
	if err != nil {
		return fmt.Errorf("read the names known: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind, name string
		if err := rows.Scan(&kind, &name); err != nil {
			return fmt.Errorf("read the names known: %w", err)
		}
		b.names[[2]string{kind, name}] = true
		b.kinds[kind]++
	}
	return rows.Err()
}

// name is a name as it is counted: itself, or otherName where there are too many.
func (b *batch) name(kind, name string) (string, error) {
	name = short(name)
	if b.names[[2]string{kind, name}] {
		return name, nil
	}
	if b.kinds[kind] >= maxNames {
		return otherName, nil
	}
	return name, b.addName(kind, name)
}

func (b *batch) addName(kind, name string) error {
	b.names[[2]string{kind, name}] = true
	b.kinds[kind]++
	if err := b.run("INSERT INTO names VALUES (?, ?)", kind, name); err != nil {
		return fmt.Errorf("write the %s %q: %w", kind, name, err)
	}
	return nil
}

// writeCounts adds what was counted to the tables; a count that came to nothing
// leaves no row.
func (b *batch) writeCounts() error {
	for _, c := range slices.SortedFunc(maps.Keys(b.daily), compareCounters) {
		var count int64
		err := b.scan("INSERT INTO daily VALUES (?,?,?,?,?) ON CONFLICT DO UPDATE SET count = count + excluded.count RETURNING count", []any{c.day, c.kind, c.name, c.what, b.daily[c]}, &count)
		if err == nil && count == 0 {
			err = b.run("DELETE FROM daily WHERE day = ? AND kind = ? AND name = ? AND what = ?", c.day, c.kind, c.name, c.what)
		}
		if err != nil {
			return fmt.Errorf("count %s of %s: %w", c.what, c.name, err)
		}
	}
	clear(b.daily)
	for _, key := range slices.SortedFunc(maps.Keys(b.totals), func(a, c [2]string) int { return slices.Compare(a[:], c[:]) }) {
		err := b.run("INSERT INTO totals VALUES (?,?,?) ON CONFLICT DO UPDATE SET count = count + excluded.count", key[0], key[1], b.totals[key])
		if err != nil {
			return fmt.Errorf("count the interrupts of %s: %w", key[0], err)
		}
	}
	clear(b.totals)
	return nil
}

// knowDay begins a day; the oldest leaves where there are too many.
func (b *batch) knowDay(day string) error {
	if b.names[[2]string{kindDay, day}] {
		return nil
	}
	if err := b.addName(kindDay, day); err != nil {
		return err
	}
	if b.kinds[kindDay] <= maxDays {
		return nil
	}
	oldest := day
	for key := range b.names {
		if key[0] == kindDay {
			oldest = min(oldest, key[1])
		}
	}
	delete(b.names, [2]string{kindDay, oldest})
	b.kinds[kindDay]--
	maps.DeleteFunc(b.daily, func(c counter, _ int64) bool { return c.day == oldest })
	maps.DeleteFunc(b.runDaily, func(c runCounter, _ int64) bool { return c.day == oldest })
	if err := b.run("DELETE FROM names WHERE kind = ? AND name = ?", kindDay, oldest); err != nil {
		return fmt.Errorf("forget the day %s: %w", oldest, err)
	}
	if err := b.run("DELETE FROM run_daily WHERE day = ?", oldest); err != nil {
		return fmt.Errorf("forget the runs of %s: %w", oldest, err)
	}
	return b.run("DELETE FROM daily WHERE day = ?", oldest)
}

func compareCounters(a, b counter) int {
	return cmp.Or(strings.Compare(a.day, b.day), strings.Compare(a.kind, b.kind), strings.Compare(a.name, b.name), strings.Compare(a.what, b.what))
}

// short bounds a text, at a character's border.
func short(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

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
