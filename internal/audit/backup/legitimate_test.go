package backup_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
)

// What is restored as it should be is not a fault, also with every anchor that the restored
// history still holds: into an empty system, of an older backup, after its broker starts again,
// with work done since, and of a backup of it.
func TestRestoredHistoriesVerifyClean(t *testing.T) {
	s := recorded(t, 60)
	first := t.TempDir()
	anchors := []chain.Anchor{chain.NewAnchor(s.verify(), time.Now())}
	s.backup(first)
	clean := func(name string, x *system) {
		t.Helper()
		report := x.verify(anchors...)
		require.True(t, report.Verified, "%s: %v", name, report.Findings)
		require.Equal(t, report.Anchors.Heads, report.Anchors.Proven, name)
		require.Empty(t, report.Findings, name)
	}
	work := func(x *system, from, turns int) {
		t.Helper()
		x.turns = from
		stop := x.run()
		x.publish(turns)
		x.await(from + turns)
		stop()
	}
	next := s.restored(first)
	clean("into an empty system", next)
	clean("as the one it was made of, which goes on", s)

	work(s, 60, 40) // lost: no anchor is made of it
	older := s.restored(first)
	clean("an older backup, with the anchors from before it", older)
	work(older, 60, 30)
	clean("an older backup, with work done since", older)
	anchors = append(anchors, chain.NewAnchor(older.verify(), time.Now()))
	clean("with an anchor of the work done since", older)

	second := t.TempDir()
	older.backup(second)
	third := older.restored(second)
	clean("a backup of what was restored", third)
	older.backup(second)
	clean("the same backup, made again", older.restored(second))
	work(third, 90, 20)
	clean("with work done in it", third)
}
