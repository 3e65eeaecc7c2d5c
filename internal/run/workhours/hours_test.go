package workhours_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
)

func window(t *testing.T, h workhours.Hours) workhours.Window {
	t.Helper()
	w, err := h.Window()
	require.NoError(t, err)
	return w
}

// PL-51: from start on, up to but without end, on its days, in its zone.
func TestPL51Hours(t *testing.T) {
	office := workhours.Hours{Timezone: "Europe/Berlin", Days: []string{"mon-fri"}, Start: "09:00", End: "18:00"}
	night := workhours.Hours{Days: []string{"fri"}, Start: "22:00", End: "06:00"}
	gap := workhours.Hours{Timezone: "Europe/Berlin", Start: "02:30", End: "04:00"}
	overlap := workhours.Hours{Timezone: "Europe/Berlin", Start: "02:00", End: "02:30"}
	cases := []struct {
		name     string
		hours    workhours.Hours
		at, next string // next "" is open
	}{
		{"first moment", office, "2026-11-23T08:00:00Z", ""},
		{"one second early", office, "2026-11-23T07:59:59Z", "2026-11-23T08:00:00Z"},
		{"last moment", office, "2026-11-23T16:59:59Z", ""},
		{"end", office, "2026-11-23T17:00:00Z", "2026-11-24T08:00:00Z"},
		{"Friday evening waits for Monday", office, "2026-11-27T17:00:00Z", "2026-11-30T08:00:00Z"},
		{"Saturday in UTC, Sunday in Berlin", office, "2026-11-28T23:30:00Z", "2026-11-30T08:00:00Z"},
		{"summer", office, "2026-07-01T06:59:59Z", "2026-07-01T07:00:00Z"},
		{"over midnight, before", night, "2026-11-27T21:59:00Z", "2026-11-27T22:00:00Z"},
		{"over midnight, the next day", night, "2026-11-28T05:59:59Z", ""},
		{"over midnight, over", night, "2026-11-28T06:00:00Z", "2026-12-04T22:00:00Z"},
		{"over midnight, not the night before", night, "2026-11-27T05:00:00Z", "2026-11-27T22:00:00Z"},
		// Clocks go from 02:00 to 03:00 at 01:00 UTC.
		{"the start is in the gap", gap, "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"},
		{"after the gap", gap, "2026-03-29T01:00:00Z", ""},
		{"the day before the gap", gap, "2026-03-28T01:00:00Z", "2026-03-28T01:30:00Z"},
		// Clocks go from 03:00 to 02:00 at 01:00 UTC: 02:15 comes twice.
		{"the first time", overlap, "2026-10-25T00:15:00Z", ""},
		{"between", overlap, "2026-10-25T00:45:00Z", "2026-10-25T01:00:00Z"},
		{"the second time", overlap, "2026-10-25T01:15:00Z", ""},
		{"after both", overlap, "2026-10-25T01:30:00Z", "2026-10-26T01:00:00Z"},
		{"nobody set any", workhours.Hours{}, "2026-11-28T03:00:00Z", ""},
		{"whole days", workhours.Hours{Days: []string{"sat", "Sunday"}}, "2026-11-30T00:00:00Z", "2026-12-05T00:00:00Z"},
		{"a range over the end of the week", workhours.Hours{Days: []string{"sat-mon"}}, "2026-12-01T00:00:00Z", "2026-12-05T00:00:00Z"},
		{"until midnight", workhours.Hours{Start: "08:00", End: "24:00"}, "2026-11-28T23:59:59Z", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, c.at)
			require.NoError(t, err)
			w := window(t, c.hours)
			require.Equal(t, c.next == "", w.Open(at))
			next := w.Next(at)
			if c.next == "" {
				require.True(t, next.Equal(at))
				return
			}
			require.Equal(t, c.next, next.UTC().Format(time.RFC3339))
			require.True(t, w.Open(next))
			require.False(t, w.Open(next.Add(-time.Second)))
		})
	}
}

func TestPL51HoursThatCannotBeMeant(t *testing.T) {
	for want, h := range map[string]workhours.Hours{
		"is not a time zone":   {Timezone: "Europe/Atlantis"},
		"a name such as":       {Timezone: "Local"},
		"is not a day":         {Days: []string{"mon-fry"}},
		"required together":    {Start: "09:00"},
		"is not a time of day": {Start: "9am", End: "18:00"},
		"00:00 to 24:00":       {Start: "09:00", End: "24:01"},
		"is empty;":            {Start: "09:00", End: "09:00"},
		"from 24:00 to 06:00 ": {Start: "24:00", End: "06:00"},
	} {
		_, err := h.Window()
		require.ErrorContains(t, err, want)
	}
}
