package workhours_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
)

// PL-51: office and night hours over both changes of clocks, of an hour and of
// half an hour, north and south, and where there are none.
func TestPL51ChangesOfClocks(t *testing.T) {
	office := func(zone string) workhours.Hours {
		return workhours.Hours{Timezone: zone, Days: []string{"mon-fri"}, Start: "09:00", End: "17:00"}
	}
	night := func(zone string) workhours.Hours {
		return workhours.Hours{Timezone: zone, Start: "22:00", End: "06:00"}
	}
	cases := []struct {
		name     string
		hours    workhours.Hours
		at, next string // next "" is open
	}{
		{"Berlin, the Friday before summer", office("Europe/Berlin"), "2026-03-27T16:00:00Z", "2026-03-30T07:00:00Z"},
		{"Berlin, the Friday before winter", office("Europe/Berlin"), "2026-10-23T15:00:00Z", "2026-10-26T08:00:00Z"},
		{"New York, the Friday before summer", office("America/New_York"), "2026-03-06T22:00:00Z", "2026-03-09T13:00:00Z"},
		{"New York, the Friday before winter", office("America/New_York"), "2026-10-30T21:00:00Z", "2026-11-02T14:00:00Z"},
		{"Lord Howe, the Friday before summer (+10:30 to +11)", office("Australia/Lord_Howe"), "2026-10-02T06:30:00Z", "2026-10-04T22:00:00Z"},
		{"Lord Howe, the Friday before winter (+11 to +10:30)", office("Australia/Lord_Howe"), "2026-04-03T06:00:00Z", "2026-04-05T22:30:00Z"},
		{"Kolkata has no changes (+5:30), the end", office("Asia/Kolkata"), "2026-03-27T11:30:00Z", "2026-03-30T03:30:00Z"},
		{"Kolkata, the last moment", office("Asia/Kolkata"), "2026-03-27T11:29:59Z", ""},
		{"Phoenix has none while New York has", office("America/Phoenix"), "2026-03-09T15:59:59Z", "2026-03-09T16:00:00Z"},

		// The night of Berlin to summer lasts 7 hours: 21:00 to 04:00 UTC.
		{"short night, begins", night("Europe/Berlin"), "2026-03-28T21:00:00Z", ""},
		{"short night, last moment", night("Europe/Berlin"), "2026-03-29T03:59:59Z", ""},
		{"short night, over", night("Europe/Berlin"), "2026-03-29T04:00:00Z", "2026-03-29T20:00:00Z"},
		// To winter 9 hours: 20:00 to 05:00 UTC.
		{"long night, last moment", night("Europe/Berlin"), "2026-10-25T04:59:59Z", ""},
		{"long night, over", night("Europe/Berlin"), "2026-10-25T05:00:00Z", "2026-10-25T21:00:00Z"},
		{"long night of New York", night("America/New_York"), "2026-11-01T10:59:59Z", ""},
		{"it is over", night("America/New_York"), "2026-11-01T11:00:00Z", "2026-11-02T03:00:00Z"},

		// Half an hour is missing: 02:00 to 02:30 on Lord Howe, at 15:30 UTC.
		{"start in half an hour that is missing", workhours.Hours{Timezone: "Australia/Lord_Howe", Start: "02:15", End: "03:00"}, "2026-10-03T15:29:59Z", "2026-10-03T15:30:00Z"},
		// 01:30 to 02:00 comes twice there, the second time at 15:00 UTC.
		{"half an hour that comes twice, first", workhours.Hours{Timezone: "Australia/Lord_Howe", Start: "01:30", End: "02:00"}, "2026-04-04T14:30:00Z", ""},
		{"half an hour that comes twice, second", workhours.Hours{Timezone: "Australia/Lord_Howe", Start: "01:30", End: "02:00"}, "2026-04-04T15:29:59Z", ""},
		{"half an hour that comes twice, after", workhours.Hours{Timezone: "Australia/Lord_Howe", Start: "01:30", End: "02:00"}, "2026-04-04T15:30:00Z", "2026-04-05T15:00:00Z"},
		// Midnight is missing: clocks go from 00:00 to 01:00 in Cairo.
		{"a whole day that begins at 01:00", workhours.Hours{Timezone: "Africa/Cairo", Days: []string{"fri"}}, "2026-04-23T21:59:59Z", "2026-04-23T22:00:00Z"},
		{"it ends at midnight", workhours.Hours{Timezone: "Africa/Cairo", Days: []string{"fri"}}, "2026-04-24T20:59:59Z", ""},
		{"a list of no days is every day", workhours.Hours{Days: []string{}, Start: "09:00", End: "10:00"}, "2026-11-28T08:00:00Z", "2026-11-28T09:00:00Z"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, c.at)
			require.NoError(t, err)
			w := window(t, c.hours)
			require.Equal(t, c.next == "", w.Open(at), "in %s it is %s", c.hours.Timezone, at)
			if c.next != "" {
				require.Equal(t, c.next, w.Next(at).UTC().Format(time.RFC3339))
			}
		})
	}
}

// PL-51: the next window is the first open moment: it is open, it is never behind,
// and no minute between is open.
func TestPL51PropertyNextIsTheFirst(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Cairo", "Pacific/Chatham", "America/St_Johns", "UTC"}
	days := [][]string{nil, {"mon-fri"}, {"sun"}, {"sat", "wed"}}
	clocks := [][2]string{{"", ""}, {"09:00", "17:00"}, {"22:00", "06:00"}, {"02:15", "02:45"}, {"00:00", "24:00"}, {"23:59", "00:00"}, {"01:30", "01:31"}}
	rapid.Check(t, func(t *rapid.T) {
		clock := rapid.SampledFrom(clocks).Draw(t, "clock")
		h := workhours.Hours{
			Timezone: rapid.SampledFrom(zones).Draw(t, "zone"), Days: rapid.SampledFrom(days).Draw(t, "days"), Start: clock[0], End: clock[1],
		}
		w, err := h.Window()
		require.NoError(t, err)
		at := time.Unix(1767225600+rapid.Int64Range(0, 366*24*3600).Draw(t, "at"), 0) // of 2026
		next := w.Next(at)
		require.False(t, next.Before(at))
		require.True(t, w.Open(next))
		for minute := at.Truncate(time.Minute).Add(time.Minute); minute.Before(next); minute = minute.Add(time.Minute) {
			require.False(t, w.Open(minute), "%s is open and %s was said", minute, next)
		}
	})
}
