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
	"slices"
	"strconv"
	"strings"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
)

// hookPatience limits how long a hook may take to answer the doctor.
const hookPatience = 5 * time.Second

// agentHooks says of each agent whose settings are on this machine whether its hooks call us, by a
// program that is there and answers (GD-22), from its settings or from our plugin. It returns the systems
// on other machines that hooks call.
func agentHooks(check *checkup) (remote []string) {
	used := false
	for _, name := range agents.Settings().Names() {
		found, err := Installed(name)
		used = used || found.Exists || found.Used || found.Plugin != ""
		if hookclient.Remote(found.URL) && !slices.Contains(remote, found.URL) {
			remote = append(remote, found.URL)
		}
		switch {
		case err != nil:
			check.line(false, name, "%v", err)
		case found.Plugin != "":
			pluginHooks(check, name, &found)
		case !found.Exists && !found.Used:
		case found.Command == "":
			check.line(true, name, "no hooks: scaffoldwatch install --agent %s", name)
		default:
			ownHooks(check, name, &found)
		}
	}
	if !used {
		check.line(true, "agents", "none with hooks is used here; scaffoldwatch install --agent NAME guards one")
	}
	return remote
}

// accepted returns why the system that an agent's hooks call does not take their calls, "" if it does. One
// on this machine need not run: the guard then works alone.
func accepted(check *checkup, name, to string) string {
	dialect, err := agents.Hooks().Named(name)
	if err != nil {
		return err.Error()
	}
	err = hookclient.Call{Agent: dialect, URL: to, Timeout: hookPatience}.Accepted(check)
	if err == nil || errors.Is(err, hookclient.ErrSilent) && !hookclient.Remote(to) {
		return ""
	}
	return err.Error()
}

// ownHooks says of hooks in an agent's settings whether they work.
func ownHooks(check *checkup, name string, found *install.Installed) {
	version, err := answers(found.Program)
	if err != nil {
		check.line(false, name, "%s: %v; scaffoldwatch install --agent %s", terminal.Clean(found.Path), err, name)
		return
	}
	untrusted, err := Unapproved(name, found)
	switch {
	case err != nil:
		check.line(false, name, "%v", err)
	case len(untrusted) > 0:
		check.line(false, name, "%d of %d hooks are not trusted by the agent, which does not run them: start it and approve them with /hooks", len(untrusted), len(found.Events))
	default:
		if why := accepted(check, name, found.URL); why != "" {
			check.line(false, name, "the guard works, but its calls are not recorded by %s: %s",
				terminal.Clean(found.URL), terminal.Clean(why))
			return
		}
		check.line(true, name, "%s, %s, %s; try it: scaffoldwatch doctor --test %s", text.Count(len(found.Events), "hook"), version, lastHeard(name, time.Now()), name)
	}
}

// pluginHooks says of the hooks of our plugin whether they find their program.
func pluginHooks(check *checkup, name string, found *install.Installed) {
	plugin := terminal.Clean(found.Plugin)
	if found.Command != "" {
		check.line(false, name, "the plugin %s and hooks in %s are both on, so each turn is told twice: scaffoldwatch uninstall --agent %s", plugin, terminal.Clean(found.Path), name)
		return
	}
	program := pluginProgram()
	if program == "" {
		check.line(false, name, "the plugin %s is on, and its hooks do not find %s: npm install -g scaffoldwatch", plugin, hookProgram)
		return
	}
	version, err := answers(program)
	if err != nil {
		check.line(false, name, "the plugin %s: %v", plugin, err)
		return
	}
	check.line(true, name, "by the plugin %s, %s, %s", plugin, version, lastHeard(name, time.Now()))
}

// hookProgram is what the plugins run.
const hookProgram = "scaffoldwatch-hook"

