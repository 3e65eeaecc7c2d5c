package codeindex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

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
