package shell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A recommended command shows all that it says (JD-40).
func TestUnpiped(t *testing.T) {
	for command, want := range map[string]string{
		"mise run test 2>&1 | head -100":                             "mise run test",
		"cd web && npm test -- --ci > out.log 2>&1; tail -3 out.log": "cd web && npm test -- --ci; tail -3 out.log",
		"go test ./... || true":                                      "go test ./...",
		"pytest -q; echo \"exit: $?\"":                               "pytest -q",
		"make test && echo done":                                     "make test",
		"psql -f a.sql < in.txt | grep x":                            "psql -f a.sql <in.txt",
		"cargo test 2>/dev/null | grep -c ok | sort":                 "cargo test",
		"if true; then":                                              "",
		"":                                                           "",
	} {
		require.Equal(t, want, Unpiped(command), command)
	}
}