// pluginProgram is the program that the plugins find, as their hook.sh looks for it; "" for none.
func pluginProgram() string {
	if found, err := exec.LookPath(hookProgram); err == nil {
		if path, err := filepath.Abs(found); err == nil {
			return path
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	for _, folder := range []string{
		filepath.Join(home, ".local", "bin"), filepath.Join(home, "go", "bin"), "/usr/local/bin", "/opt/homebrew/bin",
		filepath.Join(home, ".npm-global", "bin"),
	} {
		path := filepath.Join(folder, hookProgram)
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o111 != 0 && !info.IsDir() {
			return path
		}
	}
	return ""
}

// plugins say of an agent with a marketplace whether the person installed our plugin.
var plugins = map[string]func(file string) (string, error){
	claudecode.Name: claudecode.EnabledPlugin, codex.Name: codex.EnabledPlugin,
}

// trust says of an agent that asks for it which hooks the person has not approved.
var trust = map[string]func(file string, events []string) ([]string, error){codex.Name: codex.Untrusted}

// Unapproved returns the hooks of ours that an agent does not run, since no person has trusted them.
func Unapproved(agent string, found *install.Installed) ([]string, error) {
	if untrusted := trust[agent]; untrusted != nil {
		return untrusted(found.Path, found.Events)
	}
	return nil, nil
}

// lastHeard returns when an agent last called its hook.
func lastHeard(agent string, now time.Time) string {
	at := hookclient.Heard(hookclient.Folder(), agent)
	switch ago := now.Sub(at); {
	case at.IsZero():
		return "no call yet"
	case ago < 2*time.Minute:
		return "last call just now"
	case ago < 2*time.Hour:
		return fmt.Sprintf("last call %d minutes ago", int(ago.Minutes()))
	default:
		return "last call " + at.Format("2006-01-02 15:04")
	}
}

// Installed returns which of our hooks are in this person's settings of an agent.
func Installed(agent string) (install.Installed, error) {
	settings, err := agents.Settings().Named(agent)
	if err != nil {
		return install.Installed{}, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return install.Installed{}, fmt.Errorf("find the settings of %s: %w", agent, err)
	}
	found, err := install.Plan{Settings: settings, Scope: install.ScopeUser, Home: home, Environment: os.Getenv}.Installed()
	if enabled := plugins[agent]; enabled != nil && err == nil {
		found.Plugin, err = enabled(found.Path)
	}
	return found, err
}

// answers returns the version that a hook's program prints; the error says why it cannot be run from
// everywhere that the agent may start.
func answers(program string) (string, error) {
	if !filepath.IsAbs(program) {
		return "", fmt.Errorf("the hooks run %s by its name, which an IDE or a service with another PATH cannot find", terminal.Clean(program))
	}
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("the hooks run %s, which does not exist", terminal.Clean(program))
	}
	ctx, cancel := context.WithTimeout(context.Background(), hookPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "--version").Output() //nolint:gosec // what the agent runs at each step
	if err != nil {
		return "", fmt.Errorf("%s does not answer: %w", terminal.Clean(program), err)
	}
	return terminal.Clean(strings.TrimSpace(string(out))), nil
}

// testHook passes a planted `git reset --hard` in a temporary repository with uncommitted work to the
// command in the agent's settings, and expects a denial. Nothing is executed.
func testHook(check *checkup, agent string) {
	found, err := Installed(agent)
	if err == nil && found.Command == "" && found.Plugin != "" {
		found.Command = pluginProgram() + " --agent " + agent
	}
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

var errNotDenied = errors.New("a planted git reset --hard was not denied")

// planted returns nil if a hook's command denies the call.
func planted(command, agent string) error {
	dir, err := os.MkdirTemp("", "scaffoldwatch-doctor-")
	if err != nil {
		return fmt.Errorf("create a repository: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, args := range [][]string{
		{"init", "-q"}, {"-c", "user.name=doctor", "-c", "user.email=doctor@localhost", "-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "-m", "planted"},
	} {
		git := exec.Command("git", args...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("create a repository: %w: %s", err, bytes.TrimSpace(out))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "work.txt"), []byte("not committed\n"), 0o600); err != nil {
		return fmt.Errorf("create a repository: %w", err)
	}
	add := exec.Command("git", "add", "work.txt")
	add.Dir = dir
	if out, err := add.CombinedOutput(); err != nil {
		return fmt.Errorf("create a repository: %w: %s", err, bytes.TrimSpace(out))
	}
	session := prevented.TestSession + strconv.FormatInt(time.Now().UnixNano(), 10)
	begin, before, end := beginnings[agent].begin, beginnings[agent].before, beginnings[agent].end
	if before == "" {
		return errors.New("it has no hook that asks before a tool runs")
	}
	if _, err := call(command, dir, map[string]any{"session_id": session, "conversation_id": session, "cwd": dir, "workspace_roots": []string{dir}, "hook_event_name": begin, "source": "startup", "prompt": "Fix the totals."}); err != nil {
		return err
	}
	defer func() { // so that the lists of a system show no session that goes on for ever
		_, _ = call(command, dir, map[string]any{
			"session_id": session, "conversation_id": session, "cwd": dir, "workspace_roots": []string{dir},
			"hook_event_name": end, "reason": "other",
		})
	}()
	// The first call is inspecting the worktree meanwhile, which takes as long as Git does on a busy machine;
	// until then the file is of an unknown author, and the call is only warned about.
	for until := time.Now().Add(plantedPatience); ; time.Sleep(plantedPause) {
		out, err := call(command, dir, map[string]any{
			"session_id": session, "conversation_id": session, "cwd": dir, "workspace_roots": []string{dir},
			"hook_event_name": before,
			"tool_name":       "Bash", "tool_use_id": prevented.TestCall,
			"tool_input": map[string]any{"command": prevented.TestCommand}, "command": prevented.TestCommand,
		})
		if err != nil {
			return err
		}
		if bytes.Contains(out, []byte(`"deny"`)) || bytes.Contains(out, []byte(`"block"`)) {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("%w: the hook answered %q", errNotDenied, terminal.Clean(string(bytes.TrimSpace(out))))
		}
	}
}

// plantedPatience is how long the planted call is repeated until it is denied.
const (
	plantedPatience = 15 * time.Second
	plantedPause    = 500 * time.Millisecond
)

// beginnings are, for each agent, the hooks that begin a session, that ask before a tool, and that end it.
var beginnings = map[string]struct{ begin, before, end string }{
	"claude-code": {"SessionStart", "PreToolUse", "SessionEnd"},
	"codex":       {"SessionStart", "PreToolUse", "SessionEnd"},
	"copilot":     {"SessionStart", "PreToolUse", "SessionEnd"},
	"opencode":    {"SessionStart", "PreToolUse", "SessionEnd"},
	"gemini":      {"SessionStart", "BeforeTool", "SessionEnd"},
	"cursor":      {"sessionStart", "preToolUse", "sessionEnd"},
}

// call runs the command of a hook the way an agent does.
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
