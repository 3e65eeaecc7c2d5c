package install_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tailscale/hujson"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
)

func planFor(t *testing.T, name string) install.Plan {
	return install.Plan{
		Settings: named(t, name), Scope: install.ScopeUser, Home: t.TempDir(), Environment: func(string) string { return "" },
		URL: install.DefaultURL, Program: "scaffoldwatch",
	}
}

// named returns the settings of an agent.
func named(t *testing.T, agent string) *install.Settings {
	t.Helper()
	s, err := all.Settings().Named(agent)
	require.NoError(t, err)
	return s
}

func fileFor(t *testing.T, p install.Plan) string {
	t.Helper()
	path, err := p.File()
	require.NoError(t, err)
	return path
}

// put writes the settings a person had.
func put(t *testing.T, p install.Plan, text string) string {
	t.Helper()
	path := fileFor(t, p)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o640))
	return path
}

func installed(t *testing.T, p install.Plan) install.Change {
	t.Helper()
	c, err := p.Install()
	require.NoError(t, err)
	require.NoError(t, c.Apply())
	return c
}

func uninstalled(t *testing.T, p install.Plan) install.Change {
	t.Helper()
	c, err := p.Uninstall()
	require.NoError(t, err)
	require.NoError(t, c.Apply())
	return c
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// settings reads a file as an agent does.
func settings(t *testing.T, path string) map[string]any {
	t.Helper()
	plain, err := hujson.Standardize([]byte(strings.TrimPrefix(content(t, path), "\ufeff")))
	require.NoError(t, err)
	var into map[string]any
	require.NoError(t, json.Unmarshal(plain, &into))
	return into
}

// settingsFiles are the agents whose hooks are entries of a settings file, not a file of ours.
func settingsFiles() (names []string) {
	for _, s := range all.Settings() {
		if s.Module == "" {
			names = append(names, s.Agent)
		}
	}
	return names
}

// previous are files people have; each comes back byte by byte.
var previous = map[string]string{
	"empty file":      "",
	"empty object":    "{}",
	"one line":        `{"model":"x","permissions":{"allow":["Bash(ls)"]}}`,
	"two spaces":      "{\n  \"model\": \"x\",\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n",
	"tabs":            "{\n\t\"model\": \"x\"\n}\n",
	"windows":         "\ufeff{\r\n    \"model\": \"x\"\r\n}\r\n",
	"comments":        "// mine\n{\n  // which model\n  \"model\": \"x\", /* good */\n  \"n\": 1 // last\n  // end\n}\n// after\n",
	"trailing commas": "{\n  \"hooks\": {\"Other\": [],},\n  \"model\": \"x\",\n}\n",
	"empty hooks":     "{\n  \"hooks\": {},\n  \"model\": \"x\"\n}\n",
	"odd spacing":     "{ \"model\" :\"x\" ,\n\n\n \"z\":[1,2 ,3 ] }",
	"escapes":         `{"a<b>&":"\u00e9 ‹é› \/ \"","n":1.50}`,
}

// foreign returns hooks of others, in the layout of the agent.
func foreign(name string) string {
	if name == "cursor" || name == "copilot" {
		return `{
  "version": 1,
  "hooks": {
    "postToolUse": [
      { "command": "./format.sh", "timeout": 9 } // ours
    ],
    "beforeReadFile": [{"command": "scan"}]
  }
}
`
	}
	return `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "lint --all" }] // ours
      }
    ],
    "Notification": [{"hooks": [{"type": "command", "command": "say done"}]}]
  },
  "model": "x"
}
`
}

func TestInstallThenUninstallGivesTheFileBack(t *testing.T) {
	for _, name := range settingsFiles() {
		files := map[string]string{"foreign hooks": foreign(name)}
		for title, text := range previous {
			files[title] = text
		}
		for title, text := range files {
			t.Run(name+"/"+title, func(t *testing.T) {
				p := planFor(t, name)
				path := put(t, p, text)
				c := installed(t, p)
				require.Equal(t, path+install.BackupSuffix, c.Backup)
				require.Equal(t, text, content(t, c.Backup))
				written := content(t, path)
				require.NotEqual(t, text, written)
				requireHooks(t, p, settings(t, path))

				again := installed(t, p)
				require.True(t, again.Empty(), "%s", again.Diff())
				require.Equal(t, written, content(t, path))

				back := uninstalled(t, p)
				require.Equal(t, path+install.BackupSuffix, back.Restored)
				require.Equal(t, text, content(t, path))
				require.NoFileExists(t, path+install.BackupSuffix)
				info, err := os.Stat(path)
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
				require.True(t, uninstalled(t, p).Empty())
			})
		}
	}
}

// requireHooks wants one handler of ours for each event.
func requireHooks(t *testing.T, p install.Plan, file map[string]any) {
	t.Helper()
	hooks, ok := file["hooks"].(map[string]any)
	require.True(t, ok)
	for _, event := range p.Settings.Hooks {
		list, err := json.Marshal(hooks[event])
		require.NoError(t, err)
		ours := strings.Count(string(list), "hook --agent "+p.Settings.Agent) + strings.Count(string(list), "/v1/hooks/"+p.Settings.Agent)
		require.Equal(t, 1, ours, "%s: %s", event, list)
	}
}

func TestForeignHooksAndCommentsStay(t *testing.T) {
	for _, name := range settingsFiles() {
		p := planFor(t, name)
		path := put(t, p, foreign(name))
		installed(t, p)
		for _, line := range strings.Split(strings.TrimSpace(foreign(name)), "\n") {
			line, comment, _ := strings.Cut(line, " //")
			require.Contains(t, content(t, path), strings.TrimRight(strings.TrimSpace(line), ",]"), name)
			require.Contains(t, content(t, path), comment, name)
		}
	}
}

func TestNewFileGoesAgain(t *testing.T) {
	for _, name := range settingsFiles() {
		p := planFor(t, name)
		path := fileFor(t, p)
		c := installed(t, p)
		require.False(t, c.Existed)
		require.Empty(t, c.Backup)
		require.Contains(t, c.Diff(), "--- "+os.DevNull)
		requireHooks(t, p, settings(t, path))
		require.True(t, uninstalled(t, p).Remove)
		require.NoFileExists(t, path)
	}
}

func TestWhatIsWritten(t *testing.T) {
	p := planFor(t, "claude-code")
	p.URL, p.Client = "http://127.0.0.1:9999", "/opt/my tools/scaffoldwatch-hook"
	installed(t, p)
	require.Contains(t, content(t, fileFor(t, p)), `    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "'/opt/my tools/scaffoldwatch-hook' --agent claude-code --url http://127.0.0.1:9999",
            "timeout": 5
          }
        ]
      }
    ],
`)
	require.NotContains(t, content(t, fileFor(t, p)), `"http"`, "Claude Code prints an error per call of an HTTP hook that nobody answers")
	require.True(t, uninstalled(t, p).Remove)
	g := planFor(t, "gemini")
	installed(t, g)
	require.Contains(t, content(t, fileFor(t, g)), `          {
            "type": "command",
            "name": "scaffoldwatch",
            "command": "scaffoldwatch hook --agent gemini",
            "timeout": 5000
          }`)
	c := planFor(t, "cursor")
	installed(t, c)
	require.True(t, strings.HasPrefix(content(t, fileFor(t, c)), `{
  "version": 1,
  "hooks": {
    "sessionStart": [
      {
        "command": "scaffoldwatch hook --agent cursor",
        "timeout": 5
      }
    ],
`), content(t, fileFor(t, c)))
}

func TestFailClosed(t *testing.T) {
	p := planFor(t, "claude-code")
	p.FailClosed = true
	installed(t, p)
	require.Contains(t, content(t, fileFor(t, p)), "hook --agent claude-code --fail-closed")
}

// Hooks of an earlier version, which called HTTP, are replaced and removed.
func TestHTTPHooksAreReplaced(t *testing.T) {
	p := planFor(t, "claude-code")
	path := put(t, p, `{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://127.0.0.1:8420/v1/hooks/claude-code","timeout":5}]}]}}`)
	installed(t, p)
	requireHooks(t, p, settings(t, path))
	require.NotContains(t, content(t, path), "/v1/hooks")
}

// Another address replaces the hooks and keeps the first backup.
func TestReplaced(t *testing.T) {
	p := planFor(t, "codex")
	path := put(t, p, foreign("codex"))
	installed(t, p)
	p.URL, p.Program = "https://watch.example:1", "/usr/local/bin/scaffoldwatch"
	c := installed(t, p)
	require.Empty(t, c.Backup)
	require.Equal(t, foreign("codex"), content(t, path+install.BackupSuffix))
	requireHooks(t, p, settings(t, path))
	require.NotContains(t, content(t, path), `"scaffoldwatch hook`)
	uninstalled(t, p)
	require.Equal(t, foreign("codex"), content(t, path))
}

// What a person changed after the installation stays.
func TestUninstallKeepsLaterChanges(t *testing.T) {
	p := planFor(t, "claude-code")
	path := put(t, p, foreign("claude-code"))
	installed(t, p)
	changed := strings.Replace(content(t, path), `"model": "x"`, `"model": "y"`, 1)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	c := uninstalled(t, p)
	require.Empty(t, c.Restored)
	require.Equal(t, path+install.BackupSuffix, c.Kept)
	require.Equal(t, strings.Replace(foreign("claude-code"), `"x"`, `"y"`, 1), content(t, path))
}

// A handler of ours that was moved into somebody's group goes alone.
func TestUninstallFromASharedGroup(t *testing.T) {
	p := planFor(t, "codex")
	path := put(t, p, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"beep"},{"type":"command","command":"\"/a b/scaffoldwatch\" hook --agent codex"}]}]}}`)
	uninstalled(t, p)
	require.JSONEq(t, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"beep"}]}]}}`, content(t, path))
}

