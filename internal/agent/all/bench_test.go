package all

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// BenchmarkFixtures reads each fixture of the project, repeated to a megabyte
// where the format allows.
func BenchmarkFixtures(b *testing.B) {
	for _, path := range fixtures(b) {
		data, err := os.ReadFile(path)
		require.NoError(b, err)
		if strings.HasSuffix(path, ".jsonl") {
			data = bytes.Repeat(data, 1<<20/len(data)+1)
		}
		b.Run(filepath.Base(path), func(b *testing.B) { benchmark(b, [][]byte{data}) })
	}
}

// BenchmarkReal reads all real transcripts of a folder, where they are there.
func BenchmarkReal(b *testing.B) {
	dir := shareddata.Require(b)
	byFolder := map[string][][]byte{}
	for _, name := range transcripts(b, dir) {
		data, err := os.ReadFile(filepath.Join(dir, "transcripts", name))
		require.NoError(b, err)
		folder, _, _ := strings.Cut(name, "/")
		byFolder[folder] = append(byFolder[folder], data)
	}
	for _, folder := range []string{"claude-code", "codex", "copilot-cli", "mini-swe-agent", "swe-agent"} {
		b.Run(folder, func(b *testing.B) { benchmark(b, byFolder[folder]) })
	}
}

func benchmark(b *testing.B, files [][]byte) {
	size := 0
	for _, data := range files {
		size += len(data)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range files {
			s, err := Formats().Open(bytes.NewReader(data), transcript.Options{})
			require.NoError(b, err)
			for err == nil {
				_, err = s.Next()
			}
			require.True(b, errors.Is(err, io.EOF))
		}
	}
}
