package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// agent is a command line and how it is made to talk to a mock model.
type agent struct {
	name      string // as scaffoldwatch names it
	wire      mockmodel.Wire
	configure func(t *testing.T, home, model string)
	command   func(prompt string) []string // the program first, relative to the folder of packages
	variables func(model string) []string
	hard      bool // a halt ends the run at once
}

// fakeKey is not a real key; the mock models require none.
const fakeKey = "unused"

var allAgents = []agent{
	{
		name: "claude-code", wire: mockmodel.Anthropic{}, hard: true,
		configure: func(*testing.T, string, string) {},
		command: func(prompt string) []string {
			return []string{"claude", "-p", prompt, "--output-format", "stream-json", "--verbose", "--permission-mode", "dontAsk", "--allowedTools", "Bash"}
		},
		variables: func(model string) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + model, "ANTHROPIC_API_KEY=" + fakeKey, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "IS_SANDBOX=1",
			}
		},
	},
	{
		name: "codex", wire: mockmodel.OpenAI{}, configure: configureCodex,
		command: func(prompt string) []string {
			return []string{"codex", "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", prompt}
		},
		variables: func(string) []string { return []string{"MOCK_KEY=" + fakeKey} },
	},
	{
		name: "gemini", wire: mockmodel.Gemini{}, configure: configureGemini, hard: true,
		command: func(prompt string) []string {
			return []string{"gemini", "-p", prompt, "--output-format", "stream-json", "--yolo", "-m", "gemini-2.5-pro"}
		},
		variables: func(model string) []string {
			return []string{"GEMINI_API_KEY=" + fakeKey, "GOOGLE_GEMINI_BASE_URL=" + model, "GEMINI_CLI_TRUST_WORKSPACE=true", "NO_BROWSER=1"}
		},
	},
	{
		name: "opencode", wire: mockmodel.Anthropic{Shell: "bash"}, configure: configureOpenCode, hard: true,
		command: func(prompt string) []string {
			return []string{"opencode", "run", "--format", "json", prompt}
		},
		variables: func(string) []string {
			return []string{
				"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
			}
		},
	},
}

// window is how many tokens the mock model of OpenCode takes.
const window = 100_000

func configureOpenCode(t *testing.T, home, model string) {
	text, err := json.MarshalIndent(map[string]any{
		"model": "mock/mock", "small_model": "mock/mock", "autoupdate": false, "share": "disabled",
		"provider": map[string]any{"mock": map[string]any{
			"npm": "@ai-sdk/anthropic", "name": "mock",
			"options": map[string]any{"baseURL": model + "/v1", "apiKey": fakeKey},
			"models": map[string]any{"mock": map[string]any{
				"name": "mock", "tool_call": true,
				"limit": map[string]any{"context": window, "output": 1_000},
			}},
		}},
	}, "", "  ")
	require.NoError(t, err)
	write(t, filepath.Join(home, ".config", "opencode", "opencode.json"), string(text)+"\n")
}

func configureCodex(t *testing.T, home, model string) {
	write(t, filepath.Join(home, ".codex", "config.toml"), `model = "gpt-5-codex"
model_provider = "mock"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "`+model+`/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
`)
}

func configureGemini(t *testing.T, home, _ string) {
	text, err := json.MarshalIndent(map[string]any{
		"security":  map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false}},
		"telemetry": map[string]any{"enabled": false},
		"privacy":   map[string]any{"usageStatisticsEnabled": false},
		"general":   map[string]any{"enableAutoUpdate": false},
	}, "", "  ")
	require.NoError(t, err)
	write(t, filepath.Join(home, ".gemini", "settings.json"), string(text)+"\n")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// bench is an agent ready to run: its home, its project, its model.
type bench struct {
	agent
	t       *testing.T
	home    string
	project string
	model   *mockmodel.Server
	tools   string // folder of the command lines
	path    string // folder of scaffoldwatch
}

// prepare creates a home and a project for one run.
func prepare(t *testing.T, a agent, plan mockmodel.Plan) *bench {
	t.Helper()
	b := &bench{agent: a, t: t, tools: commandLines(t), path: binaries(t), home: t.TempDir(), project: t.TempDir()}
	var err error
	b.model, err = mockmodel.Start(a.wire, plan)
	require.NoError(t, err)
	t.Cleanup(b.model.Close)
	a.configure(t, b.home, b.model.URL())
	return b
}

// environment returns all an agent sees of this process's, with the tokens of the system of its test.
func (b *bench) environment() []string {
	list := b.variables(b.model.URL())
	if folder := os.Getenv(hooktoken.Variable); folder != "" {
		list = append(list, hooktoken.Variable+"="+folder)
	}
	return append([]string{
		"PATH=" + b.path + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + b.home, "TMPDIR=" + b.t.TempDir(), "LANG=C.UTF-8",
	}, list...)
}

// install runs scaffoldwatch install in the agent's home.
func (b *bench) install(url string, flags ...string) {
	b.t.Helper()
	b.scaffoldwatch(append([]string{"install", "--agent", b.name, "--url", url}, flags...)...)
}

// scaffoldwatch runs our program as the person whose home it is.
func (b *bench) scaffoldwatch(args ...string) {
	b.t.Helper()
	command := exec.Command(filepath.Join(b.path, "scaffoldwatch"), args...)
	command.Env, command.Dir = b.environment(), b.project
	out, err := command.CombinedOutput()
	require.NoError(b.t, err, "%s", out)
}

// outcome is how a run ended.
type outcome struct {
	code    int
	out     string
	errors  string
	elapsed time.Duration
}

// patience is the limit of a run; one that takes longer hangs.
const patience = 2 * time.Minute

// run waits until the agent has finished its work.
func (b *bench) run() outcome {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.t.Context(), patience)
	defer stop()
	words := b.command("do it")
	command := exec.CommandContext(ctx, filepath.Join(b.tools, words[0]), words[1:]...)
	command.Env, command.Dir = b.environment(), b.project
	// The agent's own children go with it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	var out, errors bytes.Buffer
	command.Stdout, command.Stderr = &out, &errors
	began := time.Now()
	err := command.Run()
	o := outcome{out: out.String(), errors: errors.String(), elapsed: time.Since(began)}
	require.NoError(b.t, ctx.Err(), "the run did not end\n%s\n%s", tail(o.out, 2000), tail(o.errors, 2000))
	if err != nil {
		require.IsType(b.t, &exec.ExitError{}, err)
		o.code = command.ProcessState.ExitCode()
	}
	require.Empty(b.t, b.model.Problems())
	b.t.Logf("%s: exit %d after %d ms, %d requests", b.name, o.code, o.elapsed.Milliseconds(), len(b.model.Requests()))
	return o
}

// made reports whether a command of the plan left its file in the project.
func (b *bench) made(name string) bool {
	_, err := os.Stat(filepath.Join(b.project, name))
	return err == nil
}

// lines of a text that hold a word.
func lines(text, word string) int {
	n := 0
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			n++
		}
	}
	return n
}
