package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// RW-21: a threshold is reached exactly there, however the cents were added up.
func TestShareOfTheLimit(t *testing.T) {
	cent := 0.0
	for range 95 {
		cent += 0.01 // 0.9500000000000006
	}
	for _, c := range []struct {
		spent, limit, percent float64
		reaches, above        bool
	}{
		{cent, 1, 95, true, false},
		{0.1 + 0.2, 0.3, 100, true, false},
		{0.1 * 3, 0.3, 100, true, false},
		{1.1 * 1.1, 1.21, 100, true, false},
		{4.35 * 100, 435, 100, true, false},
		{0.949999, 1, 95, false, false},
		{0.950001, 1, 95, true, true},
		{79.9999, 100, 80, false, false},
		{49.5, 99, 50, true, false},
		{8e11, 1e12, 80, true, false},
		{8e11 - 1, 1e12, 80, false, false},
		{1, 0, 50, false, false},
		{0, 1, 0, true, false},
	} {
		s := &Spending{Spent: c.spent, Limit: c.limit}
		require.Equal(t, c.reaches, s.reaches(c.percent), "%v reaches", c)
		require.Equal(t, c.above, s.above(c.percent), "%v is above", c)
	}
}
