package readmodel

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
)

// maxGaps is how many sessions with gaps the fleet report names.
const maxGaps = 10

// Fleet returns the report over a period; titles are those of detectors by id. It
// depends only on the events folded and the period.
func (m *Model) Fleet(ctx context.Context, p fleetreport.Period, titles map[string]string) (fleetreport.Model, error) {
	counts, err := m.counts(ctx, p)
	if err != nil {
		return fleetreport.Model{}, err
	}
	f := fleetreport.Build(counts, titles)
	if err := m.addRuns(ctx, &f, p); err != nil {
		return f, err
	}
	f.From, f.To = p.From, p.To
	at, err := m.Position(ctx)
	if err != nil {
		return f, err
	}
	f.Last = at.Last
	f.Coverage.Gaps, err = m.gaps(ctx, p)
	return f, err
}

func (m *Model) counts(ctx context.Context, p fleetreport.Period) (fleetreport.Counts, error) {
	rows, err := m.reader.QueryContext(ctx, "SELECT day, kind, name, what, count FROM daily WHERE day >= ? AND day <= ?", p.From, lastDay(p))
	if err != nil {
		return nil, fmt.Errorf("read the counts by day: %w", err)
	}
	defer rows.Close()
	counts := fleetreport.Counts{}
	for rows.Next() {
		var c fleetreport.Count
		var n int64
		if err := rows.Scan(&c.Day, &c.Kind, &c.Name, &c.What, &n); err != nil {
			return nil, fmt.Errorf("read the counts by day: %w", err)
		}
		counts[c] = n
	}
	return counts, rows.Err()
}

// gaps are sessions begun in the period with turns that were not watched.
func (m *Model) gaps(ctx context.Context, p fleetreport.Period) ([]fleetreport.Gap, error) {
	rows, err := m.reader.QueryContext(ctx, `SELECT id, failed + skipped, turns - failed FROM sessions
 WHERE failed + skipped > 0 AND day >= ? AND day <= ? ORDER BY failed + skipped DESC, id LIMIT ?`, p.From, lastDay(p), maxGaps)
	if err != nil {
		return nil, fmt.Errorf("find the sessions with gaps: %w", err)
	}
	defer rows.Close()
	gaps := []fleetreport.Gap{}
	for rows.Next() {
		var g fleetreport.Gap
		if err := rows.Scan(&g.Session, &g.NotWatched, &g.Turns); err != nil {
			return nil, fmt.Errorf("find the sessions with gaps: %w", err)
		}
		gaps = append(gaps, g)
	}
	return gaps, rows.Err()
}

func lastDay(p fleetreport.Period) string {
	if p.To == "" {
		return "9999-12-31"
	}
	return p.To
}

// addRuns adds what happened in runs.
func (m *Model) addRuns(ctx context.Context, f *fleetreport.Model, p fleetreport.Period) error {
	counts, err := m.runCounts(ctx, p)
	if err != nil {
		return err
	}
	answers, err := m.answers(ctx, p)
	if err != nil {
		return err
	}
	f.AddRuns(counts, answers)
	return nil
}

func (m *Model) runCounts(ctx context.Context, p fleetreport.Period) (map[fleetreport.RunCount]int64, error) {
	rows, err := m.reader.QueryContext(ctx, "SELECT day, project, topic, name, what, count FROM run_daily WHERE day >= ? AND day <= ? AND count > 0", p.From, lastDay(p))
	if err != nil {
		return nil, fmt.Errorf("read the counts of runs by day: %w", err)
	}
	defer rows.Close()
	counts := map[fleetreport.RunCount]int64{}
	for rows.Next() {
		var c fleetreport.RunCount
		var n int64
		if err := rows.Scan(&c.Day, &c.Project, &c.Topic, &c.Name, &c.What, &n); err != nil {
			return nil, fmt.Errorf("read the counts of runs by day: %w", err)
		}
		counts[c] = n
	}
	return counts, rows.Err()
}

// answers are how long a person took, of what was raised in the period.
func (m *Model) answers(ctx context.Context, p fleetreport.Period) ([]fleetreport.Answer, error) {
	rows, err := m.reader.QueryContext(ctx, "SELECT project, kind, ended - raised FROM waits WHERE day >= ? AND day <= ? AND ending IN ('answered', 'resumed')", p.From, lastDay(p))
	if err != nil {
		return nil, fmt.Errorf("read what was answered: %w", err)
	}
	defer rows.Close()
	var list []fleetreport.Answer
	for rows.Next() {
		var a fleetreport.Answer
		var micros int64
		if err := rows.Scan(&a.Project, &a.Kind, &micros); err != nil {
			return nil, fmt.Errorf("read what was answered: %w", err)
		}
		a.Seconds = float64(max(micros, 0)) / 1e6
		list = append(list, a)
	}
	return list, rows.Err()
}
