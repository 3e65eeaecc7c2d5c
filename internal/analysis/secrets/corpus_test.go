package secrets

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

func testScanner(t testing.TB) *Scanner {
	t.Helper()
	config, err := LoadConfig(rules.Default())
	require.NoError(t, err)
	s, err := New(config, []byte(fingerprint.ScanKey))
	require.NoError(t, err)
	return s
}

// transcriptTexts are the strings of all real transcripts, in order of file and
// place; strings shorter than 200 bytes are joined to those before them.
func transcriptTexts(t testing.TB) []string {
	t.Helper()
	var texts []string
	root := filepath.Join(shareddata.Require(t), "transcripts")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".tsv") {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		decoder := json.NewDecoder(file)
		for {
			var value any
			if err := decoder.Decode(&value); err != nil {
				return nil // broken lines are the adapters' business
			}
			var b strings.Builder
			collectStrings(value, &b)
			if b.Len() > 0 {
				texts = append(texts, b.String())
			}
		}
	}))
	require.NotEmpty(t, texts)
	return texts
}

func collectStrings(value any, b *strings.Builder) {
	switch v := value.(type) {
	case string:
		b.WriteString(v)
		b.WriteString("\n")
	case []any:
		for _, item := range v {
			collectStrings(item, b)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			collectStrings(v[k], b)
		}
	}
}

// labelled reads a label file: one JSON value a line, gzipped.
func labelled[T any](t testing.TB, name string) []T {
	t.Helper()
	file, err := os.Open(filepath.Join(shareddata.Require(t), "labels", name))
	if err != nil {
		t.Skipf("labels are not there: %v", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	reader := bufio.NewReader(unzipped)
	var out []T
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			var v T
			require.NoError(t, json.Unmarshal(line, &v))
			out = append(out, v)
		}
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
	}
}
