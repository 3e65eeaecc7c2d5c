package codeindex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	ignore "github.com/sabhiram/go-gitignore"
)

// maxIgnoreBytes limits the size of one .gitignore.
const maxIgnoreBytes = 1 << 20

// ignores holds the .gitignore files of a tree, read on the way down.
type ignores struct {
	root string
	// For each folder with patterns in force: their lines, rooted at the top, and their compiled form.
	lines    map[string][]string
	compiled map[string]*ignore.GitIgnore
}

func newIgnores(root string) *ignores {
	return &ignores{root: root, lines: map[string][]string{}, compiled: map[string]*ignore.GitIgnore{}}
}

// enter adds a folder's .gitignore to those of the folders above it.
func (i *ignores) enter(folder string) error {
	above := path.Dir(folder)
	if folder != "." && i.compiled[above] != nil {
		i.lines[folder], i.compiled[folder] = i.lines[above], i.compiled[above]
	}
	data, err := os.ReadFile(filepath.Join(i.root, filepath.FromSlash(folder), ".gitignore"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) > maxIgnoreBytes {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read .gitignore of %s: %w", folder, err)
	}
	lines := i.lines[folder][:len(i.lines[folder]):len(i.lines[folder])]
	for _, line := range strings.Split(string(data), "\n") {
		lines = append(lines, rooted(folder, strings.TrimRight(line, "\r")))
	}
	i.lines[folder], i.compiled[folder] = lines, ignore.CompileIgnoreLines(lines...)
	return nil
}

// match reports whether a file or folder is ignored.
func (i *ignores) match(file string, folder bool) bool {
	patterns := i.compiled[path.Dir(file)]
	if folder {
		file += "/"
	}
	return patterns != nil && patterns.MatchesPath(file)
}

// rooted rewrites a folder's pattern as a pattern of the top folder.
func rooted(folder, line string) string {
	if folder == "." || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
		return line
	}
	negated := ""
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		negated, line = "!", rest
	}
	if strings.Contains(strings.TrimSuffix(strings.TrimSpace(line), "/"), "/") {
		return negated + "/" + folder + "/" + strings.TrimPrefix(line, "/")
	}
	return negated + "/" + folder + "/**/" + line
}
