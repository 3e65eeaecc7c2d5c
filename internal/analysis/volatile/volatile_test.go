package volatile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNormalise(t *testing.T) {
	cases := map[string]string{
		"at 2024-05-06T07:08:09.123Z done":                "at ‹time› done",
		"2024-05-06 07:08:09,123 +0200 INFO":              "‹time› INFO",
		"2024/05/06 07:08:09 log":                         "‹time› log",
		"on 2024-05-06":                                   "on ‹time›",
		"[07:08:09] x":                                    "[‹time›] x",
		"drwx 4096 Jun 17 12:10 .":                        "drwx 4096 Jun 17 ‹time› .",
		"epoch 1718000000 and 1718000000123":              "epoch ‹time› and ‹time›",
		"--- FAIL: TestX (0.01s)":                         "--- FAIL: TestX (‹duration›)",
		"ok  \tpkg\t1.234s":                               "ok  \tpkg\t‹duration›",
		"took 12 ms, 1m30.5s, 2 seconds":                  "took ‹duration›, ‹duration›, ‹duration›",
		"Wall time: 0.0001 seconds":                       "Wall time: ‹duration›",
		"pid 1234 PID: 99 (pid=7)":                        "pid ‹pid› PID: ‹pid› (pid=‹pid›)",
		"sshd[4321]: hello":                               "sshd[‹pid›]: hello",
		"id 3f2504e0-4f89-41d3-9a0c-0305e82c3301!":        "id ‹uuid›!",
		"id abcdefab-4f89-41d3-9a0c-0305e82c3301":         "id ‹uuid›",
		"<object at 0x7f3a2b10c9d0>":                      "<object at ‹address›>",
		"http://localhost:49152/x 127.0.0.1:8080":         "http://localhost:‹port›/x 127.0.0.1:‹port›",
		"listening on port 49152":                         "listening on port ‹port›",
		"/tmp/go-build123456/b001/x.test":                 "/tmp/‹tmp›/b001/x.test",
		"/tmp/tmpabc_x/f and /tmp/repro.py":               "/tmp/‹tmp›/f and /tmp/repro.py",
		"/var/folders/zz/abc123/T/go1/x.go:3:4":           "/var/folders/‹tmp›/x.go:3:4",
		"\x1b[31mred\x1b[0m":                              "red",
		"3 failed, 2 passed":                              "3 failed, 2 passed",
		"file.go:12:34: msg":                              "file.go:12:34: msg",
		"file.go:12:34:56":                                "file.go:12:34:56",
		"sha1 utf8 x86 v1.2.3 5m 10h":                     "sha1 utf8 x86 v1.2.3 5m 10h",
		"0x1f":                                            "0x1f",
		"2024-05":                                         "2024-05",
		"status 404":                                      "status 404",
		"":                                                "",
		"ratio 16:9":                                      "ratio 16:9",
		"12:34 is not certainly a clock, nor 25:00:00:11": "12:34 is not certainly a clock, nor ‹time›:11",
	}
	for in, want := range cases {
		t.Run(in, func(t *testing.T) { require.Equal(t, want, Normalise(in)) })
	}
}

func TestHashIgnoresOnlyVolatileParts(t *testing.T) {
	first := Hash("ok pkg 1.23s at 2024-05-06T07:08:09Z, pid 77")
	require.Len(t, first, 16)
	require.Equal(t, first, Hash("ok pkg 9.99s at 2025-01-01T00:00:00Z, pid 12345"))
	require.NotEqual(t, first, Hash("ok other 1.23s at 2024-05-06T07:08:09Z, pid 77"))
	require.Equal(t, "ef46db3751d8e999", Hash(""), "xxhash64 of nothing: the hash is stored and must not change")
}

func FuzzNormalise(f *testing.F) {
	f.Add("2024-05-06T07:08:09.1Z 1m2s 0x12345678 /tmp/tmp1/x \x1b[0m pid 1 [::1]:4000 Jan 12 11:11 3f2504e0-4f89-41d3-9a0c-0305e82c3301")
	f.Fuzz(func(t *testing.T, s string) {
		once := Normalise(s)
		require.LessOrEqual(t, len(once), 8*len(s))
		require.Equal(t, Hash(s), Hash(s))
	})
}

// output is 18 KB of what build tools print.
var output = strings.Repeat("=== RUN   TestServer/start\n    server_test.go:42: listening on 127.0.0.1:40123\n--- PASS: TestServer/start (0.03s)\n2024-05-06T07:08:09Z INFO handler=/v1/items status=200\nsome plain line of output without anything special in it at all\n", 75)

func BenchmarkHash(b *testing.B) {
	b.SetBytes(int64(len(output)))
	b.ReportAllocs()
	for b.Loop() {
		Hash(output)
	}
}
