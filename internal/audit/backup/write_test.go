package backup_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// Copies made while stages commit fit together: each verifies, and a system restored from it
// decides what the original decided, no more and no less.
func TestBackupsUnderLoadFitTogether(t *testing.T) {
	s := newSystem(t, nil)
	stop := s.run()
	copied, published := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(published)
		for round, over := 0, false; round < proofs.Size(60, 400) || !over; round++ {
			select {
			case <-copied:
				over = true // and once more, after the last backup
			default:
			}
			s.publish(5)
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var dirs []string
	for range proofs.Size(3, 12) {
		time.Sleep(100 * time.Millisecond)
		dirs = append(dirs, t.TempDir())
		s.backup(dirs[len(dirs)-1])
	}
	close(copied)
	<-published
	s.await(s.turns)
	stop()
	all := s.decided()
	for _, dir := range dirs {
		b := s.opened(dir)
		input := uint64(0)
		for _, stream := range b.Streams {
			if stream.Name == "INPUT" {
				input = stream.Last
			}
		}
		next := s.restored(dir)
		before := next.decided()
		prefix(t, all, before)
		require.Less(t, count(before), count(all), "the backup was made under load")
		stop := next.run()
		next.await(int(input))
		stop()
		require.Equal(t, int(input), count(next.decided()))
		prefix(t, all, next.decided())
		report := next.verify()
		require.True(t, report.Verified, report.Findings)
	}
}

func TestSecondBackupWritesOnlyWhatChanged(t *testing.T) {
	s := recorded(t, 200)
	dir := t.TempDir()
	first := s.backup(dir)
	before := files(t, dir)
	again := s.backup(dir)
	require.Equal(t, first.ID(), again.ID())
	for _, copied := range again.Copied {
		require.True(t, copied.Unchanged, copied)
	}
	stop := s.run()
	s.publish(20)
	s.await(220)
	stop()
	third := s.backup(dir)
	require.NotEqual(t, first.ID(), third.ID())
	blocks := map[string]int{}
	for i, copied := range third.Copied {
		blocks[copied.Stream] = third.Streams[i].Blocks
		if copied.Stream == "DECISIONS" {
			require.Positive(t, copied.Blocks)
		}
	}
	after := files(t, dir)
	same := 0
	for name, data := range after {
		if before[name] == data {
			same++
		}
	}
	require.Positive(t, same, "what did not change is the same file")
	referenced := 2 + len(third.Streams) // BACKUP, and the lists
	for _, n := range blocks {
		referenced += n
	}
	require.LessOrEqual(t, len(after), referenced, "nothing else is in the directory")
	s.opened(dir)
}

// A backup that ends anywhere leaves the earlier one, and the next completes it.
func TestInterruptedBackupLeavesTheEarlier(t *testing.T) {
	s := recorded(t, 300)
	dir := t.TempDir()
	s.backup(dir)
	stop := s.run()
	s.publish(300)
	s.await(500)
	stop()
	earlier := s.opened(dir).ID()
	for i := range proofs.Size(6, 40) {
		ctx, cancel := context.WithCancel(t.Context())
		o := s.options()
		left := 1 + rand.IntN(12)
		o.Progress = func(string, uint64, uint64) {
			if left--; left == 0 {
				cancel()
			}
		}
		_, err := backup.Write(ctx, s.broker, dir, o)
		cancel()
		if err == nil { // it was faster
			earlier = s.opened(dir).ID()
			continue
		}
		require.Equal(t, earlier, s.opened(dir).ID(), "try %d", i)
	}
	s.backup(dir)
	s.opened(dir)
}

func TestBackupOfADirectoryOfOthers(t *testing.T) {
	s := recorded(t, 5)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("x"), 0o600))
	_, err := backup.Write(t.Context(), s.broker, dir, s.options())
	require.ErrorContains(t, err, "holds other files (thesis.txt)")
	_, err = backup.Open(t.TempDir(), nil)
	require.ErrorIs(t, err, backup.ErrNoBackup)
	_, err = backup.Open(filepath.Join(dir, "missing"), nil)
	require.ErrorContains(t, err, "no such file")
}

// A damaged file that a backup would use again is found and written again.
func TestABackupRepairsItsFiles(t *testing.T) {
	s := recorded(t, 100)
	dir := t.TempDir()
	s.backup(dir)
	for name := range maps.Keys(files(t, filepath.Join(dir, "blocks"))) {
		require.NoError(t, os.WriteFile(name, []byte("damaged"), 0o600))
	}
	_, _, err := s.check(dir)
	require.ErrorContains(t, err, "damaged backup")
	require.Eventually(t, func() bool {
		_, err := backup.Write(t.Context(), s.broker, dir, s.options())
		return err == nil
	}, time.Minute, time.Millisecond)
	s.opened(dir)
}

// What was recorded is copied also where it does not verify, and that is said.
func TestAFaultOfTheSystemIsInItsBackup(t *testing.T) {
	s := recorded(t, 50)
	_, err := s.broker.JetStream().Publish(t.Context(), "turn.evaluated.0.s1.s1", []byte("forged"))
	require.NoError(t, err)
	result, err := backup.Write(t.Context(), s.broker, t.TempDir(), s.options())
	require.NoError(t, err)
	require.Contains(t, result.Unverified, "forged event")
	require.Equal(t, chain.ForgedEvent, result.Report.Findings[0].Kind)
}
