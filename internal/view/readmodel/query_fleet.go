package readmodel

import (
	"context"
	"database/sql"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
)

// maxGaps is how many sessions with gaps the fleet report names.
const maxGaps = 10

// fleetQueries are what a model is asked about the fleet and its runs.
type fleetQueries struct{ reader *sql.DB }

// Fleet returns the report over a period; titles are those of detectors by id. It
// depends only on the events folded and the period.
func (q fleetQueries) Fleet(ctx context.Context, p fleetreport.Period, titles map[string]string) (fleetreport.Model, error) {
	counts, err := q.counts(ctx, p)
	if err != nil {
		return fleetreport.Model{}, err
	}
	f := fleetreport.Build(counts, titles)
	if err := q.addRuns(ctx, &f, p); err != nil {
		return f, err
	}
	f.From, f.To = p.From, p.To
	at, err := position(ctx, q.reader)
	if err != nil {
		return f, err
	}
	f.Last = at.Last
	f.Coverage.Gaps, err = q.gaps(ctx, p)
	return f, err
}

func (q fleetQueries) counts(ctx context.Context, p fleetreport.Period) (fleetreport.Counts, error) {
	counts := fleetreport.Counts{}
	err := each(ctx, q.reader, "read the counts by day", func(scan func(...any) error) error {
		var c fleetreport.Count
		var n int64
		err := scan(&c.Day, &c.Kind, &c.Name, &c.What, &n)
		counts[c] = n
		return err
	}, "SELECT day, kind, name, what, count FROM daily WHERE day >= ? AND day <= ?", p.From, lastDay(p))
	return counts, err
}

// gaps are sessions begun in the period with turns that were not watched.
func (q fleetQueries) gaps(ctx context.Context, p fleetreport.Period) ([]fleetreport.Gap, error) {
	gaps := []fleetreport.Gap{}
	err := each(ctx, q.reader, "find the sessions with gaps", func(scan func(...any) error) error {
		var g fleetreport.Gap
		err := scan(&g.Session, &g.NotWatched, &g.Turns)
		gaps = append(gaps, g)
		return err
	}, `SELECT id, failed + skipped, turns - failed FROM sessions
 WHERE failed + skipped > 0 AND day >= ? AND day <= ? ORDER BY failed + skipped DESC, id LIMIT ?`, p.From, lastDay(p), maxGaps)
	return gaps, err
}

func lastDay(p fleetreport.Period) string {
	if p.To == "" {
		return "9999-12-31"
	}
	return p.To
}

// addRuns adds what happened in runs.
func (q fleetQueries) addRuns(ctx context.Context, f *fleetreport.Model, p fleetreport.Period) error {
	counts, err := q.runCounts(ctx, p)
	if err != nil {
		return err
	}
	answers, err := q.answers(ctx, p)
	if err != nil {
		return err
	}
	f.AddRuns(counts, answers)
	return nil
}

func (q fleetQueries) runCounts(ctx context.Context, p fleetreport.Period) (map[fleetreport.RunCount]int64, error) {
	counts := map[fleetreport.RunCount]int64{}
	err := each(ctx, q.reader, "read the counts of runs by day", func(scan func(...any) error) error {
		var c fleetreport.RunCount
		var n int64
		err := scan(&c.Day, &c.Project, &c.Topic, &c.Name, &c.What, &n)
		counts[c] = n
		return err
	}, "SELECT day, project, topic, name, what, count FROM run_daily WHERE day >= ? AND day <= ? AND count > 0", p.From, lastDay(p))
	return counts, err
}

// answers are how long a person took, of what was raised in the period.
func (q fleetQueries) answers(ctx context.Context, p fleetreport.Period) ([]fleetreport.Answer, error) {
	var list []fleetreport.Answer
	err := each(ctx, q.reader, "read what was answered", func(scan func(...any) error) error {
		var a fleetreport.Answer
		var micros int64
		err := scan(&a.Project, &a.Kind, &micros)
		a.Seconds = float64(max(micros, 0)) / 1e6
		list = append(list, a)
		return err
	}, "SELECT project, kind, ended - raised FROM waits WHERE day >= ? AND day <= ? AND ending IN ('answered', 'resumed')", p.From, lastDay(p))
	return list, err
}
