package reporter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
)

// gitPatience limits the time for adding an anchor's note, retries included.
const gitPatience = 10 * time.Second

// annotate appends an anchor to the notes on the workspace's HEAD (AU-2).
func (a *anchors) annotate(ctx context.Context, signed []byte) (err error) {
	if a.settings.AnchorGit == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("append the anchor to the Git notes of %s: %w", a.settings.AnchorGit, err)
		}
	}()
	file, err := os.CreateTemp("", "scaffoldwatch-anchor-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.Write(signed)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	return appendNote(ctx, a.settings.AnchorGit, file.Name())
}

// appendNote retries a few times, since another program may hold the lock of the notes.
func appendNote(ctx context.Context, dir, file string) (err error) {
	git := gitrun.Command{Dir: dir, Variables: []string{
		"GIT_AUTHOR_NAME=scaffoldwatch", "GIT_AUTHOR_EMAIL=anchor@scaffoldwatch.invalid",
		"GIT_COMMITTER_NAME=scaffoldwatch", "GIT_COMMITTER_EMAIL=anchor@scaffoldwatch.invalid",
	}}
	const attempts = 5
	for range attempts {
		// An agent could change the workspace's hooks, so they must not run as the reporter.
		if _, err = git.Run(ctx, "-c", "core.hooksPath="+os.DevNull, "notes", "--ref=scaffoldwatch-anchors", "append", "--file="+file, "HEAD"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
	return err
}
