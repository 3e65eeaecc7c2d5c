package githook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
)

// TestMain lets hooks that tests install run this very binary, which does what the command does and writes
// the facts into a file of the repository. Git is isolated from the settings of the person who runs the
// tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "git-hook" {
		os.Exit(asHook(os.Args[3], os.Args[5:]))
	}
	home, err := os.MkdirTemp("", "githook-home-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, name := range gitrun.Placing() {
		_ = os.Unsetenv(name)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true",
		"GIT_AUTHOR_NAME": "", AgentVariable: "", AllowVariable: "",
	} {
		_ = os.Unsetenv(name)
		if value != "" {
			_ = os.Setenv(name, value)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

const toldInTests = "told-in-tests"

func asHook(name string, args []string) int {
	ctx := context.Background()
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	r, err := Open(ctx, dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "open:", err)
		return 1
	}
	i, err := r.Installation()
	if err != nil {
		fmt.Fprintln(os.Stderr, "installation:", err)
		return 1
	}
	facts, blocked, err := Hook(ctx, r, i, Call{Name: name, Args: args, Dir: r.Dir, Err: os.Stderr, Getenv: os.Getenv})
	lines := told(facts)
	if err != nil {
		lines = append(lines, "error: "+err.Error())
	}
	if len(lines) > 0 {
		file, err := os.OpenFile(filepath.Join(r.Common, toldInTests), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		_, _ = file.WriteString(strings.Join(lines, "\x00") + "\x00")
		_ = file.Close()
	}
	if blocked {
		return 1
	}
	return 0
}
