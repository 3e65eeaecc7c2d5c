package shell_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// An exit code that a line prints is that of the command before it, and of no other (PD-2).
func TestPrintedCode(t *testing.T) {
	p, err := shell.New(rules.Default())
	require.NoError(t, err)
	for line, c := range map[string]struct {
		output string
		code   int
		shown  bool
		exit   shell.Exit
	}{
		`check > log 2>&1; echo "exit=$?"`:             {"exit=3\n", 3, true, shell.ExitExact},
		`check; echo $?`:                               {"12\nfound\n0\n", 0, true, shell.ExitExact},
		`check; printf 'rc: %d\n' $?`:                  {"rc: 2", 2, true, shell.ExitExact},
		`check; rc=$?; echo "rc=$rc"`:                  {"rc=1", 1, true, shell.ExitExact},
		`check | tail -3; echo "rc ${PIPESTATUS[0]}"`:  {"… ok\nrc 4\n", 4, true, shell.ExitExact},
		`check && two; echo "exit=$?"`:                 {"exit=1", 1, true, shell.ExitZero},
		`check | tail -3; echo "exit=$?"`:              {"exit=0", 0, false, 0}, // tail's
		`check || true; echo "exit=$?"`:                {"exit=0", 0, false, 0},
		`check & echo "exit=$?"`:                       {"exit=0", 0, false, 0},
		`check; ls; echo "exit=$?"`:                    {"exit=0", 0, false, 0}, // that of ls
		`check; echo "exit=$?" > code`:                 {"", 0, false, 0},
		`check; echo "done"`:                           {"done", 0, false, 0},
		`check; echo "exit=$? of $(date)"`:             {"exit=0 of today", 0, false, 0},
		`check; echo "exit=$?"` + "\n" + `other; pwd`:  {"exit=1000", 0, false, 0}, // no exit code
		`set -o pipefail; check | tail; echo "rc=$?"`:  {"rc=0", 0, true, shell.ExitZero},
		`if check; then echo yes; fi; echo "exit=$?"`:  {"exit=0", 0, false, 0},
		`! check; echo "exit=$?"`:                      {"exit=0", 0, false, 0},
		`{ prepare; check; }; echo "exit=$?"`:          {"exit=7", 7, true, shell.ExitExact},
		`cd x && check > log; code=$?; echo "${code}"`: {"9", 9, true, shell.ExitExact},
	} {
		t.Run(line, func(t *testing.T) {
			for _, step := range p.Steps(line) {
				if step.Name != "check" {
					continue
				}
				code, shown := step.Code.In(c.output)
				require.Equal(t, c.shown, shown)
				if shown {
					require.Equal(t, c.code, code)
					require.Equal(t, c.exit, step.Code.Exit)
				}
				return
			}
			t.Fatal("no step of that name")
		})
	}
}
