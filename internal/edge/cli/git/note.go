package git

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/githook"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

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
