package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// startRuns is how many processes of each kind are started.
const startRuns = 20

// nothingProgram is a Go program that does nothing, the baseline of a start.
const nothingProgram = "package main\n\nfunc main() {}\n"

// smallTranscript is one user message and one response with a tool call.
const smallTranscript = `{"type":"user","sessionId":"s1","uuid":"a1","timestamp":"2026-03-02T08:00:00.000Z","message":{"role":"user","content":"Add a retry to the HTTP client in client.go"}}
{"type":"assistant","sessionId":"s1","uuid":"a2","parentUuid":"a1","timestamp":"2026-03-02T08:00:05.000Z","message":{"id":"m1","type":"message","role":"assistant","model":"claude-sonnet-4","content":[{"type":"text","text":"I will read the client first."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"client.go"}}],"stop_reason":"tool_use"}}
`

const hookInput = `{"session_id":"s1","hook_event_name":"PreToolUse","cwd":"/srv/app","tool_name":"Read","tool_use_id":"t1","tool_input":{"file_path":"client.go"}}`

// starts measures whole processes, from the start to the exit. The baseline is a
// program that does nothing, built and started in the same run.
func starts(ctx context.Context, s scale) error {
	dir, err := os.MkdirTemp("", "scaffoldwatch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	nothing, program, err := buildStarts(ctx, dir)
	if err != nil {
		return err
	}
	transcript := filepath.Join(dir, "session.jsonl")
	if err := os.WriteFile(transcript, []byte(smallTranscript), 0o600); err != nil {
		return err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	cases := []struct {
		name, input string
		most        time.Duration // the target
		command     []string
	}{
		{"version", "", 10 * time.Millisecond, []string{program, "version"}},
		{"hook", hookInput, 15 * time.Millisecond, []string{program, "hook", "--agent", "claude-code", "--url", server.URL}},
		{"rules list", "", 150 * time.Millisecond, []string{program, "rules", "list"}},
		{"scan of one turn", "", 150 * time.Millisecond, []string{program, "scan", transcript}},
	}
	baseline, err := medianStart(ctx, s, "", nothing)
	if err != nil {
		return err
	}
	fmt.Printf("  a program that does nothing (baseline): %s\n", milliseconds(baseline))
	for _, c := range cases {
		took, err := medianStart(ctx, s, c.input, c.command...)
		if err != nil {
			return err
		}
		fmt.Printf("  %-16s %s, %.0f times the baseline (aim: at most %s)\n", c.name, milliseconds(took), took.Seconds()/baseline.Seconds(), milliseconds(c.most))
	}
	return nil
}

// buildStarts builds the baseline and the program.
func buildStarts(ctx context.Context, dir string) (nothing, program string, err error) {
	source := filepath.Join(dir, "nothing.go")
	if err := os.WriteFile(source, []byte(nothingProgram), 0o600); err != nil {
		return "", "", err
	}
	nothing, program = filepath.Join(dir, "nothing"), filepath.Join(dir, "scaffoldwatch")
	for _, build := range [][]string{
		{"build", "-o", nothing, source},
		{"build", "-tags", "gore2regex", "-o", program, "./cmd/scaffoldwatch"},
	} {
		if out, err := exec.CommandContext(ctx, "go", build...).CombinedOutput(); err != nil {
			return "", "", fmt.Errorf("go %s: %w\n%s", strings.Join(build, " "), err, out)
		}
	}
	return nothing, program, nil
}

// medianStart returns the median time that a process takes.
func medianStart(ctx context.Context, s scale, input string, command ...string) (time.Duration, error) {
	took := make([]time.Duration, 0, startRuns)
	for range s.of(startRuns) {
		process := exec.CommandContext(ctx, command[0], command[1:]...)
		process.Stdin = strings.NewReader(input)
		began := time.Now()
		if out, err := process.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
}
