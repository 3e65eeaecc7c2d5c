package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
)

// Limits of what a digest reads.
const (
	maxDigested = 20000
	digestLimit = 10 * time.Second
)

// Tree returns a digest of what a check runs on: Git's tree of the commit with the content of every
// uncommitted file, or without Git the content of all files. It returns "" if that cannot be read.
func Tree(ctx context.Context, folder string) string {
	ctx, cancel := context.WithTimeout(ctx, digestLimit)
	defer cancel()
	sum := sha256.New()
	changed, tree, ok := uncommitted(ctx, folder)
	if !ok {
		var err error
		if changed, err = everything(ctx, folder); err != nil {
			return ""
		}
	}
	fmt.Fprintln(sum, tree)
	for _, name := range changed {
		digest(sum, folder, name)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// slack is how much later than a response a change may be that still belongs to it.
const slack = 2 * time.Second

// Later reports whether a workspace was changed after a response.
func Later(ctx context.Context, folder string, response time.Time) bool {
	return newest(ctx, folder).After(response.Add(slack))
}

// newest returns when an uncommitted file was last changed, or the time of the commit that is checked out
// if that is later.
func newest(ctx context.Context, folder string) time.Time {
	changed, _, ok := uncommitted(ctx, folder)
	if !ok {
		changed, _ = everything(ctx, folder)
	}
	last := time.Time{}
	for _, name := range changed {
		if info, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(name))); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	if out, err := (gitrun.Command{Dir: folder}).Run(ctx, "rev-parse", "--git-path", "logs/HEAD"); err == nil {
		file := strings.TrimSpace(out)
		if !filepath.IsAbs(file) {
			file = filepath.Join(folder, file)
		}
		if info, err := os.Stat(file); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// uncommitted returns the files that differ from the commit, relative to the folder, and Git's tree.
func uncommitted(ctx context.Context, folder string) (files []string, tree string, ok bool) {
	quiet, _, err := gitrun.Looking(ctx, folder)
	if err != nil {
		return nil, "", false
	}
	out, err := quiet.Run(ctx, "rev-parse", "--verify", "-q", "HEAD^{tree}")
	if err != nil {
		return nil, "", false
	}
	top, err := quiet.Run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, "", false
	}
	listed, err := quiet.Run(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
	if err != nil {
		return nil, "", false
	}
	for entry := range strings.SplitSeq(listed, "\x00") {
		if len(entry) < 4 || len(files) >= maxDigested {
			continue
		}
		if name, err := filepath.Rel(folder, filepath.Join(strings.TrimSpace(top), filepath.FromSlash(entry[3:]))); err == nil {
			files = append(files, filepath.ToSlash(name))
		}
	}
	return files, strings.TrimSpace(out), true
}

// everything returns the files of a folder that Git does not know, without generated ones.
func everything(ctx context.Context, folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules" || entry.Name() == "target" || entry.Name() == "__pycache__"):
			return filepath.SkipDir
		case entry.Type().IsRegular() && len(files) < maxDigested:
			inside, err := filepath.Rel(folder, name)
			files = append(files, filepath.ToSlash(inside))
			return err
		}
		return nil
	})
	return files, err
}

func digest(sum io.Writer, folder, name string) {
	fmt.Fprintf(sum, "%q ", name)
	file, err := os.Open(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		fmt.Fprintln(sum, "gone")
		return
	}
	defer file.Close()
	content := sha256.New()
	_, _ = io.Copy(content, file)
	fmt.Fprintf(sum, "%x\n", content.Sum(nil))
}
