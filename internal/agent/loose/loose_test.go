package loose

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`"a\nb"`: "a\nb", `null`: "", ``: "", `12`: "12", `[]`: "", `{}`: "",
		`["a","b"]`: "a\nb",
		`[{"type":"text","text":"a"},{"type":"x"}]`:          "a",
		`[{"type":"tool_result","content":[{"text":"in"}]}]`: "in",
		`{"output":"o"}`:                "o",
		`{"text":"t","output":"o"}`:     "t",
		`{"stdout":"o\n","stderr":"e"}`: "o\ne",
		`{"stdout":"","stderr":""}`:     "",
		`{"error":{"message":"m"}}`:     "m",
		`{"other":1}`:                   `{"other":1}`,
		`[{"unknown":1}]`:               `[{"unknown":1}]`,
	} {
		require.Equal(t, want, Text([]byte(in)), in)
	}
}

func TestScalars(t *testing.T) {
	var v struct {
		S String `json:"s"`
		N Int    `json:"n"`
		B Bool   `json:"b"`
		T Time   `json:"t"`
		P Parts  `json:"p"`
	}
	for _, in := range []string{
		`{"s":{},"n":"x","b":1,"t":[],"p":7}`, `{"s":null,"n":null,"b":null,"t":null,"p":null}`, `{"n":1e300,"t":"tomorrow","p":[1,null]}`,
	} {
		require.NoError(t, json.Unmarshal([]byte(in), &v), in)
		require.Equal(t, String(""), v.S)
		require.Zero(t, v.N)
		require.Zero(t, v.T)
		require.Empty(t, v.P)
	}
	require.NoError(t, json.Unmarshal([]byte(`{"s":12,"n":"34","b":true,"p":["a",{"text":"b"}]}`), &v))
	require.Equal(t, String("12"), v.S)
	require.Equal(t, Int(34), v.N)
	require.True(t, bool(v.B))
	require.Equal(t, "a\nb", v.P.Text())
}

func TestTime(t *testing.T) {
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, in := range []string{
		`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05.000"`, `"2026-01-02 03:04:05"`, `"2026-01-02T04:04:05+01:00"`,
		`1767323045`, `1767323045.0`, `1767323045000`, `"1767323045000"`, `1767323045000000`,
	} {
		var at Time
		require.NoError(t, json.Unmarshal([]byte(in), &at))
		require.True(t, want.Equal(at.Time), "%s gives %s", in, at)
	}
}

func TestObject(t *testing.T) {
	for in, want := range map[string]string{
		`"{\"a\":1}"`: `{"a":1}`, `{"a":1}`: `{"a":1}`, `"text"`: `"text"`, `"{broken"`: `"{broken"`, `null`: ``, ``: ``, `[1]`: `[1]`,
	} {
		require.Equal(t, want, string(Object([]byte(in))), in)
	}
	require.Equal(t, `"/w"`, string(Nested(json.RawMessage(`"\"/w\""`))))
	require.Equal(t, `"12"`, string(Nested(json.RawMessage(`"12"`))))
	require.Equal(t, `7`, string(Nested(json.RawMessage(`7`))))
}

func FuzzText(f *testing.F) {
	f.Add([]byte(`[{"text":"a"}]`))
	f.Add([]byte(`{"stdout":"a"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		Text(b)
		if input := Object(b); json.Valid(b) && input != nil {
			require.True(t, json.Valid(input))
		}
		ReadParts(b).Text()
	})
}