// Hooks of ours for another agent, and of programs named alike, are not ours.
func TestNotOurs(t *testing.T) {
	for _, command := range []string{
		"scaffoldwatch hook --agent gemini", "scaffoldwatch report", "other hook --agent codex",
		"scaffoldwatch/run hook --agent codex", "echo scaffoldwatch; run hook --agent codex",
	} {
		p := planFor(t, "codex")
		put(t, p, fmt.Sprintf(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":%q}]}]}}`, command))
		require.True(t, uninstalled(t, p).Empty(), command)
	}
	p := planFor(t, "claude-code")
	put(t, p, `{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://other/v1/hooks/claude-code-2"},{"type":"http","url":":"}]}]}}`)
	require.True(t, uninstalled(t, p).Empty())
}

func TestRefused(t *testing.T) {
	cases := map[string][2]string{
		"no JSON":        {`{"a": `, "is not valid JSON"},
		"a list":         {`[]`, "must contain settings between { and }"},
		"hooks a list":   {`{"hooks": []}`, "hooks must contain settings between { and }"},
		"event a text":   {`{"hooks": {"PreToolUse": "x"}}`, "hooks.PreToolUse must be a list"},
		"hooks twice":    {`{"hooks": {}, "hooks": {}}`, "hooks appears twice"},
		"an event twice": {`{"hooks": {"Stop": [], "Stop": []}}`, "hooks.Stop appears twice"},
		"no text":        {"\xff\xfe{", "is not UTF-8"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := planFor(t, "codex")
			path := put(t, p, c[0])
			_, err := p.Install()
			require.ErrorContains(t, err, c[1])
			require.ErrorContains(t, err, path)
			require.Equal(t, c[0], content(t, path))
			require.NoFileExists(t, path+install.BackupSuffix)
		})
	}
}

func TestWrongPlans(t *testing.T) {
	_, err := all.Settings().Named("emacs")
	require.ErrorContains(t, err, "there are claude-code, codex, copilot, gemini, opencode, cursor")
	for _, address := range []string{"", "127.0.0.1:8420", "nats://127.0.0.1:4222", "http://h/v1", "http://u:p@h", "http://h?x=1"} {
		p := planFor(t, "codex")
		p.URL = address
		_, err = p.Install()
		require.ErrorContains(t, err, "is not an address of a system", address)
	}
	p := planFor(t, "codex")
	p.Program = "/usr/bin/watcher"
	_, err = p.Install()
	require.ErrorContains(t, err, "must begin with scaffoldwatch")
	p = planFor(t, "codex")
	p.Home = ""
	_, err = p.Install()
	require.ErrorContains(t, err, "no home directory is known")
}

func TestWhere(t *testing.T) {
	p := planFor(t, "claude-code")
	p.Home, p.Directory = "/home/ada", "/src/shop"
	for name, want := range map[string][2]string{
		"claude-code": {"/home/ada/.claude/settings.json", "/src/shop/.claude/settings.json"},
		"codex":       {"/home/ada/.codex/hooks.json", "/src/shop/.codex/hooks.json"},
		"gemini":      {"/home/ada/.gemini/settings.json", "/src/shop/.gemini/settings.json"},
		"cursor":      {"/home/ada/.cursor/hooks.json", "/src/shop/.cursor/hooks.json"},
		"copilot": {
			"/home/ada/.copilot/hooks/scaffoldwatch.json", "/src/shop/.github/hooks/scaffoldwatch.json",
		},
	} {
		p.Settings, p.Scope = named(t, name), install.ScopeUser
		require.Equal(t, filepath.FromSlash(want[0]), fileFor(t, p))
		p.Scope = install.ScopeProject
		require.Equal(t, filepath.FromSlash(want[1]), fileFor(t, p))
	}
	p.Scope, p.Environment = install.ScopeUser, func(name string) string {
		return map[string]string{
			"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "GEMINI_CLI_HOME": "/g",
			"COPILOT_HOME": "/o",
		}[name]
	}
	for name, want := range map[string]string{
		"claude-code": "/c/settings.json", "codex": "/x/hooks.json", "gemini": "/g/.gemini/settings.json",
		"copilot": "/o/hooks/scaffoldwatch.json",
	} {
		p.Settings = named(t, name)
		require.Equal(t, filepath.FromSlash(want), fileFor(t, p))
	}
}

// A link to a file elsewhere stays a link.
func TestLink(t *testing.T) {
	p := planFor(t, "gemini")
	elsewhere := filepath.Join(t.TempDir(), "dotfiles.json")
	require.NoError(t, os.WriteFile(elsewhere, []byte("{}\n"), 0o600))
	path := fileFor(t, p)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.Symlink(elsewhere, path))
	c := installed(t, p)
	require.Equal(t, "dotfiles.json", filepath.Base(c.Path))
	requireHooks(t, p, settings(t, elsewhere))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	uninstalled(t, p)
	require.Equal(t, "{}\n", content(t, elsewhere))
}

