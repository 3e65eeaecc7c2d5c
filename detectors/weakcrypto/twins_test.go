package weakcrypto

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
)

// Each weak program of testdata/twins has a finding, its corrected twin has none. What bad/ or log/
// says is its urgency: QUEUE or more, or LOG.
func TestTwins(t *testing.T) {
	if codepattern.Tier() != "tree" {
		t.Skip("the programs expect what trees show; built without cgo")
	}
	archives, err := filepath.Glob("testdata/twins/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	d := instanceOf(t)
	for _, archive := range archives {
		parsed, err := txtar.ParseFile(archive)
		require.NoError(t, err)
		require.Equal(t, len(parsed.Files), len(twinNames(parsed)), "two programs have one name in %s", archive)
		for _, f := range parsed.Files {
			t.Run(f.Name, func(t *testing.T) { d.twin(t, f) })
		}
	}
}

func twinNames(a *txtar.Archive) []string {
	names := map[string]bool{}
	for _, f := range a.Files {
		names[f.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func (d *instance) twin(t *testing.T, f txtar.File) {
	kind, name, ok := strings.Cut(f.Name, "/")
	require.True(t, ok, "no folder in %s", f.Name)
	s := segment(string(f.Data))
	s.Path, s.Language = name, languages[filepath.Ext(name)]
	found := d.strongest(&detect.Pass{}, s)
	said := slices.ContainsFunc(found, func(l located) bool { return detect.Published(&l.Finding) >= 20 })
	switch kind {
	case "bad":
		require.True(t, said, "found %d, none at QUEUE:\n%s", len(found), f.Data)
	case "log":
		require.NotEmpty(t, found, string(f.Data))
		require.False(t, said, string(f.Data))
	default:
		for _, l := range found {
			t.Errorf("false alarm: %s", l.Message)
		}
	}
}

var languages = map[string]string{
	".py": "python", ".js": "javascript", ".ts": "typescript", ".go": "go", ".java": "java", ".rb": "ruby", ".php": "php",
}
