package system

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

// hookPatience bounds how long a hook may take to answer the doctor.
const hookPatience = 5 * time.Second

// agentHooks says of each agent whose settings are on this machine whether its hooks call us, by a
// program that is there and answers (GD-22).
func agentHooks(check *checkup) {
	for _, name := range agents.Settings().Names() {
		found, err := Installed(name)
		switch {
		case err != nil:
			check.line(false, name, "%v", err)
		case !found.Exists:
		case found.Command == "":
			check.line(true, name, "no hooks: scaffoldwatch install --agent %s", name)
		default:
			version, err := answers(found.Program)
			if err != nil {
				check.line(false, name, "%s: %v; scaffoldwatch install --agent %s", terminal.Clean(found.Path), err, name)
				continue
			}
			untrusted, err := unapproved(name, &found)
			switch {
			case err != nil:
				check.line(false, name, "%v", err)
			case len(untrusted) > 0:
				check.line(false, name, "%d of %d hooks are not trusted by the agent, which does not run them: start it and approve them with /hooks", len(untrusted), len(found.Events))
			default:
				check.line(true, name, "%s, %s, %s; try it: scaffoldwatch doctor --test %s", cli.Plural(len(found.Events), "hook"), version, lastHeard(name, time.Now()), name)
			}
		}
	}
}

// trust says of an agent that asks for it which hooks the person has not approved.
var trust = map[string]func(file string, events []string) ([]string, error){codex.Name: codex.Untrusted}

func unapproved(agent string, found *install.Installed) ([]string, error) {
	if untrusted := trust[agent]; untrusted != nil {
		return untrusted(found.Path, found.Events)
	}
	return nil, nil
}

// lastHeard is when an agent called its hook last.
func lastHeard(agent string, now time.Time) string {
	at := hookclient.Heard(hookclient.Folder(), agent)
	switch ago := now.Sub(at); {
	case at.IsZero():
		return "not heard yet"
	case ago < 2*time.Minute:
		return "heard just now"
	case ago < 2*time.Hour:
		return fmt.Sprintf("last heard %d minutes ago", int(ago.Minutes()))
	default:
		return "last heard " + at.Format("2006-01-02 15:04")
	}
}

// Installed returns what of ours is in the settings of an agent of this person.
func Installed(agent string) (install.Installed, error) {
	settings, err := agents.Settings().Named(agent)
	if err != nil {
		return install.Installed{}, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return install.Installed{}, fmt.Errorf("find the settings of %s: %w", agent, err)
	}
	return install.Plan{Settings: settings, Scope: install.ScopeUser, Home: home, Environment: os.Getenv}.Installed()
}

// answers is the version that a hook's program prints; the error says why it cannot be run wherever
// the agent is started.
func answers(program string) (string, error) {
	if !filepath.IsAbs(program) {
		return "", fmt.Errorf("the hooks run %s by its name, which an IDE or a service with another PATH does not find", terminal.Clean(program))
	}
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("the hooks run %s, which is not there", terminal.Clean(program))
	}
	ctx, cancel := context.WithTimeout(context.Background(), hookPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "--version").Output() //nolint:gosec // what the agent runs at each step
	if err != nil {
		return "", fmt.Errorf("%s does not answer: %w", terminal.Clean(program), err)
	}
	return terminal.Clean(strings.TrimSpace(string(out))), nil
}

// testHook sends a planted `git reset --hard` of a temporary repository, in which somebody's work is
// not committed, through the very command in the agent's settings, and expects a denial. Nothing is run.
func testHook(check *checkup, agent string) {
	found, err := Installed(agent)
	if err == nil && found.Command == "" {
		err = fmt.Errorf("no hooks: scaffoldwatch install --agent %s", agent)
	}
	if err == nil {
		err = planted(found.Command, agent)
	}
	if err != nil {
		check.line(false, agent, "%v", err)
		return
	}
	check.line(true, agent, "a planted git reset --hard was denied by %s", terminal.Clean(found.Command))
}

// planted is nil where a hook's command denies the call.
func planted(command, agent string) error {
	dir, err := os.MkdirTemp("", "scaffoldwatch-doctor-")
	if err != nil {
		return fmt.Errorf("make a repository: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, args := range [][]string{
		{"init", "-q"}, {"-c", "user.name=doctor", "-c", "user.email=doctor@localhost", "-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "-m", "planted"},
	} {
		git := exec.Command("git", args...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("make a repository: %w: %s", err, bytes.TrimSpace(out))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "work.txt"), []byte("not committed\n"), 0o600); err != nil {
		return fmt.Errorf("make a repository: %w", err)
	}
	add := exec.Command("git", "add", "work.txt")
	add.Dir = dir
	if out, err := add.CombinedOutput(); err != nil {
		return fmt.Errorf("make a repository: %w: %s", err, bytes.TrimSpace(out))
	}
	session := fmt.Sprintf("doctor-%d", time.Now().UnixNano())
	begin, before := beginnings[agent].begin, beginnings[agent].before
	if before == "" {
		return errors.New("its hooks have no question before a tool")
	}
	if _, err := call(command, dir, map[string]any{"session_id": session, "conversation_id": session, "cwd": dir, "workspace_roots": []string{dir}, "hook_event_name": begin, "source": "startup", "prompt": "Fix the totals."}); err != nil {
		return err
	}
	// The worktree is looked at beside the first call.
	time.Sleep(500 * time.Millisecond)
	out, err := call(command, dir, map[string]any{
		"session_id": session, "conversation_id": session, "cwd": dir, "workspace_roots": []string{dir}, "hook_event_name": before,
		"tool_name": "Bash", "tool_use_id": "planted", "tool_input": map[string]any{"command": "git reset --hard"}, "command": "git reset --hard",
	})
	if err != nil {
		return err
	}
	if !bytes.Contains(out, []byte(`"deny"`)) && !bytes.Contains(out, []byte(`"block"`)) {
		return fmt.Errorf("a planted git reset --hard was not denied: the hook answered %q", terminal.Clean(string(bytes.TrimSpace(out))))
	}
	return nil
}

// beginnings are the hooks with which a session of an agent begins, and that ask before a tool.
var beginnings = map[string]struct{ begin, before string }{
	"claude-code": {"SessionStart", "PreToolUse"},
	"codex":       {"SessionStart", "PreToolUse"},
	"copilot":     {"SessionStart", "PreToolUse"},
	"gemini":      {"SessionStart", "BeforeTool"},
	"cursor":      {"sessionStart", "preToolUse"},
}

// call runs the command of a hook as an agent does.
func call(command, dir string, body map[string]any) ([]byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the hook's JSON: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), hookPatience)
	defer cancel()
	process := exec.CommandContext(ctx, "sh", "-c", command) //nolint:gosec // what the agent runs at each step
	process.Dir, process.Stdin = dir, bytes.NewReader(raw)
	var problems bytes.Buffer
	process.Stderr = &problems
	out, err := process.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", terminal.Clean(command), err, terminal.Clean(problems.String()))
	}
	return out, nil
}
