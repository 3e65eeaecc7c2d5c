package shell

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestInvocations(t *testing.T) {
	p, err := New(rules.Default())
	require.NoError(t, err)
	for line, want := range map[string]string{
		"tool stop x":                           "tool stop x",
		"/usr/local/bin/tool stop x":            "tool stop x",
		`"to"ol 'st'op \x`:                      "tool stop x",
		"A=1 B=2 tool stop":                     "tool stop",
		"env A=1 tool stop":                     "tool stop",
		"sudo -u ann timeout 5 tool stop":       "tool stop",
		"true && (tool stop || false)":          "true; tool stop; false",
		"if true; then tool stop; fi &":         "true; tool stop",
		"for i in 1 2; do tool stop $i; done":   "tool stop 1; tool stop 2",
		"f() { tool stop; }; f":                 "tool stop; f",
		`bash -c "tool stop"`:                   "bash -c tool stop; tool stop",
		`sh -lc 'bash -c "tool stop"'`:          "sh -lc bash -c \"tool stop\"; bash -c tool stop; tool stop",
		`eval "tool stop"`:                      "eval tool stop; tool stop",
		"V=stop; tool $V":                       "tool stop",
		`C="tool stop"; $C`:                     "tool stop",
		`echo "tool stop" | sh`:                 "echo tool stop; sh; tool stop",
		"sh <<'X'\ntool stop\nX":                "sh; tool stop",
		`sh <<< "tool stop"`:                    "sh; tool stop",
		"cat <<X | bash\ntool stop\nX":          "cat; bash; tool stop",
		"echo $(tool stop)":                     "echo $(tool stop); tool stop",
		"echo `tool stop`":                      "echo `tool stop`; tool stop",
		"diff <(tool stop) x":                   "diff <(tool stop) x; tool stop",
		"ls | xargs tool stop":                  "ls; tool stop",
		"find . -exec tool stop {} ;":           "find . -exec tool stop {}; tool stop {}",
		`find . -exec tool stop {} \;`:          `find . -exec tool stop {} ;; tool stop {}`,
		"script -qc 'tool stop' /dev/null":      "tool stop; null",
		"env -S 'tool stop'":                    "tool stop",
		"su ann -c 'tool stop'":                 "tool stop; su ann -c tool stop",
		"go run ./cmd/tool stop":                "go run ./cmd/tool stop; tool stop",
		"go run -race example.org/tool@v1 stop": "go run -race example.org/tool@v1 stop; tool stop",
		"alias t='tool stop'":                   "alias t=tool stop; tool stop",
		"grep -r 'tool stop' docs":              "grep -r tool stop docs",
		"git commit -m 'tool stop'":             "git commit -m tool stop",
		"((":                                    "", "": "", "# tool stop": "",
	} {
		var got []string
		for _, i := range p.Invocations(line) {
			got = append(got, strings.TrimSpace(fmt.Sprintln(append([]any{i.Name}, anys(i.Args)...)...)))
		}
		require.Equal(t, want, strings.Join(got, "; "), "%s", line)
	}
}

func anys(list []string) []any {
	var out []any
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// Where text and arguments come from.
func TestInvocationsAreFed(t *testing.T) {
	p, err := New(rules.Default())
	require.NoError(t, err)
	list := p.Invocations("lookup x | xargs tool < in.txt > out.txt")
	require.Len(t, list, 2)
	require.False(t, list[0].Fed)
	require.True(t, list[1].Fed)
	require.Equal(t, []string{"in.txt", "out.txt"}, list[1].Files)
	require.Equal(t, "x = 1\n\n", p.Invocations("python3 - <<'E'\nx = 1\nE")[0].Input)
}

func FuzzInvocations(f *testing.F) {
	p, err := New(rules.Default())
	require.NoError(f, err)
	f.Add("bash -c 'eval \"$(echo tool)\"' | xargs -I{} sh -c '{}'")
	f.Fuzz(func(t *testing.T, line string) { p.Invocations(line) })
}
