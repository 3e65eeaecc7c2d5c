package readmodel_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// childVariable names the file that a child process writes.
const childVariable = "SCAFFOLDWATCH_TEST_READMODEL"

const childRecords = 4000

// writeAsChild folds the stream in small batches from where the file stands and
// says each position.
func writeAsChild(path string) {
	m, err := readmodel.Open(context.Background(), readmodel.Options{Path: path, MaxBytes: 100_000})
	if err != nil {
		panic(err)
	}
	at, err := m.Position(context.Background())
	if err != nil {
		panic(err)
	}
	records := random(11, 30, childRecords)
	fmt.Println(at.Sequence)
	for rest := records[at.Anchor:]; len(rest) > 0; {
		n := min(7, len(rest))
		if at, err = m.Apply(context.Background(), at, rest[:n]); err != nil {
			panic(err)
		}
		rest = rest[n:]
		fmt.Println(at.Sequence)
	}
	if err := m.Close(); err != nil {
		panic(err)
	}
}

// A writer that is killed at any moment leaves a file from which the next one
// goes on, and in the end every row is as if it had never been killed.
func TestKilledWriter(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	path := filepath.Join(t.TempDir(), "killed.db")
	r := rand.New(rand.NewPCG(1, 2))
	kills, last := 0, ""
	for done := false; !done; {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), childVariable+"="+path)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(out)
		for n := r.IntN(40); n >= 0 && lines.Scan(); n-- {
			last = lines.Text()
		}
		_ = child.Process.Kill() // it may have ended meanwhile
		for lines.Scan() {
			last = lines.Text()
		}
		if done = child.Wait() == nil; done {
			require.Equal(t, fmt.Sprint(childRecords), last)
		} else {
			kills++
		}
	}
	require.Greater(t, kills, 10)
	whole := open(t, readmodel.Options{MaxBytes: 100_000})
	fill(t, whole, random(11, 30, childRecords), 500)
	requireSame(t, rows(t, whole), rows(t, open(t, readmodel.Options{Path: path})))
	t.Logf("%d kills", kills)
}
