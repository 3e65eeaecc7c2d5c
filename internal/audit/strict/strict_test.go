package strict_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/strict"
)

type form struct {
	Name  string              `json:"name"`
	Wait  time.Duration       `json:"wait,omitempty"`
	Bytes []byte              `json:"bytes,omitempty"`
	Of    map[string][]string `json:"of,omitempty"`
}

// What other programs may read otherwise is refused (AU-11).
func TestDecodeRefusesWhatIsAmbiguous(t *testing.T) {
	for name, text := range map[string]string{
		"a field twice":     `{"name":"a","name":"b"}`,
		"a key twice":       `{"of":{"a":["x"],"a":["y"]}}`,
		"escaped, twice":    `{"name":"a","n\u0061me":"b"}`,
		"another case":      `{"Name":"a"}`,
		"an unknown field":  `{"other":1}`,
		"a second value":    `{"name":"a"}{"name":"b"}`,
		"text after it":     `{"name":"a"} x`,
		"no UTF-8":          "{\"name\":\"\xff\"}",
		"half a surrogate":  `{"name":"\ud800"}`,
		"bytes not encoded": `{"bytes":"?"}`,
		"nothing":           ``,
	} {
		require.Error(t, strict.Decode([]byte(text), &form{}), name)
	}
	require.EqualError(t, strict.Decode([]byte(`{"Name":"a"}`), &form{}), `unknown field "Name"`)
}

func TestDecodeReadsWhatIsWritten(t *testing.T) {
	was := form{Name: "a", Wait: time.Minute, Bytes: []byte{0xff}, Of: map[string][]string{"a": {"x", "y"}, "A": {"z"}}}
	text, err := json.MarshalIndent(was, "", " ")
	require.NoError(t, err)
	var is form
	require.NoError(t, strict.Decode(append(text, '\n'), &is))
	require.Equal(t, was, is)
}
