package git

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/githook"
)

type settings = config.Config

// installed returns the settings that the hooks were installed with.
func installed(r *cli.Call, i *githook.Installation) (settings, error) {
	flags := map[string]string{}
	if i.Server != "" {
		flags["nats.url"] = i.Server
	}
	c, err := cli.LoadConfig(cmp.Or(r.Config, i.Config), flags)
	if err != nil {
		return c, cli.Usage(err)
	}
	return c, nil
}

// gitHookRun is the command that an installed hook calls. It never stops Git, except for a commit to main
// (WP-4). The script then runs the hook that it replaced.
type gitHookRun struct {
	Name string   `arg:"" help:"Name of the hook."`
	Args []string `arg:"" optional:"" passthrough:"" help:"Arguments from Git."`
}

// Run handles the hook.
func (c *gitHookRun) Run(r *cli.Call) error {
	if len(c.Args) > 0 && c.Args[0] == "--" {
		c.Args = c.Args[1:]
	}
	dir, err := os.Getwd()
	if err != nil {
		return c.unable(r, fmt.Errorf("find the worktree: %w", err))
	}
	repo, err := githook.Open(r, dir)
	if err != nil {
		return c.unable(r, err)
	}
	i, err := repo.Installation()
	if errors.Is(err, githook.ErrNotInstalled) { // the script outlived the installation
		fmt.Fprintf(r.Stderr, "scaffoldwatch: %v; delete what is left of them in %s\n", err, repo.Hooks)
		return nil
	}
	if err != nil {
		return c.unable(r, err)
	}
	facts, blocked, err := githook.Hook(r, repo, i, githook.Call{Name: c.Name, Args: c.Args, Dir: repo.Dir, Err: r.Stderr, Getenv: os.Getenv})
	if err != nil {
		fmt.Fprintln(r.Stderr, "scaffoldwatch:", err)
	}
	if settings, err := installed(r, i); err != nil {
		fmt.Fprintln(r.Stderr, "scaffoldwatch: facts of this hook wait in the repository:", errors.Join(err, githook.KeepFacts(r, repo.Spool(), facts)))
	} else if _, err := githook.SendFacts(r, settings, repo.Spool(), facts, factPatience); err != nil {
		fmt.Fprintln(r.Stderr, "scaffoldwatch: facts of this hook were not published:", err)
	}
	if blocked {
		return errBlocked
	}
	if err := noteCommits(repo, i, facts); err != nil {
		fmt.Fprintln(r.Stderr, "scaffoldwatch: a commit gets no attestation:", err)
	}
	return nil
}

// errBlocked fails a hook that guards main; the reason was already printed.
var errBlocked = errors.New("commit refused")

// unable lets Git continue after a failure, unless main has to be protected.
func (c *gitHookRun) unable(r *cli.Call, err error) error {
	if strings.HasPrefix(c.Name, "pre-") {
		return fmt.Errorf("main cannot be guarded: %w", err)
	}
	fmt.Fprintln(r.Stderr, "scaffoldwatch:", err)
	return nil
}
