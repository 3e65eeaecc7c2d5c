package workhours_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
)

// PL-36: only time within the hours counts.
func TestAfter(t *testing.T) {
	office := workhours.Hours{Timezone: "Europe/Berlin", Days: []string{"mon-fri"}, Start: "09:00", End: "18:00"}
	for _, c := range []struct {
		name  string
		hours workhours.Hours
		from  string
		d     time.Duration
		want  string
	}{
		{"always", workhours.Hours{}, "2026-01-03T12:00:00Z", 4 * time.Hour, "2026-01-03T16:00:00Z"},
		{"within", office, "2026-01-02T09:00:01Z", 4 * time.Hour, "2026-01-02T13:00:01Z"},
		{"up to the end", office, "2026-01-02T13:00:00Z", 4 * time.Hour, "2026-01-02T17:00:00Z"},
		{"over the weekend", office, "2026-01-02T16:00:00Z", 4 * time.Hour, "2026-01-05T11:00:00Z"},
		{"begun outside", office, "2026-01-03T02:00:00Z", 4 * time.Hour, "2026-01-05T12:00:00Z"},
		{"several days", office, "2026-01-02T16:59:30Z", 10 * time.Hour, "2026-01-06T08:59:30Z"},
		{"the clock goes forward", office, "2026-03-27T16:00:00Z", 2 * time.Hour, "2026-03-30T08:00:00Z"},
		{"nothing", office, "2026-01-03T02:00:00Z", 0, "2026-01-05T08:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := c.hours.Window()
			require.NoError(t, err)
			from, err := time.Parse(time.RFC3339, c.from)
			require.NoError(t, err)
			require.Equal(t, c.want, w.After(from, c.d).Format(time.RFC3339))
		})
	}
}
