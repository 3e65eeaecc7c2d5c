package audit

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/attest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
)

// repository is the Git repository with the commits, none without a folder.
type repository struct{ dir string }

func (g repository) run(r *cli.Call, args ...string) (string, error) {
	return gitrun.Command{Dir: g.dir}.Run(r, args...)
}

// fullID returns a commit id as Git prints it, and whether it is complete.
func fullID(name string) (sha string, full bool) {
	sha = strings.ToLower(name)
	return sha, (len(sha) == 40 || len(sha) == 64) && strings.Trim(sha, "0123456789abcdef") == ""
}

// named looks up the commits that a person named.
func (g repository) named(r *cli.Call, names []string) (all []attest.GitCommit, err error) {
	for _, name := range names {
		if g.dir == "" {
			sha, full := fullID(name)
			if !full {
				return nil, cli.Usage(fmt.Errorf("--commit %q is not a full commit id; with --repo DIR, Git looks it up", name))
			}
			all = append(all, attest.GitCommit{SHA: sha})
			continue
		}
		sha, err := g.run(r, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("%s has no commit %q; name one of the Git repository that --repo names", g.dir, name))
		}
		c, err := g.commit(r, strings.TrimSpace(sha))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// commit asks Git for the time and files of a commit; for a merge, its own changes.
func (g repository) commit(r *cli.Call, sha string) (attest.GitCommit, error) {
	c := attest.GitCommit{SHA: sha}
	out, err := g.run(r, "show", "--no-show-signature", "--no-notes", "-z", "--format=%cI", "--name-only", "--no-renames", "--first-parent", sha, "--")
	if err != nil {
		return c, fmt.Errorf("look up the commit %s: %w", sha, err)
	}
	when, files, _ := strings.Cut(out, "\x00")
	if c.Time, err = time.Parse(time.RFC3339, strings.TrimSpace(when)); err != nil {
		return c, fmt.Errorf("read the time of the commit %s: %w", sha, err)
	}
	for file := range strings.SplitSeq(files, "\x00") {
		if file = strings.TrimPrefix(file, "\n"); file != "" {
			c.Files = append(c.Files, file)
		}
	}
	return c, nil
}

// maxAround limits how many commits are examined to find those of a session or run.
const maxAround = 500

// around lists the commits that were made while the requested sessions were at work.
func (g repository) around(r *cli.Call, from record.Source, request attest.Request, o attest.Options) ([]attest.GitCommit, error) {
	v, err := attest.Build(r, from, request, o)
	if err != nil {
		return nil, err
	}
	var first, last time.Time
	for _, s := range v.Sessions {
		if first.IsZero() || s.First.Before(first) {
			first = s.First
		}
		if s.Last.After(last) {
			last = s.Last
		}
	}
	if first.IsZero() {
		return nil, nil
	}
	out, err := g.run(r, "log", "--all", "--format=%H", fmt.Sprintf("--max-count=%d", maxAround),
		"--since="+first.Add(-time.Minute).Format(time.RFC3339), "--until="+last.Add(15*time.Minute).Format(time.RFC3339), "--")
	if err != nil {
		return nil, fmt.Errorf("list the commits of %s: %w", g.dir, err)
	}
	var all []attest.GitCommit
	for _, sha := range strings.Fields(out) {
		c, err := g.commit(r, sha)
		if err != nil {
			return nil, err
		}
		c.Candidate = true
		all = append(all, c)
	}
	return all, nil
}

// note adds an attestation to a commit, replacing an earlier one.
func (g repository) note(r *cli.Call, sha string, signed []byte) (err error) {
	file, err := os.CreateTemp("", "scaffoldwatch-note-")
	if err != nil {
		return fmt.Errorf("create a file for the note: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.Write(signed)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write the note: %w", err)
	}
	const tries = 5 // another note may hold the lock
	for range tries {
		if _, err = g.run(r, "notes", "--ref=scaffoldwatch", "add", "-f", "-F", file.Name(), sha); err == nil {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return fmt.Errorf("note on %s: %w", sha, err)
}
