package events_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Every reference of the AsyncAPI document leads somewhere, and every type has
// its message, its operation and a place in a channel.
func TestAsyncAPIHangsTogether(t *testing.T) {
	folder := filepath.Join("..", "..", "docs")
	text, err := os.ReadFile(filepath.Join(folder, "asyncapi.yaml"))
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, yaml.Unmarshal(text, &document))
	require.Equal(t, "3.0.0", document["asyncapi"])

	references := 0
	walk(document, func(ref string) {
		references++
		path, inside := strings.CutPrefix(ref, "#/")
		if !inside {
			require.FileExists(t, filepath.Join(folder, ref))
			return
		}
		require.NotNil(t, at(document, strings.Split(path, "/")), ref)
	})
	require.Greater(t, references, 4*len(events.All()))

	for _, d := range events.All() {
		verb := map[bool]string{true: "receive.", false: "send."}[d.Direction == events.DirectionInput]
		require.NotNil(t, at(document, []string{"operations", verb + string(d.Type)}), d.Type)
		require.NotNil(t, at(document, []string{"channels", d.SubjectClass, "messages", string(d.Type)}), d.Type)
		message := at(document, []string{"components", "messages", string(d.Type)}).(map[string]any)
		require.Equal(t, string(d.Role), message["x-role"])
	}
}

func walk(value any, visit func(ref string)) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if ref, ok := inner.(string); ok && key == "$ref" {
				visit(ref)
			}
			walk(inner, visit)
		}
	case []any:
		for _, inner := range v {
			walk(inner, visit)
		}
	}
}

func at(value any, path []string) any {
	for _, key := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[key]
	}
	return value
}
