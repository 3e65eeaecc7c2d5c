package readmodel

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/fleet"
)

// maxGaps is how many sessions with gaps the fleet report names.
const maxGaps = 10

// Fleet is the report over a period; titles are those of detectors by id. It is
// a function of the events folded and of the period.
func (m *Model) Fleet(ctx context.Context, p fleet.Period, titles map[string]string) (fleet.Model, error) {
	counts, err := m.counts(ctx, p)
	if err != nil {
		return fleet.Model{}, err
	}
	f := fleet.Build(counts, titles)
	f.From, f.To = p.From, p.To
	at, err := m.Position(ctx)
	if err != nil {
		return f, err
	}
	f.Last = at.Last
	f.Coverage.Gaps, err = m.gaps(ctx, p)
	return f, err
}

func (m *Model) counts(ctx context.Context, p fleet.Period) (fleet.Counts, error) {
	rows, err := m.reader.QueryContext(ctx, "SELECT day, kind, name, what, count FROM daily WHERE day >= ? AND day <= ?", p.From, lastDay(p))
	if err != nil {
		return nil, fmt.Errorf("read the counts by day: %w", err)
	}
	defer rows.Close()
	counts := fleet.Counts{}
	for rows.Next() {
		var c fleet.Count
		var n int64
		if err := rows.Scan(&c.Day, &c.Kind, &c.Name, &c.What, &n); err != nil {
			return nil, fmt.Errorf("read the counts by day: %w", err)
		}
		counts[c] = n
	}
	return counts, rows.Err()
}

// gaps are sessions begun in the period with turns that were not watched.
func (m *Model) gaps(ctx context.Context, p fleet.Period) ([]fleet.Gap, error) {
	rows, err := m.reader.QueryContext(ctx, `SELECT id, failed + skipped, turns - failed FROM sessions
 WHERE failed + skipped > 0 AND day >= ? AND day <= ? ORDER BY failed + skipped DESC, id LIMIT ?`, p.From, lastDay(p), maxGaps)
	if err != nil {
		return nil, fmt.Errorf("find the sessions with gaps: %w", err)
	}
	defer rows.Close()
	gaps := []fleet.Gap{}
	for rows.Next() {
		var g fleet.Gap
		if err := rows.Scan(&g.Session, &g.NotWatched, &g.Turns); err != nil {
			return nil, fmt.Errorf("find the sessions with gaps: %w", err)
		}
		gaps = append(gaps, g)
	}
	return gaps, rows.Err()
}

func lastDay(p fleet.Period) string {
	if p.To == "" {
		return "9999-12-31"
	}
	return p.To
}
