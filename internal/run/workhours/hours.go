package workhours

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Hours are configured working hours (PL-51). Without days they apply to every day, and
// without start and end to the whole day; the zero value is always open.
type Hours struct {
	Timezone string   `yaml:"timezone"` // of the IANA database, e.g. Europe/Berlin; "" is UTC
	Days     []string `yaml:"days"`     // mon, Monday, mon-fri
	Start    string   `yaml:"start"`    // 09:00
	End      string   `yaml:"end"`      // 18:00; a time before start is on the next day
}

// IsZero reports whether the hours are unset.
func (h Hours) IsZero() bool {
	return h.Timezone == "" && len(h.Days) == 0 && h.Start == "" && h.End == ""
}

// minutesOfDay is 24:00.
const minutesOfDay = 24 * 60

// Window is the compiled form of Hours. The window of a day begins on that day and may
// end on the next. It follows wall clocks: if clocks go forward over a start, the window
// opens right after the gap; an hour that occurs twice is open twice.
type Window struct {
	location   *time.Location
	days       [7]bool
	start, end int  // minutes from midnight; end may be beyond 24:00
	limited    bool // otherwise always open, like the zero value
}

// Window validates and compiles hours. An error is a [rules.Invalid] that names the key.
func (h Hours) Window() (Window, error) {
	if h.IsZero() {
		return Window{}, nil
	}
	w := Window{location: time.UTC, end: minutesOfDay, limited: true}
	var err error
	if w.location, err = time.LoadLocation(h.Timezone); err != nil || strings.EqualFold(h.Timezone, "local") {
		return w, &rules.Invalid{Path: []string{"timezone"}, Why: fmt.Sprintf("%q is not a time zone; use a name such as Europe/Berlin or UTC", h.Timezone)}
	}
	if w.days, err = weekdays(h.Days); err != nil {
		return w, err
	}
	if (h.Start == "") != (h.End == "") {
		return w, &rules.Invalid{Path: []string{"start"}, Why: "start and end are required together; omit both for whole days"}
	}
	if h.Start == "" {
		return w, nil
	}
	if w.start, err = clock("start", h.Start); err != nil {
		return w, err
	}
	if w.end, err = clock("end", h.End); err != nil {
		return w, err
	}
	if w.start == w.end || w.start == minutesOfDay {
		return w, &rules.Invalid{Path: []string{"end"}, Why: fmt.Sprintf("from %s to %s is empty; omit both for whole days", h.Start, h.End)}
	}
	if w.end < w.start {
		w.end += minutesOfDay
	}
	return w, nil
}

func clock(key, text string) (int, error) {
	if text == "24:00" {
		return minutesOfDay, nil
	}
	t, err := time.Parse("15:04", text)
	if err != nil {
		return 0, &rules.Invalid{Path: []string{key}, Why: fmt.Sprintf("%q is not a time of day; use 00:00 to 24:00, for example \"09:00\"", text)}
	}
	return t.Hour()*60 + t.Minute(), nil
}

var dayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func weekdays(list []string) (days [7]bool, err error) {
	for i, item := range list {
		first, last, ranged := strings.Cut(item, "-")
		from := weekday(first)
		to := from
		if ranged {
			to = weekday(last)
		}
		if from < 0 || to < 0 {
			return days, &rules.Invalid{Path: []string{"days", fmt.Sprint(i)}, Why: fmt.Sprintf("%q is not a day; use mon, tue, wed, thu, fri, sat, sun, or a range such as mon-fri", item)}
		}
		for d := from; ; d = (d + 1) % 7 {
			days[d] = true
			if d == to {
				break
			}
		}
	}
	if len(list) == 0 {
		return [7]bool{true, true, true, true, true, true, true}, nil
	}
	return days, nil
}

// weekday returns the number of a day by its full name or first three letters, -1
// for anything else.
func weekday(name string) int {
	name = strings.ToLower(strings.TrimSpace(name))
	return slices.IndexFunc(dayNames, func(day string) bool { return name == day || name == day[:3] })
}

// Open reports whether t is within the hours, from the start up to but excluding
// the end.
func (w Window) Open(t time.Time) bool {
	if !w.limited {
		return true
	}
	local := t.In(w.location)
	minute := local.Hour()*60 + local.Minute()
	today := int(local.Weekday())
	return w.days[today] && minute >= w.start && minute < w.end ||
		w.days[(today+6)%7] && minute+minutesOfDay < w.end // a window that began yesterday
}

// Next returns the first moment within the hours at or after t.
func (w Window) Next(t time.Time) time.Time {
	if w.Open(t) {
		return t
	}
	const around = 3 * time.Hour // clock changes are smaller
	local := t.In(w.location)
	for day := 0; day <= 8; day++ {
		begin := time.Date(local.Year(), local.Month(), local.Day()+day, 0, w.start, 0, 0, w.location)
		for at := begin.Add(-around); !at.After(begin.Add(around)); at = at.Add(time.Minute) {
			if at.After(t) && w.Open(at) {
				return at.UTC()
			}
		}
	}
	return t // no weekday is in the hours, which Window rules out
}

// String describes the hours for people.
func (h Hours) String() string {
	if h.IsZero() {
		return "always"
	}
	days, clock, zone := "every day", "the whole day", h.Timezone
	if len(h.Days) > 0 {
		days = strings.Join(h.Days, ", ")
	}
	if h.Start != "" {
		clock = h.Start + " to " + h.End
	}
	if zone == "" {
		zone = "UTC"
	}
	return days + ", " + clock + " (" + zone + ")"
}

// Below prefixes the path of an error about hours with the keys that lead to them.
func Below(err error, keys ...string) error {
	var bad *rules.Invalid
	if errors.As(err, &bad) {
		at := *bad
		at.Path = append(slices.Clone(keys), bad.Path...)
		return &at
	}
	return err
}

// After returns the moment at which d of the hours has passed since t; time outside the
// hours does not count.
func (w Window) After(t time.Time, d time.Duration) time.Time {
	if !w.limited {
		return t.Add(d)
	}
	at := w.Next(t)
	for {
		step := min(at.Truncate(time.Minute).Add(time.Minute).Sub(at), d) // hours begin and end on full minutes
		at, d = at.Add(step), d-step
		if d <= 0 {
			return at.UTC()
		}
		at = w.Next(at)
	}
}
