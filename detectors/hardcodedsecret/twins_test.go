package hardcodedsecret

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Each program of testdata/twins in bad/ holds a credential worth a word, in log/ one for the log;
// its corrected twin in good/ holds none.
func TestTwins(t *testing.T) {
	archives, err := filepath.Glob("testdata/twins/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, archive := range archives {
		parsed, err := txtar.ParseFile(archive)
		require.NoError(t, err)
		for _, f := range parsed.Files {
			t.Run(f.Name, func(t *testing.T) { twin(t, f) })
		}
	}
}

func twin(t *testing.T, f txtar.File) {
	kind, name, ok := strings.Cut(f.Name, "/")
	require.True(t, ok, "no folder in %s", f.Name)
	code := secretstest.New(9).Fill(string(f.Data))
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(code, "\n"), "\n") {
		lines = append(lines, "+"+line)
	}
	found := run(t, segmented(t, "src/"+name, sessionevents.DiffCreate, nil, lines...), &memory{})
	said := slices.ContainsFunc(found, func(f detect.Finding) bool { return detect.Published(&f) >= 20 })
	switch kind {
	case "bad":
		require.True(t, said, "%d findings, none at QUEUE", len(found))
	case "log":
		require.NotEmpty(t, found)
		require.False(t, said)
	default:
		for _, one := range found {
			t.Errorf("false alarm: %s", one.Message)
		}
	}
}
