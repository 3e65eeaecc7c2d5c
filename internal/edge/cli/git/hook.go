// Package git holds the commands that Git hooks call, and that install them.
package git

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/githook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// factPatience is how long Git, and so a person, waits for a broker at most.
const (
	factPatience   = 400 * time.Millisecond
	personPatience = 3 * time.Second
)

// Hook groups the commands about infrastructure in a repository (WP-4, WP-18).
type Hook struct {
	Install gitHookInstall `cmd:"" help:"Install a run's Git hooks in a repository."`
	Remove  gitHookRemove  `cmd:"" help:"Remove the Git hooks and restore what was there before."`
	Count   gitHookCount   `cmd:"" help:"Report the commits on the agents' branches before a merge is requested."`
	Run     gitHookRun     `cmd:"" hidden:"" help:"Run as a Git hook. Git calls this; you don't."`
}

// repository selects where a command works.
type repository struct {
	Repo string `help:"Folder of the Git repository." type:"existingdir" default:"."`
}

// installed returns the repository and what was installed in it.
func (c repository) installed(r *cli.Call) (*githook.Repository, *githook.Installation, error) {
	repo, err := githook.Open(r, c.Repo)
	if err != nil {
		return nil, nil, err
	}
	i, err := repo.Installation()
	return repo, i, err
}

type gitHookInstall struct {
	cli.Connection
	repository
	InRun  string `name:"run" required:"" help:"Run id." placeholder:"ID"`
	Main   string `help:"Branch that agents must not commit to; defaults to the one checked out in the main worktree." placeholder:"BRANCH"`
	Attest bool   `help:"Add an attestation to each commit as a Git note (refs/notes/scaffoldwatch), a moment after it was made."`
}

// Help gives examples.
func (gitHookInstall) Help() string {
	return `Refuses a commit to main while worktrees exist, and lists them. Commits, merges and
worktrees are recorded as facts that no agent can contradict.

--attest needs a configuration that may read the streams and names a signing seed
(scaffoldwatch attest). Notes are made in the background; attest.log beside the hooks'
settings in the repository says what went wrong.

Examples:
  scaffoldwatch git-hook install --run checkout-retry
  scaffoldwatch git-hook install --run checkout-retry --attest
  SCAFFOLDWATCH_CONFIG=/etc/scaffoldwatch/infra.yaml scaffoldwatch git-hook install --run nightly --repo /srv/shop --main trunk`
}

// Run installs the hooks.
func (c *gitHookInstall) Run(r *cli.Call) error {
	settings, err := c.Settings(r)
	if err != nil {
		return err
	}
	repo, err := githook.Open(r, c.Repo)
	if err != nil {
		return err
	}
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	file := r.Config
	if file != "" {
		if file, err = filepath.Abs(file); err != nil {
			return fmt.Errorf("find the configuration file: %w", err)
		}
	}
	facts, err := githook.Install(r, repo, githook.Installation{Run: c.InRun, Main: c.Main, Binary: binary, Config: file, Server: c.Server, Attest: c.Attest})
	if err != nil {
		return err
	}
	if repo, err = githook.Open(r, c.Repo); err != nil { // where Git looks for hooks at present
		return err
	}
	fmt.Fprintf(r.Stdout, "hooks of run %s are in %s\n", c.InRun, repo.Hooks)
	return tell(r, settings, repo, facts)
}

type gitHookRemove struct{ repository }

// Run removes the hooks.
func (c *gitHookRemove) Run(r *cli.Call) error {
	repo, i, err := c.installed(r)
	if err != nil {
		return err
	}
	facts, notes, problem := githook.Remove(r, repo)
	if problem == nil {
		fmt.Fprintf(r.Stdout, "hooks of run %s are gone from %s\n", i.Run, repo.Hooks)
	}
	for _, note := range notes {
		fmt.Fprintf(r.Stderr, "scaffoldwatch: %s\n", note)
	}
	return c.told(r, repo, i, facts, problem)
}

// told publishes facts, including those that precede an error.
func (repository) told(r *cli.Call, repo *githook.Repository, i *githook.Installation, facts []events.Event, problem error) error {
	settings, err := installed(r, i)
	if err == nil {
		err = tell(r, settings, repo, facts)
	}
	if problem != nil {
		return problem
	}
	return err
}

type gitHookCount struct {
	repository
	Base string `help:"Commit to compare the branches with; defaults to where the main branch was when the hooks were installed." placeholder:"SHA"`
}

// Help explains when it is needed.
func (gitHookCount) Help() string {
	return `The trip wire is decided on the commits that the infrastructure counted (WP-1). Hooks count
commits as they are made; this command also finds those that no hook saw, and uncommitted
changes on main.

Example:
  scaffoldwatch git-hook count && scaffoldwatch gate request merge --run checkout-retry --wave 1`
}

// Run counts the commits and publishes the facts.
func (c *gitHookCount) Run(r *cli.Call) error {
	repo, i, err := c.installed(r)
	if err != nil {
		return err
	}
	for _, trouble := range repo.Trouble(r, i) {
		fmt.Fprintf(r.Stderr, "scaffoldwatch: %s\n", trouble)
	}
	facts, problem := githook.Count(r, repo, i, c.Base)
	printCount(r, facts)
	return c.told(r, repo, i, facts, problem)
}

func printCount(r *cli.Call, facts []events.Event) {
	for _, fact := range facts {
		switch d := fact.Data.(type) {
		case *runevents.GitCommit:
			fmt.Fprintf(r.Stdout, "bypassed the hooks: commit %.12s on %s by %s\n", d.SHA, d.Branch, d.Author)
		case *runevents.GitMerge:
			fmt.Fprintf(r.Stdout, "bypassed the hooks: merge of %s into %s\n", d.Branch, d.Into)
		case *runevents.GitCounted:
			for _, b := range d.Branches {
				fmt.Fprintf(r.Stdout, "%-30s %s, %s\n", b.Branch, text.Count(b.Commits, "commit"), text.Count(len(b.Files), "file"))
			}
			for _, file := range d.UncommittedOnMain {
				fmt.Fprintf(r.Stdout, "uncommitted on main: %s\n", file)
			}
		}
	}
}

// tell publishes facts and reports if they have to wait.
func tell(r *cli.Call, settings settings, repo *githook.Repository, facts []events.Event) error {
	waiting, err := githook.SendFacts(r, settings, repo.Spool(), facts, personPatience)
	if err != nil {
		return fmt.Errorf("%w (facts require the infrastructure's user, nats.user)", err)
	}
	if waiting > 0 {
		fmt.Fprintf(r.Stderr, "scaffoldwatch: the broker cannot be reached; %s in the repository for the next call\n", text.Count(waiting, "fact")+" kept")
	}
	return nil
}
