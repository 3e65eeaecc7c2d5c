package readmodel

import (
	"database/sql"
	"errors"
	"fmt"
)

// makeRoom lets the sessions leave that were silent longest, until nine tenths
// of the room are taken. The counts by day stay. It looks after each event, so
// that what stays does not depend on how events come in batches.
func (b *batch) makeRoom() error {
	if b.max <= 0 || b.position.Bytes <= b.max {
		return nil
	}
	if err := b.flush(); err != nil {
		return err
	}
	clear(b.sessions)
	for b.position.Bytes > b.max/10*9 {
		left, err := b.drop()
		if err != nil || !left {
			return err
		}
	}
	return nil
}

// drop removes the session that was silent longest; the one at hand is cut to
// its later half instead. It reports whether anything left.
func (b *batch) drop() (bool, error) {
	var id string
	var bytes, sequence int64
	err := b.scan("SELECT id, bytes, last_sequence FROM sessions ORDER BY last_sequence, id LIMIT 1", nil, &id, &bytes, &sequence)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find the session that was silent longest: %w", err)
	}
	if sequence == int64(b.position.Sequence) {
		return b.halve(id)
	}
	for _, query := range []string{
		"DELETE FROM deliveries WHERE interrupt IN (SELECT id FROM interrupts WHERE session = ?)",
		"DELETE FROM verdicts WHERE interrupt IN (SELECT id FROM interrupts WHERE session = ?)",
		"DELETE FROM interrupts WHERE session = ?",
		"DELETE FROM signals WHERE session = ?",
		"DELETE FROM turns WHERE session = ?",
		"DELETE FROM sessions WHERE id = ?",
	} {
		if err := b.run(query, id); err != nil {
			return false, fmt.Errorf("drop session %s: %w", id, err)
		}
	}
	b.position.Bytes -= bytes
	return true, nil
}

// halve drops the earlier half of a session's turns and of its signals that ended.
func (b *batch) halve(id string) (bool, error) {
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
