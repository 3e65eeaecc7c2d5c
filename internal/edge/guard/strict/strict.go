// Package strict reads how strict a workspace wants the guard to be: the key `guard` of its
// .scaffoldwatch.yaml, which an agent can write and which can therefore only tighten it (GD-9). It is
// separate from package workspace, which reads the rest of the file, because the hook reads it for every
// tool call.
package strict

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// FileName is the file's name at the top of a workspace.
const FileName = ".scaffoldwatch.yaml"

// maxBytes limits the size of the file.
const maxBytes = 1 << 20

// Read returns the packs that the file of a folder names; none if the folder or the file does not exist. It
// does not follow links out of the folder.
func Read(folder string) (guard.Packs, error) {
	if !filepath.IsAbs(folder) {
		return nil, nil
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil //nolint:nilerr // the folder is not on this machine
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(FileName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", filepath.Join(folder, FileName), err)
	case !info.Mode().IsRegular() || info.Size() > maxBytes:
		return nil, fmt.Errorf("read %s: it is not a regular file of at most %d bytes", filepath.Join(folder, FileName), maxBytes)
	}
	file, err := root.Open(FileName)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(folder, FileName), err)
	}
	defer func() { _ = file.Close() }()
	var content struct {
		Guard guard.Packs `yaml:"guard"`
	}
	if err := yaml.NewDecoder(io.LimitReader(file, maxBytes)).Decode(&content); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(folder, FileName), err)
	}
	if pack, err := content.Guard.Check(); err != nil {
		return nil, fmt.Errorf("%s: guard.%s: %w", filepath.Join(folder, FileName), pack, err)
	}
	return content.Guard, nil
}
