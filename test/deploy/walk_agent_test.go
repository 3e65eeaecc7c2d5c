package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/stretchr/testify/require"
)

// nobody is the agents' user if the test may switch users.
const nobody = 65534

// walkAgent is an agent on another machine: another home, another user.
type walkAgent struct {
	*walk
	kind, session, home string
	command             string // that its settings run at each step
}

// agent installs the hooks as the page says, with nothing but the token and the authority.
func (w *walk) agent(kind, session string) *walkAgent {
	w.t.Helper()
	a := &walkAgent{walk: w, kind: kind, session: session, home: w.path("agents/" + session)}
	require.NoError(w.t, os.MkdirAll(a.home, 0o755)) //nolint:gosec // it becomes the agent's own
	for from, to := range map[string]string{"etc/hooks/" + kind + ".token": kind + ".token", "etc/nats-ca.pem": "ca.pem"} {
		data, err := os.ReadFile(w.path(from))
		require.NoError(w.t, err)
		require.NoError(w.t, os.WriteFile(filepath.Join(a.home, to), data, 0o644)) //nolint:gosec // as it was handed over
	}
	if os.Getuid() == 0 {
		require.NoError(w.t, os.Chown(a.home, nobody, nobody))
	}
	before := a.says("scaffoldwatch install --agent "+kind+" --url https://"+w.watch+" --dry-run", nil)
	require.Contains(w.t, before, "https://"+w.watch)
	statements := strings.ReplaceAll(w.page.with(w.t, "as the agent's user"), "claude-code", kind)
	a.says(w.here(statements), nil)
	a.command = a.installed()
	return a
}

// says runs a statement as the agent's user and returns what it printed.
func (a *walkAgent) says(statement string, input []byte) string {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), walkPatience)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-ec", statement)
	command.Dir, command.Stdin = a.home, bytes.NewReader(input)
	command.Env = []string{"PATH=" + a.bin + ":" + os.Getenv("PATH"), "HOME=" + a.home}
	if os.Getuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var errOut bytes.Buffer
	command.Stderr = &errOut
	out, err := command.Output()
	require.NoError(a.t, err, "%s: %s%s", statement, out, errOut.String())
	return string(out)
}

// installed returns the command in the agent's settings.
func (a *walkAgent) installed() (command string) {
	a.t.Helper()
	err := filepath.WalkDir(a.home, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if found := regexp.MustCompile(`"command":\s*("(?:[^"\\]|\\.)*--agent(?:[^"\\]|\\.)*")`).FindSubmatch(data); found != nil {
			return json.Unmarshal(found[1], &command)
		}
		return err
	})
	require.NoError(a.t, err)
	require.Contains(a.t, command, a.kind)
	return command
}

// hook calls the installed command as the agent does.
func (a *walkAgent) hook(event string, more map[string]any) string {
	body := map[string]any{"session_id": a.session, "conversation_id": a.session, "hook_event_name": event, "cwd": a.home}
	for k, v := range more {
		body[k] = v
	}
	input, err := json.Marshal(body)
	require.NoError(a.t, err)
	return a.says(a.command, input)
}

// works is a session with one message and one file with a credential in it.
func (a *walkAgent) works(secret string) {
	path := filepath.Join(a.home, "config.go")
	content := fmt.Sprintf("package config\n\nconst token = %q\n", secret)
	ask := map[string]any{"prompt": "Add a configuration for the shop."}
	write := map[string]any{
		"tool_name": "Write", "tool_use_id": "t1", "tool_input": map[string]any{"file_path": path, "content": content},
		"tool_response": map[string]any{"type": "create", "filePath": path, "content": content, "structuredPatch": []any{}},
	}
	switch a.kind {
	case "gemini":
		a.hook("BeforeAgent", ask)
		a.hook("AfterTool", write)
		a.hook("AfterAgent", map[string]any{"prompt_response": "Done."})
	case "cursor":
		a.hook("beforeSubmitPrompt", ask)
		a.hook("afterFileEdit", map[string]any{"file_path": path, "edits": []any{map[string]any{"old_string": "", "new_string": content}}})
		a.hook("stop", map[string]any{"status": "completed"})
	default:
		a.hook("UserPromptSubmit", ask)
		a.hook("PostToolUse", write)
		a.hook("Stop", map[string]any{"last_assistant_message": "Done."})
	}
}
