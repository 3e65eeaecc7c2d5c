package spec

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write table.go and docs/rules from *.yaml")

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

// table returns table.go.
func table(t *testing.T, list []Layer) []byte {
	t.Helper()
	var out bytes.Buffer
	out.WriteString("// Code generated from *.yaml by go test ./spec -update; DO NOT EDIT.\n\npackage spec\n\nvar layers = ")
	literal(&out, reflect.ValueOf(list))
	text, err := format.Source(bytes.ReplaceAll(out.Bytes(), []byte("spec."), nil))
	require.NoError(t, err, "%s", out.String())
	return text
}

// literal writes a value as Go source, without fields that are zero.
func literal(out *bytes.Buffer, v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		fmt.Fprintf(out, "%s{", v.Type())
		for i := range v.Len() {
			literal(out, v.Index(i))
			out.WriteString(",")
		}
		out.WriteString("}")
	case reflect.Struct:
		out.WriteString("{\n") // its type is that of the list
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				fmt.Fprintf(out, "%s: ", v.Type().Field(i).Name)
				literal(out, v.Field(i))
				out.WriteString(",\n")
			}
		}
		out.WriteString("}")
	case reflect.Bool:
		fmt.Fprint(out, v.Bool())
	default:
		out.WriteString(strconv.Quote(v.String()))
	}
}

// Whoever changes a rule changes its YAML; the rest follows with -update.
func TestGeneratedFilesAreFresh(t *testing.T) {
	list := written(t)
	files := map[string][]byte{"table.go": table(t, list)}
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
}
