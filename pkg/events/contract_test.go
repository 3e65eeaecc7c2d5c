package events_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/gen/contract"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

var update = flag.Bool("update", false, "rewrite schema/, testdata/ and docs/asyncapi.yaml")

// refresh names the command in every failure of a stale file.
const refresh = "is stale: run `make golden` (go test ./pkg/events -update) and look at the difference"

// golden compares a generated file with the one in the tree, or writes it.
func golden(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, want, 0o644))
		return
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err, "%s %s", path, refresh)
	if !bytes.Equal(want, got) {
		t.Errorf("%s %s; first difference: %s", path, refresh, firstDifference(string(want), string(got)))
	}
}

func firstDifference(want, got string) string {
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range wants {
		if i >= len(gots) || wants[i] != gots[i] {
			return fmt.Sprintf("line %d should be %q", i+1, wants[i])
		}
	}
	return fmt.Sprintf("line %d should not be there", len(wants)+1)
}

func TestGeneratedFilesAreFresh(t *testing.T) {
	g, err := contract.NewGenerator()
	require.NoError(t, err)
	examples := contract.Examples()
	for _, d := range events.All() {
		t.Run(string(d.Type), func(t *testing.T) {
			schema, err := g.Schema(d)
			require.NoError(t, err)
			golden(t, filepath.Join("schema", string(d.Type)+".json"), schema)
			example, ok := examples[d.Type]
			require.True(t, ok, "internal/gen/contract has no example of %s", d.Type)
			event, err := contract.Golden(example)
			require.NoError(t, err)
			golden(t, filepath.Join("testdata", string(d.Type)+".json"), event)
		})
	}
	asyncAPI, err := contract.AsyncAPI()
	require.NoError(t, err)
	golden(t, filepath.Join("..", "..", "docs", "asyncapi.yaml"), asyncAPI)
}

func TestNoFileWithoutType(t *testing.T) {
	known := map[string]bool{}
	for _, d := range events.All() {
		known[string(d.Type)+".json"] = true
	}
	for _, dir := range []string{"schema", "testdata"} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, entry := range entries {
			require.True(t, entry.IsDir() || known[entry.Name()], "%s/%s belongs to no type, remove it", dir, entry.Name())
		}
	}
}

func TestGoldensFitTheirSchemas(t *testing.T) {
	for _, d := range events.All() {
		t.Run(string(d.Type), func(t *testing.T) {
			schema := compile(t, d.Type)
			line, err := os.ReadFile(filepath.Join("testdata", string(d.Type)+".json"))
			require.NoError(t, err)
			e, err := events.UnmarshalStructured(line)
			require.NoError(t, err)
			require.NoError(t, events.Validate(e, events.Limits{}))
			data, err := events.EncodeData(e)
			require.NoError(t, err)
			require.NoError(t, schema.Validate(parse(t, data)))
			require.Error(t, schema.Validate(parse(t, []byte(`"text"`))), "the schema accepts anything")
		})
	}
}

func compile(t *testing.T, typ events.Type) *jsonschema.Schema {
	t.Helper()
	text, err := events.Schema(typ)
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource(events.SchemaID(typ), parse(t, text)))
	schema, err := compiler.Compile(events.SchemaID(typ))
	require.NoError(t, err)
	return schema
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	return value
}

// RW-22: a publisher counts the lessons of a prompt, or lists them.
func TestTally(t *testing.T) {
	for text, want := range map[string]runevents.Tally{`3`: 3, `[]`: 0, `["a",{"id":"l"}]`: 2} {
		var n runevents.Tally
		require.NoError(t, json.Unmarshal([]byte(text), &n), text)
		require.Equal(t, want, n)
	}
	var n runevents.Tally
	for _, text := range []string{`"3"`, `{}`, `1.5`, `true`} {
		require.Error(t, json.Unmarshal([]byte(text), &n), text)
	}
}
