package failure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func finder(t testing.TB) *Finder {
	f, err := New(rules.Default())
	require.NoError(t, err)
	return f
}

func TestFailuresAreFound(t *testing.T) {
	cases := map[string]string{
		"=== RUN TestX\n--- FAIL: TestX (0.00s)\n    x_test.go:3: no\nFAIL\nFAIL\tpkg\t0.1s": "--- FAIL: TestX (0.00s)",
		"panic: boom\n\ngoroutine 1 [running]:\nmain.main()":                                 "panic: boom",
		"# pkg\n./a.go:3:5: undefined: x":                                                    "./a.go:3:5: undefined: x",
		"Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad":       "ValueError: bad",
		"FAILED tests/test_a.py::test_b - AssertionError: x":                                 "FAILED tests/test_a.py::test_b - AssertionError: x",
		"src/a.ts(3,4): error TS2304: Cannot find name":                                      "src/a.ts(3,4): error TS2304: Cannot find name",
		"error[E0308]: mismatched types":                                                     "error[E0308]: mismatched types",
		"a.c:3:1: error: expected":                                                           "a.c:3:1: error: expected",
		"make: *** [test] Error 1":                                                           "make: *** [test] Error 1",
		"Tests:       2 failed, 3 passed":                                                    "Tests:       2 failed, 3 passed",
		"thread 'main' panicked at src/x.rs:3:4":                                             "thread 'main' panicked at src/x.rs:3:4",
		"bash: foo: command not found":                                                       "bash: foo: command not found",
		"TypeError: x is not a function\n    at f (a.js:1:2)":                                "TypeError: x is not a function",
	}
	f := finder(t)
	for text, want := range cases {
		t.Run(want, func(t *testing.T) {
			line, ok := f.Find(text, false)
			require.True(t, ok)
			require.Equal(t, want, text[line.Start:line.End])
		})
	}
}

func TestSuccessesAreNot(t *testing.T) {
	f := finder(t)
	for _, text := range []string{
		"", "ok  \tpkg\t0.1s", "0 failed, 12 passed", "Tests: 0 failed, 3 passed, 3 total", "no errors found", "Found 0 errors",
		"12 passed in 0.1s", "test result: ok. 3 passed; 0 failed; 0 ignored", "src/error.go\nsrc/panic.go", "handles the error: case",
		"    if err != nil { panic(err) }", "const ERROR = 'x'", "error handling is described below", "  raise ValueError('x')",
		"=== 3 passed, 0 errors in 0.1s ===", "0 fail", "✓ fails when empty (3 ms)", "[INFO] Tests run: 3, Failures: 0, Errors: 0",
		"PASS: test_failed_login", "class MyError(Exception):",
	} {
		line, ok := f.Find(text, false)
		require.False(t, ok, "%q matched %s", text, line.ID)
	}
}

func TestReportedFailuresUseWeakerHints(t *testing.T) {
	f := finder(t)
	_, ok := f.Find("the request was refused", false)
	require.False(t, ok)
	line, ok := f.Find("first\nthe request was refused", true)
	require.True(t, ok)
	require.Equal(t, 6, line.Start)
}

func TestLongOutputIsReadAtItsEnds(t *testing.T) {
	f := finder(t)
	filler := strings.Repeat("plain line\n", 20_000)
	for _, text := range []string{"panic: first\n" + filler, filler + "panic: last\n"} {
		line, ok := f.Find(text, false)
		require.True(t, ok)
		require.True(t, strings.HasPrefix(text[line.Start:], "panic: "))
	}
	_, ok := f.Find(filler+"panic: middle\n"+filler, false)
	require.False(t, ok)
}

func BenchmarkFindNothing(b *testing.B) {
	f := finder(b)
	text := strings.Repeat("=== RUN TestA\n--- PASS: TestA (0.00s)\nsome line of output here\n", 130) // 8 KB
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		f.Find(text, false)
	}
}
