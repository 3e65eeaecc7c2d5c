package notify

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ErrInUse is returned if another process uses the same outbox.
var ErrInUse = errors.New("another reporter uses the same outbox")

// outboxLock keeps a second reporter away from an outbox: both would send everything, and overwrite each
// other's records. The operating system releases it when the process ends, however it ends.
type outboxLock struct{ file *os.File }

func lockOutbox(path string) (*outboxLock, error) {
	if path == "" {
		return &outboxLock{}, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, fmt.Errorf("create the folder of the outbox: %w", err)
	}
	file, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the outbox: %w", err)
	}
	if err := lockFile(file); err != nil {
		defer file.Close()
		holder, _ := io.ReadAll(io.LimitReader(file, 20))
		return nil, fmt.Errorf("%w %s (process %s)", ErrInUse, path, strings.TrimSpace(string(holder)))
	}
	if err := errors.Join(file.Truncate(0), written(fmt.Fprintf(file, "%d\n", os.Getpid()))); err != nil {
		return nil, fmt.Errorf("write the lock of the outbox: %w", errors.Join(err, file.Close()))
	}
	return &outboxLock{file: file}, nil
}

func written(_ int, err error) error { return err }

// release releases the outbox. The file remains: removing it could let two processes lock two files with
// the same name.
func (l *outboxLock) release() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
