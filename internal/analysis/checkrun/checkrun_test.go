package checkrun

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func reader(t testing.TB) *Reader {
	commands, err := shell.New(rules.Default())
	require.NoError(t, err)
	r, err := New(rules.Default(), commands)
	require.NoError(t, err)
	return r
}

// shown is a check in one line, as the cases have it.
func shown(c *sessionevents.Check) string {
	out := []string{string(c.Kind), c.Runner, string(c.Result)}
	for _, count := range []struct {
		name string
		n    int
	}{{"passed", c.Passed}, {"failed", c.Failed}, {"skipped", c.Skipped}} {
		if count.n > 0 {
			out = append(out, strconv.Itoa(count.n)+" "+count.name)
		}
	}
	if len(c.Scope) > 0 {
		out = append(out, "scope "+strings.Join(c.Scope, " "))
	}
	if len(c.Filters) > 0 {
		out = append(out, "filters "+strings.Join(c.Filters, " "))
	}
	if len(c.FailedNames) > 0 {
		out = append(out, "names "+strings.Join(c.FailedNames, " "))
	}
	if c.Cached {
		out = append(out, "cached")
	}
	if c.Hides != "" {
		out = append(out, "hides "+c.Hides)
	}
	return strings.Join(out, ", ")
}

// Each case is a command after "$", its exit code after "=" where it is known, its
// output, and the checks after ">".
func TestCases(t *testing.T) {
	r := reader(t)
	text, err := os.ReadFile("testdata/cases.txt")
	require.NoError(t, err)
	cases := 0
	for _, one := range strings.Split("\n"+string(text), "\n$ ")[1:] {
		command, rest, _ := strings.Cut(one, "\n")
		var result Result
		var output, want []string
		for _, line := range strings.Split(strings.TrimRight(rest, "\n"), "\n") {
			switch {
			case strings.HasPrefix(line, "> "):
				want = append(want, line[2:])
			case strings.HasPrefix(line, "= "):
				code, err := strconv.Atoi(line[2:])
				require.NoError(t, err)
				result.Exit = &code
			case strings.HasPrefix(line, "#"):
			default:
				output = append(output, line)
			}
		}
		result.Output = strings.Join(output, "\n")
		var got []string
		checks := r.Checks(command, result)
		for i := range checks {
			got = append(got, shown(&checks[i]))
		}
		cases++
		assert.Equal(t, want, got, "$ %s\n%s", command, result.Output)
	}
	require.GreaterOrEqual(t, cases, 130)
}

// Nothing panics and the end comes, whatever is run and printed.
func FuzzChecks(f *testing.F) {
	r := reader(f)
	f.Add("go test ./... | tail -5 || true", "ok  	x	0.1s\n--- FAIL: TestA", 1)
	f.Add("set -o pipefail; pytest -q -k 'a and b' > out.txt; cat out.txt", "1 failed, 2 passed in 0.1s", 0)
	f.Fuzz(func(t *testing.T, command, output string, exit int) {
		for _, c := range r.Checks(command, Result{Output: output, Exit: &exit}) {
			require.NotEmpty(t, c.Kind)
			require.NotEmpty(t, c.Result)
			require.LessOrEqual(t, len(c.FailedNames), maxNames)
		}
	})
}

// A command that the harness ended shows no failure, unless its output counts some (JD-15).
func TestEndedByTheHarness(t *testing.T) {
	r := reader(t)
	code := -1
	for output, want := range map[string]sessionevents.CheckResult{
		"An error occurred: Command '['sh', '-c', 'pytest']' timed out after 60 seconds":             sessionevents.CheckUnknown,
		"subprocess.TimeoutExpired: pytest":                                                          sessionevents.CheckUnknown,
		"1) waits\nError: Timeout of 2000ms exceeded":                                                sessionevents.CheckFailed,
		"=== 2 failed, 3 passed in 4.1s ===\nThe command timed out after 60 seconds":                 sessionevents.CheckFailed,
		"E   TimeoutError: the lock timed out\n=== 1 failed, 3 passed in 4.1s ===":                   sessionevents.CheckFailed,
		"FAILED tests/test_lock.py::test_wait - AssertionError: worker was slow, retried after 3 ms": sessionevents.CheckFailed,
	} {
		checks := r.Checks("pytest tests", Result{Output: output, Exit: &code, Failed: true})
		require.Len(t, checks, 1)
		require.Equal(t, want, checks[0].Result, output)
	}
}
