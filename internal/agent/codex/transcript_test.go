package codex

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The header of an output goes, since its ids and times differ each time; that
// a process still runs stays.
func TestHeader(t *testing.T) {
	for name, c := range map[string]struct {
		in, out string
		code    *int
	}{
		"exited":         {"Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 3\nOriginal token count: 1\nOutput:\nx\n", "x\n", ptr(3)},
		"running":        {"Chunk ID: a\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\nx", "Process running with session ID 7\nx", nil},
		"older":          {"Exit code: 0\nWall time: 0.1 seconds\nOutput:\nx", "x", ptr(0)},
		"no header":      {"Results\nOutput:\nx", "Results\nOutput:\nx", nil},
		"code alone":     {"Exit code: 5", "Exit code: 5", ptr(5)},
		"a program's":    {"tests done. Process exited with code 9\nOutput:\n", "tests done. Process exited with code 9\nOutput:\n", nil},
		"JSON":           {`{"output":"x","metadata":{"exit_code":2}}`, "x", ptr(2)},
		"JSON, new form": {`{"output":"x","exit_code":4}`, "x", ptr(4)},
		"JSON content":   {`{"name":"x"}`, `{"name":"x"}`, nil},
	} {
		raw, err := json.Marshal(c.in)
		require.NoError(t, err)
		out, code := output(raw)
		require.Equal(t, c.out, out, name)
		require.Equal(t, c.code, code, name)
	}
}

func ptr(n int) *int { return &n }

// Calls inside the script of the tool exec count as calls (since 0.144).
func TestUnwrap(t *testing.T) {
	got := unwrap("id", "await tools.exec_command({ yield_time_ms: 5, cmd: 'echo \"it\\'s\"' })")
	require.Len(t, got, 1)
	require.Equal(t, "exec_command", got[0].Name)
	require.JSONEq(t, `{"cmd":"echo \"it's\""}`, string(got[0].Input))

	got = unwrap("id", "tools.apply_patch(\"*** Begin Patch\\n*** End Patch\"); tools.exec_command({\"cmd\":`a\nb`})")
	require.Len(t, got, 2)
	require.Equal(t, []string{"exec_command", "id"}, []string{got[0].Name, got[0].ID})
	require.Equal(t, []string{"apply_patch", "id#2"}, []string{got[1].Name, got[1].ID})
	require.JSONEq(t, `{"input":"*** Begin Patch\n*** End Patch"}`, string(got[1].Input))

	require.Empty(t, unwrap("id", "return 1"))
	require.Empty(t, unwrap("id", "tools.exec_command({cmd: variable})"))
}

// A text from both sources counts once, a text said twice counts twice.
func TestTwins(t *testing.T) {
	tw := twins{}
	require.False(t, tw.seen("text", "item", "a"))
	require.True(t, tw.seen("text", "event", "a"))
	require.False(t, tw.seen("text", "event", "a"), "said again")
	require.True(t, tw.seen("text", "item", "a"))
	require.False(t, tw.seen("user", "event", "a"), "another kind")
	tw.age()
	tw.age()
	require.NotEmpty(t, tw)
	tw.age()
	require.Empty(t, tw)
}

func FuzzUnwrap(f *testing.F) {
	f.Add("tools.exec_command({cmd: 'a'})")
	f.Add("tools.apply_patch(`\\")
	f.Fuzz(func(t *testing.T, script string) {
		for _, b := range unwrap("id", script) {
			require.True(t, json.Valid(b.Input))
		}
		header(script)
	})
}
