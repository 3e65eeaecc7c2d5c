package readmodel

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
)

// Page selects part of a list that is sorted latest first.
type Page struct {
	Limit int    // 0: all
	After Cursor // where the page before it ended
}

// Cursor is a position in a list: after the entry with that time and id. The zero
// value is the beginning.
type Cursor struct {
	Last time.Time
	ID   string
}

func (c Cursor) zero() bool { return c.ID == "" && c.Last.IsZero() }

// where and its arguments limit a list to a page. Conditions may be empty.
func (p Page) where(args []any, conditions ...string) (string, []any) {
	if !p.After.zero() {
		conditions = append(conditions, "(last_event < ? OR last_event = ? AND id > ?)")
		args = append(args, micros(p.After.Last), micros(p.After.Last), p.After.ID)
	}
	text := ""
	if len(conditions) > 0 {
		text = "WHERE " + strings.Join(conditions, " AND ") + " "
	}
	limit := p.Limit
	if limit <= 0 {
		limit = -1
	}
	return text + "ORDER BY last_event DESC, id LIMIT ?", append(args, limit)
}

// conditions are those of a filter, as [runlist.Filter.Match] takes it.
func conditions(f runlist.Filter) (list []string, args []any) {
	if f.State != "" {
		list, args = append(list, "stands = ?"), append(args, f.State)
	}
	if f.Project != "" {
		list, args = append(list, "project = ?"), append(args, short(f.Project))
	}
	if f.Waiting {
		list = append(list, "waits > 0")
	}
	if f.Refused {
		list = append(list, "json_array_length(listed, '$.run.refused') > 0 AND stands <> 'done'") // runs_refused
	}
	return list, args
}

// Runs lists runs, the latest first.
func (q fleetQueries) Runs(ctx context.Context, f runlist.Filter, p Page) ([]runlist.Run, error) {
	chosen, args := conditions(f)
	which, args := p.where(args, chosen...)
	list := []runlist.Run{}
	err := each(ctx, q.reader, "list the runs", func(scan func(...any) error) error {
		var text []byte
		var s runlist.State
		if err := scan(&text); err != nil {
			return err
		}
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		list = append(list, s.Run)
		return nil
	}, "SELECT listed FROM runs "+which, args...)
	return list, err
}

// CountRuns returns how many runs a filter selects.
func (q fleetQueries) CountRuns(ctx context.Context, f runlist.Filter) (n int, err error) {
	chosen, args := conditions(f)
	query := "SELECT count(*) FROM runs"
	if len(chosen) > 0 {
		query += " WHERE " + strings.Join(chosen, " AND ")
	}
	if err = q.reader.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the runs: %w", err)
	}
	return n, nil
}
