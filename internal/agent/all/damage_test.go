package all

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

var (
	member = regexp.MustCompile(`"([A-Za-z_][\w.-]*)"\s*:`)
	// values replace a scalar value: none of them may make an event that nobody can read (EV-3).
	values = []string{
		`""`, `" "`, `"-"`, `"*.>"`, "\"\xff\"", `"` + string(bytes.Repeat([]byte("é "), 300)) + `"`,
		`null`, `true`, `-1`, `1e300`, `{}`, `[]`, `[{}]`, `{"a":[1]}`,
	}
)

// EV-3: whatever one field of a transcript holds, or if it is absent, nothing panics and what comes out is well formed.
func TestAnyFieldMayBeDamaged(t *testing.T) {
	tried := 0
	for _, path := range fixtures(t) {
		name := formatOf(path)
		at := slices.IndexFunc(Formats(), func(each transcript.Format) bool { return each.Name == name })
		if at < 0 || name == "cloudevents" {
			continue // what somebody else made events of is checked by ingest
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, field := range fields(data) {
			scalar := regexp.MustCompile(`("` + regexp.QuoteMeta(field) + `"\s*:\s*)("(?:[^"\\]|\\.)*"|[\w.+-]+)`)
			for _, value := range values {
				damaged := scalar.ReplaceAll(data, []byte("${1}"+value))
				where := filepath.Base(path) + ": " + field + " = " + value[:min(len(value), 20)]
				eachWellFormed(t, where, readAll(t, Formats()[at], damaged, where))
				tried++
			}
			renamed := bytes.ReplaceAll(data, []byte(`"`+field+`"`), []byte(`"other_`+field+`"`))
			where := filepath.Base(path) + ": without " + field
			eachWellFormed(t, where, readAll(t, Formats()[at], renamed, where))
		}
		twice := append(append(bytes.Clone(data), '\n'), data...)
		eachWellFormed(t, path+" twice", readAll(t, Formats()[at], twice, path))
	}
	require.Greater(t, tried, 1000)
}

// fields returns the names of the members anywhere in a transcript.
func fields(data []byte) (list []string) {
	for _, m := range member.FindAllSubmatch(data, -1) {
		if name := string(m[1]); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func readAll(t *testing.T, format transcript.Format, data []byte, where string) (all []events.Event) {
	t.Helper()
	s, err := format.Open(bytes.NewReader(data), transcript.Options{MaxRecord: 1 << 20})
	require.NoError(t, err, where)
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err, where)
		_, err = json.Marshal(e.Data)
		require.NoError(t, err, where)
		all = append(all, e)
	}
}
