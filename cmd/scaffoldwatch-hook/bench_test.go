package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkHook is the time of one call as the agent waits for it, the process with it, beside a process
// that does nothing: with a system that answers at once, and without one for a command that cannot
// destroy and for one about which Git is asked (GD-20).
func BenchmarkHook(b *testing.B) {
	folder := b.TempDir()
	program := filepath.Join(folder, "scaffoldwatch-hook")
	build := exec.Command("go", "build", "-tags", "gore2regex", "-ldflags", "-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build does
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	repository := filepath.Join(folder, "repository")
	for _, args := range [][]string{{"init", "-q", repository}, {"-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "first"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(repository, "thesis.md"), []byte("chapter one\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }))
	defer server.Close()
	call := func(command string) string {
		return `{"session_id":"s1","hook_event_name":"PreToolUse","cwd":"` + repository + `","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"` + command + `"}}`
	}
	const nobody = "http://127.0.0.1:9"
	begins := exec.Command(program, "--agent", "claude-code")
	begins.Env = append(os.Environ(), "XDG_CACHE_HOME="+folder, "SCAFFOLDWATCH_HOOK_URL="+nobody)
	begins.Stdin = strings.NewReader(`{"session_id":"s1","hook_event_name":"SessionStart","source":"startup","cwd":"` + repository + `"}`)
	if err := begins.Run(); err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name, url, input string
		program          []string
	}{
		{"bare", "", "", []string{"true"}},
		{"version", "", "", []string{program, "--version"}},
		{"with-up", server.URL, call("git clean -fd"), []string{program, "--agent", "claude-code"}},
		{"alone-harmless", nobody, call("go test ./... | tail -5"), []string{program, "--agent", "claude-code"}},
		{"alone-git", nobody, call("git clean -fd"), []string{program, "--agent", "claude-code"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var times, used []float64
			for b.Loop() {
				process := exec.Command(bench.program[0], bench.program[1:]...)
				process.Env = append(os.Environ(), "XDG_CACHE_HOME="+folder, "SCAFFOLDWATCH_HOOK_URL="+bench.url)
				process.Stdin = strings.NewReader(bench.input)
				var out bytes.Buffer
				process.Stdout = &out
				began := time.Now()
				if err := process.Run(); err != nil {
					b.Fatal(err)
				}
				times = append(times, float64(time.Since(began).Microseconds())/1000)
				used = append(used, float64((process.ProcessState.UserTime()+process.ProcessState.SystemTime()).Microseconds())/1000)
			}
			slices.Sort(times)
			slices.Sort(used)
			b.ReportMetric(times[len(times)/2], "p50-ms")
			b.ReportMetric(times[len(times)*99/100], "p99-ms")
			b.ReportMetric(used[len(used)/2], "cpu-ms")
		})
	}
}
