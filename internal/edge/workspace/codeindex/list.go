package codeindex

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// list returns the files below root with slashes, sorted: git's own listing if git knows the folder,
// otherwise every file that no .gitignore excludes.
func (c *config) list(ctx context.Context, root string) ([]string, error) {
	files, err := c.listGit(ctx, root, 0)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("list %s: %w", root, ctx.Err())
	}
	if err != nil || len(files) == 0 { // no repository, no git, or a folder that git ignores entirely
		if files, err = c.walk(ctx, root); err != nil {
			return nil, fmt.Errorf("list %s: %w", root, err)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// maxNested limits how deep repositories may be nested.
const maxNested = 4

// listGit asks git for files that are tracked, or new and not ignored. The folder is not trusted: nothing
// that it configures is run.
func (c *config) listGit(ctx context.Context, root string, nested int) ([]string, error) {
	command := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.quotePath=false",
		"ls-files", "-z", "--cached", "--others", "--exclude-standard")
	command.Dir = root
	command.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []string
	for _, name := range strings.Split(string(out), "\x00") {
		inner := strings.TrimSuffix(name, "/")
		if name == "" || c.foreign(inner) || c.vendored[path.Base(inner)] && name != inner {
			continue
		}
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(inner)))
		switch {
		case err != nil: // tracked, but deleted
		case info.IsDir() && nested < maxNested: // a repository in the repository
			below, err := c.listGit(ctx, filepath.Join(root, filepath.FromSlash(inner)), nested+1)
			if err != nil {
				continue
			}
			for _, file := range below {
				files = append(files, inner+"/"+file)
			}
		case info.Mode().IsRegular():
			files = append(files, inner)
		}
	}
	return files, nil
}

// walk lists the files of a folder outside any repository.
func (c *config) walk(ctx context.Context, root string) ([]string, error) {
	var files []string
	ignores := newIgnores(root)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		file, relErr := filepath.Rel(root, name)
		if relErr != nil {
			return relErr
		}
		file = filepath.ToSlash(file)
		switch {
		case err != nil && file != "." && errors.Is(err, fs.ErrPermission):
			return fs.SkipDir // what cannot be read is left out
		case err != nil:
			return err
		case file == ".":
			return ignores.enter(".")
		case entry.IsDir():
			if c.vendored[entry.Name()] || ignores.match(file, true) {
				return fs.SkipDir
			}
			return ignores.enter(file)
		case entry.Type().IsRegular() && !c.foreign(file) && !ignores.match(file, false):
			files = append(files, file)
		}
		return nil
	})
	return files, err
}

// maxIgnoreBytes limits the size of one .gitignore.
const maxIgnoreBytes = 1 << 20

// ignores holds the patterns of the .gitignore files of a tree, read on the way down.
type ignores struct {
	root     string
	patterns map[string][]gitignore.Pattern // by folder, with those of the folders above it
}

func newIgnores(root string) *ignores {
	return &ignores{root: root, patterns: map[string][]gitignore.Pattern{}}
}

// enter adds a folder's .gitignore to those of the folders above it.
func (i *ignores) enter(folder string) error {
	var domain []string
	if folder != "." {
		domain = strings.Split(folder, "/")
		i.patterns[folder] = i.patterns[path.Dir(folder)]
	}
	data, err := os.ReadFile(filepath.Join(i.root, filepath.FromSlash(folder), ".gitignore"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) > maxIgnoreBytes {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read .gitignore of %s: %w", folder, err)
	}
	list := slices.Clip(i.patterns[folder]) // which other folders share
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.TrimRight(line, "\r")
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			list = append(list, gitignore.ParsePattern(line, domain))
		}
	}
	i.patterns[folder] = list
	return nil
}

// match reports whether a file or folder is ignored.
func (i *ignores) match(file string, folder bool) bool {
	return gitignore.NewMatcher(i.patterns[path.Dir(file)]).Match(strings.Split(file, "/"), folder)
}