func TestChangedMeanwhile(t *testing.T) {
	p := planFor(t, "codex")
	path := put(t, p, "{}")
	c, err := p.Install()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(`{"hooks":{}}`), 0o600))
	require.ErrorIs(t, c.Apply(), install.ErrChanged)
	require.Equal(t, `{"hooks":{}}`, content(t, path))
}

func TestNotes(t *testing.T) {
	p := planFor(t, "gemini")
	put(t, p, `{"hooksConfig": {"enabled": false}}`)
	p.Token = true
	c := installed(t, p)
	require.Len(t, c.Notes, 2)
	require.Contains(t, c.Notes[0], "hooksConfig.enabled is false")
	require.Contains(t, c.Notes[1], "SCAFFOLDWATCH_HOOK_TOKEN")
	require.Contains(t, installed(t, planFor(t, "codex")).Notes[0], "/hooks")
	require.Empty(t, installed(t, planFor(t, "cursor")).Notes)
}

// Whatever the file holds: no panic; what is accepted stays readable, holds our
// hooks once, and comes back as it was.
func FuzzInstall(f *testing.F) {
	for _, text := range previous {
		f.Add(text, 0)
	}
	for i, name := range all.Settings().Names() {
		f.Add(foreign(name), i)
	}
	f.Add(`{"hooks":{"Stop":[{"hooks":[]},{"hooks":1},2,null]}}`, 1)
	f.Add("{\n\"\":[0] }", 2)
	f.Fuzz(func(t *testing.T, text string, which int) {
		agents := settingsFiles()
		p := planFor(t, agents[uint(which)%uint(len(agents))])
		path := put(t, p, text)
		c, err := p.Install()
		if err != nil {
			require.Equal(t, text, content(t, path))
			return
		}
		had, err := p.Settings.Count([]byte(text))
		require.NoError(t, err)
		require.NoError(t, c.Apply())
		count, err := p.Settings.Count([]byte(content(t, path)))
		require.NoError(t, err)
		require.Len(t, p.Settings.Hooks, count)
		again, err := p.Install()
		require.NoError(t, err)
		require.True(t, again.Empty())
		uninstalled(t, p)
		if had == 0 {
			require.Equal(t, text, content(t, path))
		}
	})
}

