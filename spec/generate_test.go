package spec

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write rules.json and docs/rules from *.yaml")

// order is the reading order of the layers.
var order = []string{"session", "dispatch", "run", "wave", "pipeline", "events", "proof", "audit"}

// written returns the layers as the YAML files hold them.
func written(t *testing.T) []Layer {
	t.Helper()
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	require.Len(t, files, len(order), "a layer is missing in order")
	var out []Layer
	for _, id := range order {
		data, err := os.ReadFile(id + ".yaml")
		require.NoError(t, err)
		decoder := yaml.NewDecoder(bytes.NewReader(data))
		decoder.KnownFields(true)
		var l Layer
		require.NoError(t, decoder.Decode(&l), id)
		require.Equal(t, id, l.ID)
		for i := range l.Rules {
			l.Rules[i].Layer = id
		}
		out = append(out, l)
	}
	return out
}

// table returns rules.json: the YAML files as one document, a rule a line.
func table(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	for i, id := range order {
		data, err := os.ReadFile(id + ".yaml")
		require.NoError(t, err)
		var l struct {
			ID    string           `yaml:"id"`
			Title string           `yaml:"title"`
			Rules []map[string]any `yaml:"rules"`
		}
		require.NoError(t, yaml.Unmarshal(data, &l), id)
		fmt.Fprintf(&out, "%c{\"id\": %q, \"title\": %q, \"rules\": ", "[,"[min(i, 1)], l.ID, l.Title)
		for j, r := range l.Rules {
			text, err := json.Marshal(r)
			require.NoError(t, err)
			fmt.Fprintf(&out, "%c\n%s", "[,"[min(j, 1)], text)
		}
		out.WriteString("]}\n")
	}
	out.WriteString("]\n")
	return out.Bytes()
}

// Whoever changes a rule changes its YAML; the rest follows with -update.
func TestGeneratedFilesAreFresh(t *testing.T) {
	list := written(t)
	if *update {
		rulesJSON = table(t) // the pages say which codes of other layers touch a rule
	}
	files := map[string][]byte{"rules.json": table(t)}
	for i := range list {
		note := "<!-- Written from spec/" + list[i].ID + ".yaml by go test ./spec -update. Do not edit. -->\n\n"
		files[filepath.Join(root, list[i].Page())] = []byte(note + list[i].Markdown())
	}
	for path, want := range files {
		if *update {
			require.NoError(t, os.WriteFile(path, want, 0o644))
			continue
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err, "run go test ./spec -update")
		require.Equal(t, string(want), string(got), "%s is stale: run go test ./spec -update", path)
	}
	if !*update {
		require.Equal(t, list, Layers(), "rules.json says the same as the YAML")
	}
}
