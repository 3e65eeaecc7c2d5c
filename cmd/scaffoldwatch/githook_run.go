package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/githook"
)

type settings = config.Config

// installed are the settings that the hooks were installed with.
func installed(r *run, i *githook.Installation) (settings, error) {
	flags := map[string]string{}
	if i.Server != "" {
		flags["nats.url"] = i.Server
	}
	c, err := loadConfig(orElse(r.config, i.Config), flags)
	if err != nil {
		return c, usageError{err}
	}
	return c, nil
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// gitHookRun is what a hook calls. It goes on with the hook that was there before,
// and never keeps Git from working but for a commit to main (WP-4).
type gitHookRun struct {
	Name string   `arg:"" help:"Name of the hook."`
	Args []string `arg:"" optional:"" passthrough:"" help:"What Git gives it."`
}

// Run does what the hook is for.
func (c *gitHookRun) Run(r *run) error {
	if len(c.Args) > 0 && c.Args[0] == "--" {
		c.Args = c.Args[1:]
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the worktree: %w", err)
	}
	repo, err := githook.Open(r, dir)
	if err != nil {
		return c.unable(r, err)
	}
	i, err := repo.Installation()
	if err != nil {
		return c.unable(r, err)
	}
	facts, blocked, err := githook.Hook(r, repo, i, githook.Call{Name: c.Name, Args: c.Args, Dir: repo.Dir, Err: r.err, Getenv: os.Getenv})
	if err != nil {
		fmt.Fprintln(r.err, "scaffoldwatch:", err)
	}
	if settings, err := installed(r, i); err != nil {
		fmt.Fprintln(r.err, "scaffoldwatch: facts of this hook are not told:", err)
	} else if _, err := app.SendFacts(r, settings, repo.Spool(), facts, factPatience); err != nil {
		fmt.Fprintln(r.err, "scaffoldwatch: facts of this hook are not told:", err)
	}
	if blocked {
		return errBlocked
	}
	return before(r, repo, c.Name, c.Args)
}

// errBlocked ends pre-commit; what it says was said.
var errBlocked = errors.New("commit refused")

// unable lets Git go on but where main has to be kept.
func (c *gitHookRun) unable(r *run, err error) error {
	if c.Name == "pre-commit" {
		return fmt.Errorf("main cannot be guarded: %w", err)
	}
	fmt.Fprintln(r.err, "scaffoldwatch:", err)
	return nil
}

// before runs the hook that was there before, as Git would have.
func before(ctx context.Context, repo *githook.Repository, name string, args []string) error {
	path := repo.Before(name)
	if path == "" {
		return nil
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the hook %s: %w", path, err)
	}
	return nil
}
