package git

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/githook"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
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

// noteWait is how long an attestation waits until the fact of its commit is recorded.
const noteWait = "1m"

// noteCommits starts a process for each commit that adds an attestation as a Git note (AU-30). Git does not
// wait for it; its output is in the repository's attest.log.
func noteCommits(repo *githook.Repository, i *githook.Installation, facts []events.Event) error {
	if !i.Attest {
		return nil
	}
	var failed error
	for _, fact := range facts {
		if d, is := fact.Data.(*runevents.GitCommit); is && d.SHA != "" && !d.Blocked {
			failed = errors.Join(failed, noteCommit(repo, i, d.SHA))
		}
	}
	return failed
}

func noteCommit(repo *githook.Repository, i *githook.Installation, sha string) error {
	log, err := os.OpenFile(filepath.Join(filepath.Dir(repo.Spool()), "attest.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the log of attestations: %w", err)
	}
	defer log.Close()
	args := []string{"attest", "--commit", sha, "--repo", repo.Dir, "--note", "--wait", noteWait}
	if i.Config != "" {
		args = append([]string{"--config", i.Config}, args...)
	}
	if i.Server != "" {
		args = append(args, "--server", i.Server)
	}
	cmd := exec.Command(i.Binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = repo.Dir, log, log
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the attestation of %.12s: %w", sha, err)
	}
	return cmd.Process.Release()
}
