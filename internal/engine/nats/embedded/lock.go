package embedded

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// dirLock keeps other processes out of a data directory while this one runs. The
// operating system frees it when the process ends, however it ends.
type dirLock struct{ file *os.File }

// Hold keeps other processes out of a directory until the closer is closed.
func Hold(dir string) (io.Closer, error) {
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	return lock.file, nil
}

func lockDir(dir string) (*dirLock, error) {
	path := filepath.Join(dir, "lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the directory: %w", err)
	}
	if err := lockFile(file); err != nil {
		defer file.Close()
		holder, _ := io.ReadAll(io.LimitReader(file, 20))
		return nil, fmt.Errorf("directory %s is in use by process %s: stop that, or choose another directory (%w)",
			dir, strings.TrimSpace(string(holder)), err)
	}
	if err := file.Truncate(0); err != nil {
		return nil, fmt.Errorf("write the lock of the directory: %w", err)
	}
	if _, err := fmt.Fprintf(file, "%d\n", os.Getpid()); err != nil {
		return nil, fmt.Errorf("write the lock of the directory: %w", err)
	}
	return &dirLock{file: file}, nil
}

// release frees the directory. The file stays: removing it would let two
// processes lock two files of one name.
func (l *dirLock) release() error { return l.file.Close() }
