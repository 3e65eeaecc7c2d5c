package client_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func spoolIn(dir string, maxBytes int64) func(*client.PublisherOptions) {
	return func(o *client.PublisherOptions) { o.Spool = &client.SpoolOptions{Dir: dir, MaxBytes: maxBytes} }
}

// EV-11: while the broker is away events wait on disk, and go out in order,
// also those of an earlier process and when the clock goes backwards.
func TestSpoolKeepsTheOrder(t *testing.T) {
	b := newBench(t)
	dir := filepath.Join(t.TempDir(), "spool")
	now := time.Now()
	backwards := func(o *client.PublisherOptions) { o.Now = func() time.Time { now = now.Add(-time.Minute); return now } }
	earlier := newPublisher(t, b.conn, spoolIn(dir, 0), backwards)
	receipt, err := earlier.Turn(t.Context(), turn(0))
	require.NoError(t, err)
	require.False(t, receipt.Spooled)

	b.stop()
	awaitConnection(t, b.conn, false)
	for n := 1; n <= 5; n++ {
		receipt, err := earlier.Turn(t.Context(), turn(n))
		require.NoError(t, err)
		require.True(t, receipt.Spooled)
	}
	require.NoError(t, earlier.Close())
	later := newPublisher(t, b.conn, spoolIn(dir, 0), backwards)
	for n := 6; n <= 10; n++ {
		_, err := later.Turn(t.Context(), turn(n))
		require.NoError(t, err)
	}
	stats, err := later.Stats()
	require.NoError(t, err)
	require.Equal(t, 10, stats.Spooled)

	require.NoError(t, b.start())
	awaitConnection(t, b.conn, true)
	require.NoError(t, later.Flush(t.Context()))
	receipt, err = later.Turn(t.Context(), turn(11))
	require.NoError(t, err)
	require.False(t, receipt.Spooled)
	require.Equal(t, []string{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11"}, b.turnIDs(t))
	stats, err = later.Stats()
	require.NoError(t, err)
	require.Zero(t, stats.Spooled)
	require.Zero(t, stats.Shed)
}

// The spool drains by itself once the broker is back; new events queue behind
// what waits.
func TestSpoolDrainsInBackground(t *testing.T) {
	b := newBench(t)
	p := newPublisher(t, b.conn, spoolIn(t.TempDir(), 0))
	b.stop()
	awaitConnection(t, b.conn, false)
	for n := range 3 {
		_, err := p.Turn(t.Context(), turn(n))
		require.NoError(t, err)
	}
	require.NoError(t, b.start())
	require.Eventually(t, func() bool { s, err := p.Stats(); return err == nil && s.Spooled == 0 }, time.Minute, 5*time.Millisecond)
	require.Equal(t, []string{"t0", "t1", "t2"}, b.turnIDs(t))
}

// What does not fit is shed, and said: to the caller, to OnShed, in Stats, and
// in the folder for the next process.
func TestFullSpoolReportsWhatItSheds(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	var mutex sync.Mutex
	var shed []client.Shed
	p := newPublisher(t, b.conn, spoolIn(dir, 1200), func(o *client.PublisherOptions) {
		o.OnShed = func(s client.Shed) { mutex.Lock(); defer mutex.Unlock(); shed = append(shed, s) }
	})
	b.stop()
	awaitConnection(t, b.conn, false)
	kept, refused := 0, 0
	for n := range 10 {
		receipt, err := p.Turn(t.Context(), turn(n))
		if err == nil {
			require.True(t, receipt.Spooled)
			kept++
			continue
		}
		var full *client.ShedError
		require.ErrorAs(t, err, &full)
		require.Equal(t, receipt.ID, full.Shed.ID)
		require.Equal(t, "s1", full.Shed.Subject)
		refused++
	}
	require.Positive(t, kept)
	require.Positive(t, refused)
	require.Len(t, shed, refused)
	require.NoError(t, p.Close())

	next := newPublisher(t, b.conn, spoolIn(dir, 1200))
	stats, err := next.Stats()
	require.NoError(t, err)
	require.Equal(t, refused, stats.Shed)
	require.Equal(t, kept, stats.Spooled)
}

// What can never be sent does not hold up the rest; it is set aside and reported.
func TestUnreadableSpoolFileIsSetAside(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	name := fmt.Sprintf("%020d-4-ABCDEFGH.json", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.json"), []byte("not ours"), 0o600))
	shed := make(chan client.Shed, 1)
	p := newPublisher(t, b.conn, spoolIn(dir, 0), func(o *client.PublisherOptions) { o.OnShed = func(s client.Shed) { shed <- s } })
	require.NoError(t, p.Flush(t.Context()))
	require.Equal(t, filepath.Join("rejected", name), (<-shed).File)
	require.FileExists(t, filepath.Join(dir, "rejected", name))
	receipt, err := p.Turn(t.Context(), turn(1))
	require.NoError(t, err)
	require.False(t, receipt.Spooled)
}

// A harness that starts while the broker is down spools from its first event.
func TestSpoolBeforeTheFirstConnection(t *testing.T) {
	b := newBench(t)
	b.stop()
	conn, err := b.connect()
	require.NoError(t, err)
	defer conn.Close()
	p := newPublisher(t, conn, spoolIn(t.TempDir(), 0))
	receipt, err := p.OpenSession(t.Context(), sessionevents.SessionOpened{Session: "s1"})
	require.NoError(t, err)
	require.True(t, receipt.Spooled)
	require.NoError(t, b.start())
	require.NoError(t, p.Flush(t.Context()))
	require.Len(t, b.input(t), 1)
}