// A repository's links do not choose which file of a person is changed.
func TestAProjectsLinksLeadNowhereElse(t *testing.T) {
	for name, link := range map[string]func(project, outside string) error{
		"the file": func(p, o string) error {
			return os.Symlink(filepath.Join(o, "settings.json"), filepath.Join(p, ".claude", "settings.json"))
		},
		"the folder": func(p, o string) error {
			return errors.Join(os.Remove(filepath.Join(p, ".claude")), os.Symlink(o, filepath.Join(p, ".claude")))
		},
	} {
		for _, content := range []string{"{}", ""} {
			project, outside := t.TempDir(), t.TempDir()
			target := filepath.Join(outside, "settings.json")
			if content != "" || name == "the file" {
				require.NoError(t, os.WriteFile(target, []byte(content), 0o600))
			}
			require.NoError(t, os.Mkdir(filepath.Join(project, ".claude"), 0o700))
			require.NoError(t, link(project, outside))
			plan := install.Plan{Settings: named(t, "claude-code"), Scope: install.ScopeProject, Directory: project, Environment: os.Getenv, URL: install.DefaultURL, Program: "scaffoldwatch"}
			_, err := plan.Install()
			require.ErrorContains(t, err, "is outside of the project", name)
			_, err = plan.Uninstall()
			require.ErrorContains(t, err, "is outside of the project", name)
		}
	}
}

func TestTheAddressHoldsNoPassword(t *testing.T) { // SW-7
	password := "pass" + "word-71"
	err := install.CheckURL("http://ann:" + password + "@127.0.0.1:8420")
	require.ErrorContains(t, err, "SCAFFOLDWATCH_HOOK_TOKEN")
	require.NotContains(t, err.Error(), password)
}
