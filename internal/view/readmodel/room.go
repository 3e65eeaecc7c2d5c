package readmodel

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

// upkeep keeps the model within its size, and erases.
type upkeep struct{ *batch }

// makeRoom removes the sessions and runs that were silent longest, until at most
// nine tenths of the room are used. The counts by day stay. It runs after each
// event, so that what stays does not depend on how events are batched.
func (b upkeep) makeRoom() error {
	if b.max <= 0 || b.position.Bytes <= b.max {
		return nil
	}
	if err := b.flush(); err != nil {
		return err
	}
	clear(b.sessions)
	clear(b.runs)
	for b.position.Bytes > b.max/10*9 {
		left, err := b.drop()
		if err != nil || !left {
			return err
		}
	}
	return nil
}

// silent is a session or run that could leave.
type silent struct {
	run      bool
	id       string
	bytes    int64
	sequence int64
}

// drop removes the session or run that was silent longest; one at hand is cut to
// its later half instead. It reports whether anything left.
func (b upkeep) drop() (bool, error) {
	list, err := b.longestSilent()
	if err != nil {
		return false, err
	}
	for _, one := range list {
		if one.sequence < int64(b.position.Sequence) {
			return true, b.leave(one)
		}
		cut := b.halve
		if one.run {
			cut = runRows(b).halveRun
		}
		if left, err := cut(one.id); err != nil || left {
			return left, err
		}
	}
	return false, nil
}

// longestSilent are the session and the run that were silent longest, the longer
// first; a run outlasts its session where both fell silent at once.
func (b upkeep) longestSilent() ([]silent, error) {
	var list []silent
	for _, table := range []string{"sessions", "runs"} {
		one := silent{run: table == "runs"}
		err := b.scan("SELECT id, bytes, last_sequence FROM "+table+" ORDER BY last_sequence, id LIMIT 1", nil, &one.id, &one.bytes, &one.sequence)
		if err == nil {
			list = append(list, one)
		} else if !errors.Is(err, sql.ErrNoRows) {
			return nil, fmt.Errorf("find what was silent longest in %s: %w", table, err)
		}
	}
	slices.SortStableFunc(list, func(a, c silent) int { return cmp.Compare(a.sequence, c.sequence) })
	return list, nil
}

// leave removes all rows of a session or run.
func (b upkeep) leave(one silent) error {
	if one.run {
		return runRows(b).dropRun(one.id, one.bytes)
	}
	for _, query := range []string{
		"DELETE FROM deliveries WHERE interrupt IN (SELECT id FROM interrupts WHERE session = ?)",
		"DELETE FROM verdicts WHERE interrupt IN (SELECT id FROM interrupts WHERE session = ?)",
		"DELETE FROM interrupts WHERE session = ?",
		"DELETE FROM signals WHERE session = ?",
		"DELETE FROM turns WHERE session = ?",
		"DELETE FROM refused WHERE session = ?",
		"DELETE FROM prevented WHERE session = ?",
		"DELETE FROM sessions WHERE id = ?",
	} {
		if err := b.run(query, one.id); err != nil {
			return fmt.Errorf("drop session %s: %w", one.id, err)
		}
	}
	b.position.Bytes -= one.bytes
	return nil
}

// halve drops the earlier half of a session's turns and of its signals that ended.
func (b upkeep) halve(id string) (bool, error) {
	var gone int64
	for _, part := range []struct{ table, which string }{
		{"turns", "session = ?1 AND turn <= (SELECT (min(turn) + max(turn)) / 2 FROM turns WHERE session = ?1)"},
		{"signals", "session = ?1 AND ending NOT IN ('pending', 'queued') AND turn <= (SELECT (min(turn) + max(turn)) / 2 FROM signals WHERE session = ?1 AND ending NOT IN ('pending', 'queued'))"},
	} {
		var size int64
		if err := b.scan("SELECT coalesce(sum(size), 0) FROM "+part.table+" WHERE "+part.which, []any{id}, &size); err != nil {
			return false, fmt.Errorf("measure %s of session %s: %w", part.table, id, err)
		}
		if err := b.run("DELETE FROM "+part.table+" WHERE "+part.which, id); err != nil {
			return false, fmt.Errorf("drop early %s of session %s: %w", part.table, id, err)
		}
		gone += size
	}
	b.position.Bytes -= gone
	if err := b.run("UPDATE sessions SET bytes = bytes - ? WHERE id = ?", gone, id); err != nil {
		return false, fmt.Errorf("cut session %s: %w", id, err)
	}
	return gone > 0, nil
}
