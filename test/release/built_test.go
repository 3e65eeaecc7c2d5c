package release

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// version is that of the release under test.
const version = "1.2.3"

// A release of this platform: its checksums match, and the archive, the Debian package, npm's packages and
// the image each hold a working program (CO-1, CO-24).
func TestReleaseOfThisPlatform(t *testing.T) {
	proofs.NeedsFull(t, "it builds the programs")
	needs(t, "sha256sum", "tar")
	out := filepath.Join(t.TempDir(), "release")
	run(
		t, root,
		[]string{
			"VERSION=" + version, "OUT=" + out, "PLATFORMS=" + runtime.GOOS + "/" + runtime.GOARCH,
			"PROGRAMS=scaffoldwatch scaffoldwatch-hook",
		},
		"./deploy/release/build.sh",
	)
	run(t, out, nil, "sha256sum", "--check", "SHA256SUMS")
	t.Run("archive", func(t *testing.T) { archive(t, out) })
	t.Run("deb", func(t *testing.T) { deb(t, out) })
	t.Run("npm", func(t *testing.T) { npm(t, out) })
	t.Run("image", func(t *testing.T) { image(t, out) })
}

func archive(t *testing.T, out string) {
	name := "scaffoldwatch_" + version + "_" + runtime.GOOS + "_" + runtime.GOARCH
	folder := t.TempDir()
	run(t, folder, nil, "tar", "xzf", filepath.Join(out, name+".tar.gz"))
	folder = filepath.Join(folder, name)
	for _, file := range []string{"scaffoldwatch-hook", "LICENSE", "README"} {
		require.FileExists(t, filepath.Join(folder, file))
	}
	documented(t, filepath.Join(folder, "share"))
	require.Contains(t, run(t, folder, nil, "./scaffoldwatch", "--version"), "v"+version)
	if runtime.GOOS == "linux" {
		out, err := exec.CommandContext(t.Context(), "ldd", filepath.Join(folder, "scaffoldwatch")).CombinedOutput()
		require.Error(t, err, "it needs libraries of the machine: %s", out)
	}
	shown := run(t, folder, []string{"COMP_LINE=scaffoldwatch res"}, "./scaffoldwatch")
	require.ElementsMatch(
		t, []string{"rescue", "resume", "restore"}, strings.Fields(shown),
		"the completions of bash, zsh and fish call this, and sort the answers themselves",
	)
	var made struct {
		Components []struct{ Name, Version string }
	}
	data, err := os.ReadFile(filepath.Join(out, name+".sbom.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &made))
	require.Greater(t, len(made.Components), 20)
}

// go install at a version refuses a module that replaces others, and takes no C compiler (CO-24).
func TestGoInstallsWithoutACompiler(t *testing.T) {
	modules, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	require.NotRegexp(t, `(?m)^(replace|exclude)\b`, string(modules))
	proofs.NeedsFull(t, "it builds the programs without C")
	program, err := exec.LookPath("go")
	require.NoError(t, err)
	bin, empty := t.TempDir(), t.TempDir()
	command := exec.CommandContext(t.Context(), program, "install", "./cmd/scaffoldwatch", "./cmd/scaffoldwatch-hook")
	command.Dir, command.Env = root, []string{"PATH=" + empty, "GOFLAGS=-buildvcs=false", "GOBIN=" + bin}
	for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOPATH"} {
		if value, is := os.LookupEnv(name); is {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	home, folder := t.TempDir(), t.TempDir()
	recorded(t, home, folder)
	environment := []string{"HOME=" + home, "CLAUDE_CONFIG_DIR="}
	require.Contains(t, run(t, folder, environment, filepath.Join(bin, "scaffoldwatch"), "scan"), "Credential")
	require.NotEmpty(t, run(t, folder, environment, filepath.Join(bin, "scaffoldwatch-hook"), "-version"))
}

// documented requires the manual page and the completions below a folder named share.
func documented(t *testing.T, share string) {
	t.Helper()
	for _, name := range []string{
		"bash-completion/completions/scaffoldwatch", "zsh/vendor-completions/_scaffoldwatch",
		"fish/vendor_completions.d/scaffoldwatch.fish",
	} {
		text, err := os.ReadFile(filepath.Join(share, name))
		require.NoError(t, err)
		require.NotContains(t, string(text), "/scaffoldwatch", "%s names the program where it was built", name)
	}
	run(t, share, nil, "bash", "-c", "source bash-completion/completions/scaffoldwatch && complete -p scaffoldwatch")
	pages, err := filepath.Glob(filepath.Join(share, "man/man1/scaffoldwatch.1*"))
	require.NoError(t, err)
	require.Len(t, pages, 1)
	if _, err := exec.LookPath("man"); err == nil {
		shown := run(t, share, []string{"MANWIDTH=80", "LC_ALL=C"}, "man", "--local-file", pages[0])
		require.Contains(t, shown, "scaffoldwatch - Watches")
	}
}

// deb is installed below a folder, where nothing else is.
func deb(t *testing.T, out string) {
	needs(t, "dpkg", "dpkg-deb")
	if os.Getuid() != 0 {
		t.Skip("dpkg installs as root")
	}
	there := t.TempDir()
	for _, folder := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		require.NoError(t, os.MkdirAll(filepath.Join(there, folder), 0o750))
	}
	require.NoError(t, os.WriteFile(filepath.Join(there, "var/lib/dpkg/status"), nil, 0o600))
	file := filepath.Join(out, fmt.Sprintf("scaffoldwatch_%s_%s.deb", version, runtime.GOARCH))
	run(t, out, nil, "dpkg", "--root="+there, "--log=/dev/null", "--install", file)
	status := run(t, out, nil, "dpkg", "--root="+there, "--status", "scaffoldwatch")
	require.Contains(t, status, "Status: install ok installed")
	documented(t, filepath.Join(there, "usr/share"))
	require.Contains(t, run(t, there, nil, filepath.Join(there, "usr/bin/scaffoldwatch"), "--version"), "v"+version)
	require.Contains(t, run(t, there, nil, filepath.Join(there, "usr/bin/scaffoldwatch-hook"), "-version"), "v"+version)
	run(t, out, nil, "dpkg", "--root="+there, "--log=/dev/null", "--remove", "scaffoldwatch")
	require.NoFileExists(t, filepath.Join(there, "usr/bin/scaffoldwatch"))
}

// npm installs the packages from their files; npx answers with the last session of a folder where nothing
// was set up (CO-9a).
func npm(t *testing.T, out string) {
	needs(t, "node", "npm", "script")
	folder, home := t.TempDir(), t.TempDir()
	environment := []string{"HOME=" + home, "CLAUDE_CONFIG_DIR=", "npm_config_update_notifier=false", "TERM=xterm"}
	packages, err := filepath.Glob(filepath.Join(out, "*.tgz"))
	require.NoError(t, err)
	require.Len(t, packages, 2)
	run(t, folder, environment, "npm", append([]string{"install", "--offline", "--no-audit", "--no-fund"}, packages...)...)
	var wrapper struct {
		OptionalDependencies map[string]string `json:"optionalDependencies"`
	}
	data, err := os.ReadFile(filepath.Join(folder, "node_modules/scaffoldwatch/package.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &wrapper))
	require.Len(t, wrapper.OptionalDependencies, 1, "a package for each platform of the release")
	bin := filepath.Join(folder, "node_modules", ".bin")
	require.Contains(t, run(t, folder, environment, filepath.Join(bin, "scaffoldwatch"), "--version"), "v"+version)
	require.Contains(t, run(t, folder, environment, filepath.Join(bin, "scaffoldwatch-hook"), "-version"), "v"+version)
	recorded(t, home, folder)
	shown := run(t, folder, environment, "script", "-qec", "npx --offline scaffoldwatch", "/dev/null")
	require.Contains(t, shown, "add a client for the payment provider")
	require.Contains(t, shown, "Credential")
	require.NotContains(t, shown, "planted")
}

// recorded writes a session of Claude Code in a folder, as it would be found in a person's home.
func recorded(t *testing.T, home, folder string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(folder)
	require.NoError(t, err)
	line := func(kind, id, parent string, second int, message string) string {
		return fmt.Sprintf(
			`{"type":%q,"sessionId":"s-1","uuid":%q,"parentUuid":%q,"isSidechain":false,"cwd":%q,`+
				`"timestamp":"2026-03-02T09:00:%02dZ","message":%s}`,
			kind, id, parent, folder, second, message,
		) + "\n"
	}
	secret := "planted-" + "Zx81-Qwv7-Lk22"
	text := line("user", "u1", "", 0, `{"role":"user","content":"add a client for the payment provider"}`) +
		line("assistant", "u2", "u1", 5, fmt.Sprintf(
			`{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Write",`+
				`"input":{"file_path":%q,"content":"import requests\n\npassword = \"%s\"\n"}}]}`,
			filepath.Join(folder, "pay", "client.py"), secret,
		)) +
		line("user", "u3", "u2", 6,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"File created"}]}`)
	slug := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(folder)
	path := filepath.Join(home, ".claude", "projects", slug, "s-1.jsonl")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}
