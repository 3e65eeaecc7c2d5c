package shell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIdle(t *testing.T) {
	null := []string{":", "true"}
	for _, command := range []string{
		"", "  ", "# list the files", ":", " : ", ": ls -la /app", `: "ls"`, ": a || ls", ": ls | head -20", ": a; : b", ": a && : b",
		": 2>/dev/null", ": ls > /dev/null 2>&1", "true", ": 'one\ntwo'", ": $HOME", `:""`, `":" ls`, `:'' a`,
	} {
		require.True(t, Idle(command, null), command)
	}
	for _, command := range []string{
		"ls", ":; ls", ": a && ls", "ls || :", "true && make", ": > file", ": >> log", ": ${X:=1}", `: "$(make)"`, ": `make`", ": <(make)",
		"X=1", "X=1 :", "while :; do make; done", `:"ls"`, `:"$X"`, `"$X"`, ": 'open", "(ls)", "(:)",
	} {
		require.False(t, Idle(command, null), command)
	}
	require.False(t, Idle("true", []string{":"}))
}

func TestBroken(t *testing.T) {
	for _, command := range []string{`: "`, "}", "echo (", "if", "cat <<< ", "a | | b"} {
		require.True(t, Broken(command), command)
	}
	for _, command := range []string{"", ":", "ls -la", "cat <<E\nx\nE", "]}", ","} {
		require.False(t, Broken(command), command)
	}
}

func FuzzIdle(f *testing.F) {
	f.Add(": ls")
	f.Add("a && `")
	f.Fuzz(func(_ *testing.T, command string) {
		Idle(command, []string{":"})
		Broken(command)
	})
}
