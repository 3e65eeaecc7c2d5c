package fleetreport

import (
	"fmt"
	"strconv"
	"time"
)

// Period is a range of days, both ends included; "" is open.
type Period struct{ From, To string }

// ParsePeriod reads since and until: days as 2026-01-31, today or yesterday; since also as 7d or 2w for as many days
// that end today. Empty ones, and since all, are open. Days are in UTC.
func ParsePeriod(since, until string, now time.Time) (p Period, err error) {
	if p.From, err = day(since, now); err != nil {
		return p, fmt.Errorf("since %w", err)
	}
	if until != "" {
		var named bool
		if p.To, named = single(until, now); !named {
			return p, fmt.Errorf("until %q: it takes a day such as 2026-01-31, or today or yesterday", until)
		}
	}
	if p.From != "" && p.To != "" && p.To < p.From {
		return p, fmt.Errorf("the period from %s to %s ends before it begins", p.From, p.To)
	}
	return p, nil
}

// longest is the longest period in days that can be asked for: ten years.
const longest = 3_700

// single returns the one day that a text names.
func single(text string, now time.Time) (string, bool) {
	switch text {
	case "today":
		return now.UTC().Format(time.DateOnly), true
	case "yesterday":
		return now.UTC().AddDate(0, 0, -1).Format(time.DateOnly), true
	}
	date, err := time.Parse(time.DateOnly, text)
	return date.Format(time.DateOnly), err == nil
}

func day(text string, now time.Time) (string, error) {
	if text == "" || text == "all" {
		return "", nil
	}
	if date, is := single(text, now); is {
		return date, nil
	}
	unit := map[byte]int{'d': 1, 'w': 7}[text[len(text)-1]]
	n, err := strconv.Atoi(text[:len(text)-1])
	if err != nil || unit == 0 || n < 1 || n*unit > longest {
		return "", fmt.Errorf("%q: it takes days or weeks such as 7d or 2w, a day such as 2026-01-31, or today, yesterday or all", text)
	}
	return now.UTC().AddDate(0, 0, 1-n*unit).Format(time.DateOnly), nil
}

// period is the period in words.
func (m Model) period() string {
	switch {
	case m.From == "" && m.To == "":
		return "all days"
	case m.To == "":
		return "since " + m.From
	case m.From == "":
		return "until " + m.To
	case m.From == m.To:
		return m.From
	}
	return m.From + " to " + m.To
}
