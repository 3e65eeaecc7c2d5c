package toolscript

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const patch = "*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y \"z\"\n*** End Patch"

// What a call is given reaches the reader however the script holds it.
func TestCalls(t *testing.T) {
	quoted := `"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y \"z\"\n*** End Patch"`
	for name, script := range map[string]string{
		"argument":          `text(await tools.apply_patch(` + quoted + `))`,
		"variable":          `const patch = ` + quoted + `;` + "\n" + `const r = await tools.apply_patch(patch);`,
		"field":             `let p = ` + quoted + `; await tools.apply_patch({input: p})`,
		"short field":       `const patch = ` + quoted + `; await tools.apply_patch({ patch })`,
		"template":          "const patch = `" + patch + "`;\ntools.apply_patch(patch)",
		"raw template":      "const patch = String.raw`" + patch + "`;\ntools.apply_patch(patch)",
		"inserted variable": "const file = \"a.go\"; tools.apply_patch(`*** Begin Patch\n*** Update File: ${file}\n@@\n-x\n+y \"z\"\n*** End Patch`)",
		"joined lines":      `tools.apply_patch({patch: ["*** Begin Patch", "*** Update File: a.go", "@@", "-x", '+y "z"', "*** End Patch"].join("\n")})`,
		"concatenated":      `const p = "*** Begin Patch\n" + "*** Update File: a.go\n@@\n-x\n" + /* new */ "+y \"z\"\n*** End Patch"; tools["apply_patch"](p)`,
		"appended":          `let p = "*** Begin Patch\n"; p += "*** Update File: a.go\n@@\n-x\n+y \"z\"\n*** End Patch"; tools.apply_patch(p)`,
		"in parallel":       "const patch = " + quoted + ";\nconst r = await Promise.all([\n  tools.apply_patch(patch)\n]);",
	} {
		got := Calls(script)
		require.Len(t, got, 1, name)
		require.Equal(t, "apply_patch", got[0].Name, name)
		require.Equal(t, patch, got[0].Text, name)
	}
}

// The members of an argument are read as far as they are literals.
func TestFields(t *testing.T) {
	got := Calls(`const a = await tools.exec_command({cmd:"ls", workdir: dir(), yield_time_ms: 1_000, tty: true, env: ["A", x(1, 2)]}); tools.write_stdin({session_id: 7, chars: ""}); tools.wait(id)`)
	require.Equal(t, []Call{
		{Name: "exec_command", Text: "ls", Fields: map[string]any{"cmd": "ls", "yield_time_ms": 1000.0, "tty": true, "env": []any{"A", nil}}},
		{Name: "write_stdin", Fields: map[string]any{"session_id": 7.0, "chars": ""}},
		{Name: "wait"},
	}, got)
	require.Equal(t, "bash -lc make", Calls(`tools.shell({command: ["bash", "-lc", "make"]})`)[0].Text)
	require.Empty(t, Calls(`tools.exec_command(build(1))`)[0].Text)
	require.Empty(t, Calls(`return 1`))
}

func TestLiterals(t *testing.T) {
	require.Equal(t, []string{"a Patch"}, Literals("it's\nx(\"a Patch\") + 'b'", "Patch"))
}

func FuzzCalls(f *testing.F) {
	f.Add("const p = `a${b}`; tools.apply_patch({input: p, x: [1, {a: 'b'}]})")
	f.Add("tools.exec_command({cmd: \"\\u00e4\\x41")
	f.Fuzz(func(t *testing.T, script string) {
		require.LessOrEqual(t, len(Calls(script)), maxCalls)
		Literals(script, "*")
	})
}
