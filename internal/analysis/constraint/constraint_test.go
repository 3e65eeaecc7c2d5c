package constraint

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

var strengths = map[Strength]string{None: "none", Other: "other", Named: "named", Path: "path"}

func reader(t testing.TB) (*Reader, *shell.Parser) {
	r, err := New(rules.Default())
	require.NoError(t, err)
	commands, err := shell.New(rules.Default())
	require.NoError(t, err)
	return r, commands
}

// judged is the strongest breach of any constraint in a sentence.
func judged(r *Reader, commands *shell.Parser, sentence, act string) Strength {
	found := None
	kind, what := act[0], act[2:]
	list := r.Read(sentence)
	for i := range list {
		c := &list[i]
		switch kind {
		case '+':
			found = max(found, r.File(c, Change, what).Strength)
		case 'c':
			found = max(found, r.File(c, Create, what).Strength)
		case '-':
			found = max(found, r.File(c, Delete, what).Strength)
		case '$':
			found = max(found, r.Line(c, what).Strength)
			for _, one := range commands.Invocations(what) {
				found = max(found, r.Command(c, &one, what).Strength)
			}
		}
	}
	return found
}

// Sentences with files and commands that keep them or break them (PD-10).
func TestCases(t *testing.T) {
	r, commands := reader(t)
	text, err := os.ReadFile("testdata/cases.txt")
	require.NoError(t, err)
	sentence, cases := "", 0
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case len(line) > 2 && strings.Contains("+c-$", line[:1]) && line[1] == ' ':
			at := strings.LastIndex(line, ": ")
			require.Positive(t, at, line)
			cases++
			assert.Equal(t, line[at+2:], strengths[judged(r, commands, sentence, line[:at])], "%s\n%s", sentence, line)
		default:
			sentence = line
		}
	}
	require.Greater(t, cases, 60)
}

// Nothing panics, whatever is read and whatever is judged by it.
func FuzzConstraint(f *testing.F) {
	r, commands := reader(f)
	f.Add("Only modify files in src/ (do not touch /etc), and never use `rm -rf`", "rm -rf /etc", "src/a.py")
	f.Add("do not run more than 20 checks in production", "for i in {1..30}; do x; done", "/etc/x")
	f.Fuzz(func(_ *testing.T, sentence, command, file string) {
		if command == "" || file == "" {
			return
		}
		for _, act := range []string{"$ " + command, "+ " + file, "- " + file, "c " + file} {
			judged(r, commands, sentence, act)
		}
	})
}
