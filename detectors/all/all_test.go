package all

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

var update = flag.Bool("update", false, "write docs/rules from the detectors' doc.md")

const docs = "../../docs/rules"

func TestEveryDetectorIsListedAndStarts(t *testing.T) {
	folders, err := os.ReadDir("..")
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, d := range Detectors() {
		listed[d.Name] = true
	}
	for _, f := range folders {
		if f.IsDir() && f.Name() != "all" {
			require.True(t, listed[f.Name()], "detectors/%s is not in all.Detectors(); add %s.Detector to detectors/all/all.go", f.Name(), f.Name())
		}
	}
	_, err = detect.NewSuite(Detectors(), rules.Default())
	require.NoError(t, err)
}

// Every detector has a mode in rules/detectors.yaml, so that a user can name it (DP-25).
func TestEveryDetectorHasAMode(t *testing.T) {
	for _, d := range Detectors() {
		set, err := rules.Load("test.yaml", fmt.Appendf(nil, "detectors: {%s: {mode: off}}", d.ID))
		require.NoError(t, err)
		require.Equal(t, rules.ModeOff, set.Mode(d.ID))
	}
}

// The pages under docs/rules are the detectors' own doc.md (SW-32).
func TestRulePagesAreFresh(t *testing.T) {
	want := map[string]string{"README.md": index()}
	for _, d := range Detectors() {
		want[d.ID+".md"] = page(d)
	}
	if *update {
		for name, text := range want {
			require.NoError(t, os.WriteFile(filepath.Join(docs, name), []byte(text), 0o644))
		}
	}
	entries, err := os.ReadDir(docs)
	require.NoError(t, err, "write them with: go test ./detectors/all -update")
	require.Len(t, entries, len(want)+len(spec.Layers()), "docs/rules holds files of neither a detector nor a layer; remove them")
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(docs, name))
		require.NoError(t, err, "rewrite with: go test ./detectors/all -update")
		require.Equal(t, text, string(got), "docs/rules/%s is stale; rewrite with: go test ./detectors/all -update", name)
	}
}

const generated = "<!-- Written from %s by go test ./detectors/all -update. Do not edit. -->\n\n"

func page(d *detect.Detector) string {
	return fmt.Sprintf(generated, "detectors/"+d.Name+"/doc.md") + strings.TrimSpace(d.Doc) +
		"\n\nRules: " + strings.Join(d.Rules, ", ") + ".\n"
}

func index() string {
	var b strings.Builder
	fmt.Fprintf(&b, generated, "detectors/all")
	b.WriteString("# Detectors\n\n| id | finds | class |\n|---|---|---|\n")
	for _, d := range Detectors() {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s |\n", d.ID, d.ID, d.Title, d.Class)
	}
	b.WriteString("\n# Rules\n\n| about | rules |\n|---|---|\n")
	for _, l := range spec.Layers() {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s … %s |\n", l.Title, l.ID, l.Rules[0].ID, l.Rules[len(l.Rules)-1].ID)
	}
	return b.String()
}
