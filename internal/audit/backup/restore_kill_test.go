package backup_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// restoreVariable makes this test binary a process that restores: it holds the directory of a
// backup, and with _URL the server.
const restoreVariable = "SCAFFOLDWATCH_TEST_RESTORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(restoreVariable); dir != "" {
		if err := restoreAsChild(dir, os.Getenv(restoreVariable+"_URL")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// restoreAsChild restores into a server and prints a line for each step, after which it waits.
func restoreAsChild(dir, url string) error {
	ctx := context.Background()
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: url, Name: "restore"})
	if err != nil {
		return err
	}
	defer nc.Close()
	broker, err := natsengine.Open(nc, topology.Topology{Partitions: partitions}, natsengine.Keys{}, nil)
	if err != nil {
		return err
	}
	b, err := backup.Open(dir, nil)
	if err != nil {
		return err
	}
	if _, err := b.Verify(ctx, backup.Reading{}); err != nil {
		return err
	}
	answer := make([]byte, 1)
	return b.Restore(ctx, broker, time.Now(), func(stream string, messages, _ uint64) {
		fmt.Println(stream, messages)
		_, _ = os.Stdin.Read(answer) // the test kills it here, or lets it go on
	})
}

// A process that restores into a server is killed at one step after the other. What it left
// keeps services out; the next one completes it, and the system goes on as the one that was
// backed up does.
func TestKilledRestoreIntoAServer(t *testing.T) {
	if testing.Short() {
		t.Skip("kills many processes")
	}
	s := recorded(t, 300)
	dir := t.TempDir()
	s.backup(dir)
	next := newSystem(t, s)
	kills, marked := 0, 0
	for step := 1; ; step++ {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), restoreVariable+"="+dir, restoreVariable+"_URL="+next.own.URL)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		in, err := child.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(out)
		seen := 0
		for lines.Scan() {
			if seen++; seen == step && step <= proofs.Size(12, 60) {
				require.NoError(t, child.Process.Kill())
				continue
			}
			_, _ = in.Write([]byte{1}) // it may be the killed one
		}
		if child.Wait() == nil {
			break
		}
		require.Positive(t, seen, "it was killed, it did not fail")
		kills++
		mark, err := keep.RestoreMark(t.Context(), next.broker)
		require.NoError(t, err)
		if mark != "" {
			marked++
		}
	}
	require.Greater(t, kills, 3)
	t.Logf("killed %d times, of which %d left a mark", kills, marked)
	require.Positive(t, marked)
	mark, err := keep.RestoreMark(t.Context(), next.broker)
	require.NoError(t, err)
	require.Empty(t, mark)
	report := next.verify()
	require.True(t, report.Verified, report.Findings)
	for _, x := range []*system{s, next} {
		x.turns = 300
		stop := x.run()
		x.publish(50)
		x.await(350)
		stop()
	}
	require.Equal(t, s.decided(), next.decided())
}
